import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { call } from "../api/call.ts";
import { Table } from "../parts/list.tsx";
import { words } from "../words/words.ts";
import { lotsLeft } from "./lots-left.ts";
import type { PackedOrder } from "./orders-of.ts";

type Item = PackedOrder["items"][number];

/** What an order consists of, and from which lots it comes. */
export function PackItems({ order, caption }: { order: PackedOrder; caption: string }): ReactNode {
	const { items } = order;
	const locations = useLocations(items);
	return (
		<Table
			caption={caption}
			rows={items}
			keyOf={({ sku, brand_code }) => `${sku} ${brand_code}`}
			columns={[
				{ head: words.pack.sku, cell: ({ sku }) => <span className="strong">{sku}</span> },
				{ head: words.pack.qty, cell: ({ qty }) => qty, isNumber: true },
				{ head: words.pack.left, cell: ({ qty, shipped_qty }) => qty - shipped_qty, isNumber: true },
				{ head: words.pack.lots, cell: (item) => <LotsOf lots={lotsLeft(order, item)} locations={locations} /> },
			]}
		/>
	);
}

/** Where the lots of some items lie, by the lot's id, as far as they have been read. */
function useLocations(items: readonly Item[]): ReadonlyMap<string, string | null> {
	const lots = items.flatMap(({ components }) => components.flatMap((component) => component.lots));
	const ids = [...new Set(lots.map(({ fg_id }) => fg_id))];
	const answers = useQueries({
		queries: ids.map((fg_id) => ({
			queryKey: ["get_lot", { fg_id }, {}],
			queryFn: ({ signal }: { signal: AbortSignal }) => call("get_lot", { params: { fg_id }, signal }),
		})),
	});
	return new Map(answers.flatMap(({ data }) => (data === undefined ? [] : [[data.fg_id, data.location] as const])));
}

interface LotsOfProps {
	readonly lots: ReturnType<typeof lotsLeft>;
	readonly locations: ReturnType<typeof useLocations>;
}

const LotsOf = ({ lots, locations }: LotsOfProps) =>
	lots.map(({ fg_id, batch_number, units }, index) => {
		const location = locations.get(fg_id) ?? null;
		return (
			<p key={`${fg_id} ${index}`} className="tight">
				{words.pack.ofLot(units)} <Link to={`/stock/${fg_id}`}>{batch_number}</Link>{" "}
				{location === null ? null : words.pack.at(location)}
			</p>
		);
	});
