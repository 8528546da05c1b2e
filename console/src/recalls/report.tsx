import type { ReactNode } from "react";
import { Link } from "react-router";
import { Table } from "../parts/list.tsx";
import { Facts } from "../parts/page.tsx";
import { BATCH, FORMULA, POOL } from "../stock/lot-columns.tsx";
import { words } from "../words/words.ts";
import { Holders, Recipients } from "./people.tsx";
import type { ToldRecall } from "./state.tsx";

/** What a recall does or did: its lots, who received units of them, and who lacks units now. */
export const RecallReport = ({ told }: { told: ToldRecall }): ReactNode => (
	<>
		<p className="strong">{words.recalls[told.dry_run ? "would" : "did"](told.moved, told.lots.length)}</p>
		<Facts
			facts={[
				[words.recalls.replaced, told.replaced],
				[words.recalls.lostUnits, told.lost],
				...(told.left > 0 ? ([[words.recalls.left, told.left]] as const) : []),
				[words.recalls.packed, told.packed_orders.length],
				[words.recalls.shipped, told.shipped_orders.length],
				[words.recalls.consumed, told.consumed.length],
				[words.recalls.elsewhere, told.shipped_elsewhere.length],
				[words.recalls.impaired, told.impaired_holds.length],
				[words.recalls.held, told.held_orders.length],
				[words.recalls.near, told.nearly_the_same.length],
			]}
		/>
		<Restored lots={told.lots} />
		<Near lots={told.nearly_the_same} reason={told.reason} />
		<Lots lots={told.lots} />
		<Recipients told={told} />
		<Holders told={told} />
	</>
);

/** Lots of which units came back: the recall is over for them. */
const Restored = ({ lots }: { lots: ToldRecall["lots"] }): ReactNode =>
	lots
		.filter(({ restored }) => restored > 0)
		.map(({ fg_id, batch_number: batch, restored, recalled_at }) => (
			<p key={fg_id} className="wrong">
				{words.recalls[recalled_at === null ? "restoredAll" : "restored"](batch, restored)}
			</p>
		));

/** Lots that the recall may have missed because of a mistyped batch number. */
const Near = ({ lots, reason }: { lots: ToldRecall["nearly_the_same"]; reason: string | null }): ReactNode =>
	lots.length === 0 ? null : (
		<>
			<p className="bad">{words.recalls.nearHint}</p>
			<Table
				caption={words.recalls.near}
				rows={lots}
				keyOf={({ fg_id }) => fg_id}
				columns={[
					BATCH,
					FORMULA,
					POOL,
					{
						head: words.recalls.recallToo,
						cell: ({ fg_id }) => (
							<Link
								to={`/recalls/new?${new URLSearchParams({ fg_id, ...(reason === null ? {} : { reason }) })}`}
								target="_blank"
							>
								{words.recalls.recallToo}
							</Link>
						),
					},
				]}
			/>
		</>
	);

const Lots = ({ lots }: { lots: ToldRecall["lots"] }): ReactNode => (
	<Table
		caption={words.recalls.lots}
		rows={lots}
		keyOf={({ fg_id }) => fg_id}
		columns={[
			BATCH,
			FORMULA,
			POOL,
			{ head: words.stock.available, cell: ({ available }) => available, isNumber: true },
			{ head: words.stock.held, cell: ({ held }) => held, isNumber: true },
			{ head: words.stock.allocated, cell: ({ allocated }) => allocated, isNumber: true },
			{ head: words.lot.consumed, cell: ({ consumed }) => consumed, isNumber: true },
			{ head: words.lot.shipped, cell: ({ shipped }) => shipped, isNumber: true },
			{ head: words.stock.quarantined, cell: ({ quarantined }) => quarantined, isNumber: true },
			{ head: words.lot.destroyed, cell: ({ destroyed }) => destroyed, isNumber: true },
		]}
	/>
);
