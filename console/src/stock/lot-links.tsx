import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { type Column, Table } from "../parts/list.tsx";
import { State } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";

/** Number of holds that are shown, the newest. */
const HOLDS = 20;
/** Number of the newest recalls among which a lot's recall is searched for. */
const RECALLS = 500;
/** Number of certificates among which those of a batch are searched for. */
const CERTIFICATES = 100;

/** Since when a lot has been recalled, with a link to the recall. */
export function LotRecall({ lot, at }: { lot: DataOf<"get_lot">; at: string }): ReactNode {
	const { data } = useRead("list_recalls", { query: { limit: RECALLS } });
	const found = data?.items.find(
		({ fg_id, batch_number, formula }) =>
			fg_id === lot.fg_id || (batch_number === lot.batch_number && (formula ?? lot.formula) === lot.formula),
	);
	return (
		<p>
			<State word={words.lot.recalled} tone="bad" /> <Moment at={at} />{" "}
			<Link to={found === undefined ? "/recalls" : `/recalls/${found.recall_id}`}>{words.lot.toRecall}</Link>
		</p>
	);
}

type LotHold = DataOf<"list_holds">["items"][number];

const HOLD_COLUMNS: readonly Column<LotHold>[] = [
	{
		head: words.holds.ref,
		cell: ({ reservation_token: token, external_ref }) => <Link to={`/holds/${token}`}>{external_ref ?? token}</Link>,
	},
	{ head: words.holds.partner, cell: ({ partner, key_name }) => `${partner}, ${key_name}` },
	{
		head: words.holds.status,
		cell: ({ status, impaired }) => <State word={status} tone={impaired ? "bad" : "plain"} />,
	},
	{ head: words.holds.ends, cell: ({ expires_at, ended_at }) => <Moment at={ended_at ?? expires_at} /> },
];
const UNITS_OF_LOT: Column<LotHold> = {
	head: words.lot.ofThisLot,
	cell: ({ units_of_lot }) => units_of_lot,
	isNumber: true,
};

/** The holds that have units of a lot now, and those that had some; nothing if none did. */
export const LotHolds = ({ fg_id }: { fg_id: string }): ReactNode => (
	<>
		<HoldsOf fg_id={fg_id} of_lot="now" />
		<HoldsOf fg_id={fg_id} of_lot="before" />
	</>
);

function HoldsOf({ fg_id, of_lot }: { fg_id: string; of_lot: "now" | "before" }): ReactNode {
	const { data } = useRead("list_holds", { query: { lot: fg_id, of_lot, limit: HOLDS } });
	if (data === undefined || data.items.length === 0) return null;
	return (
		<Table
			caption={words.lot[of_lot === "now" ? "holds" : "holdsBefore"]}
			rows={data.items}
			keyOf={({ reservation_token: token }) => token}
			columns={of_lot === "now" ? [...HOLD_COLUMNS, UNITS_OF_LOT] : HOLD_COLUMNS}
		/>
	);
}

/** The certificates of a batch number; nothing if it has none. */
export function LotCertificates({ batch_number }: { batch_number: string }): ReactNode {
	// a search by text, because the filter refuses a batch number that has no certificate
	const { data } = useRead("list_certificates", { query: { q: batch_number, limit: CERTIFICATES } });
	const found = data?.items.filter((one) => one.batch_number === batch_number) ?? [];
	if (found.length === 0) return null;
	return (
		<Table
			caption={words.lot.certificates}
			rows={found}
			keyOf={({ certificate_id }) => certificate_id}
			columns={[
				{
					head: words.lot.certificate,
					cell: ({ slug, product_name, batch_number: batch }) => (
						<Link to={`/certificates/${encodeURIComponent(slug)}/${encodeURIComponent(batch)}`}>{product_name}</Link>
					),
				},
				{ head: words.holds.status, cell: ({ status }) => <State word={status} /> },
			]}
		/>
	);
}
