import type { ReactNode } from "react";
import { Link } from "react-router";
import type { CallProblem } from "../api/call.ts";
import type { EndedOf } from "../api/run.ts";
import { Empty, State } from "../parts/page.tsx";
import { ShortTable } from "../parts/short-table.tsx";
import { words } from "../words/words.ts";

const TONES = { shipped: "good", unchanged: "plain", refused: "bad" } as const;

/** What is wrong with the rows; none of them was carried out. */
export const TrackingWrong = ({ problems }: { problems: readonly CallProblem[] }): ReactNode =>
	problems.length === 0 ? null : (
		<div role="alert">
			<h2>{words.tracking.wrong(problems.length)}</h2>
			<p>{words.tracking.wrongHint}</p>
			<ShortTable
				caption={words.tracking.message}
				rows={problems.map((problem, index) => ({ ...problem, index }))}
				keyOf={({ index }) => String(index)}
				columns={[
					{ head: words.tracking.at, cell: ({ at }) => at },
					{ head: words.tracking.message, cell: ({ message }) => message },
				]}
			/>
		</div>
	);

/** The result of each row of an import of tracking numbers. */
export function TrackingReport({ report }: { report: EndedOf<"import_tracking"> }): ReactNode {
	const { shipped, unchanged, refused, items } = report;
	return (
		<section>
			<div role="status">
				<h2>{words.tracking.sum(shipped, unchanged, refused)}</h2>
			</div>
			{refused > 0 ? <p>{words.tracking.refusedHint}</p> : null}
			{items.length === 0 ? <Empty title={words.tracking.nothing} /> : null}
			<ShortTable
				caption={words.tracking.outcome}
				rows={items}
				keyOf={({ line }) => String(line)}
				columns={[
					{ head: words.tracking.line, cell: ({ line }) => line, isNumber: true },
					{
						head: words.tracking.order,
						cell: ({ order, order_id }) => <Link to={`/warehouse/orders/${order_id}`}>{order}</Link>,
					},
					{
						head: words.tracking.outcome,
						cell: ({ outcome, message }) => (
							<>
								<State word={words.tracking.outcomes[outcome]} tone={TONES[outcome]} /> {message}
							</>
						),
					},
					{
						head: words.tracking.box,
						cell: ({ order, shipment_id: id }) =>
							id === null ? null : <Link to={`/boxes/${id}`}>{words.boxes.boxOf(order)}</Link>,
					},
				]}
			/>
		</section>
	);
}
