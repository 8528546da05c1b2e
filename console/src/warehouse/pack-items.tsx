import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { Table } from "../parts/list.tsx";
import { words } from "../words/words.ts";

type Item = DataOf<"get_order">["items"][number];

/** What an order consists of, and from which lots it comes. */
export const PackItems = ({ order: { items } }: { order: DataOf<"get_order"> }): ReactNode => (
	<Table
		caption={words.pack.items}
		rows={items}
		keyOf={({ sku, brand_code }) => `${sku} ${brand_code}`}
		columns={[
			{ head: words.pack.sku, cell: ({ sku }) => <span className="strong">{sku}</span> },
			{ head: words.pack.qty, cell: ({ qty }) => qty, isNumber: true },
			{ head: words.pack.left, cell: ({ qty, shipped_qty }) => qty - shipped_qty, isNumber: true },
			{ head: words.pack.lots, cell: (item) => <LotsOf item={item} /> },
		]}
	/>
);

const LotsOf = ({ item: { components } }: { item: Item }): ReactNode =>
	components.flatMap(({ lots }) =>
		lots.map(({ fg_id, batch_number, units }, index) => (
			<p key={`${fg_id} ${index}`} className="tight">
				{words.pack.ofLot(units)} <Link to={`/stock/${fg_id}`}>{batch_number}</Link>
			</p>
		)),
	);
