import type { ReactNode } from "react";
import { Link } from "react-router";
import { Table } from "../parts/list.tsx";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { type Marks, nameOfStop, type PickStop } from "./marks.ts";
import { nameOfOrder } from "./order-name.ts";
import { PackLink } from "./pack-link.tsx";

interface AllStopsProps {
	readonly stops: readonly PickStop[];
	readonly marks: Marks;
	/** Whether an order is marked as picked already: its stops can no longer be reopened. */
	readonly isPicked: (orderId: string) => boolean;
	readonly onUndo: (stop: PickStop) => void;
}

/** The whole walk as a table. */
export const AllStops = ({ stops, ...how }: AllStopsProps): ReactNode => (
	<>
		<Table
			caption={words.walk.all}
			rows={stops}
			keyOf={nameOfStop}
			columns={[
				{ head: words.walk.location, cell: ({ location }) => location ?? words.walk.noLocation },
				{ head: words.walk.unitsHead, cell: ({ units }) => units, isNumber: true },
				{ head: words.walk.formula, cell: ({ formula }) => formula },
				{
					head: words.walk.batch,
					cell: ({ fg_id, batch_number }) => <Link to={`/stock/${fg_id}`}>{batch_number}</Link>,
				},
				{ head: words.walk.expires, cell: ({ expires_on }) => expires_on ?? words.walk.never },
				{ head: words.walk.pool, cell: ({ brand_code }) => brand_code ?? words.walk.shared },
				{
					head: words.walk.orders,
					cell: ({ orders }) =>
						orders.map((order) => (
							<p key={order.order_id} className="tight">
								{order.units} × <PackLink id={order.order_id} name={nameOfOrder(order)} />
							</p>
						)),
				},
				{ head: words.walk.state, cell: (stop) => <StopState stop={stop} {...how} /> },
			]}
		/>
	</>
);

function StopState({ stop, marks, isPicked, onUndo }: Omit<AllStopsProps, "stops"> & { stop: PickStop }): ReactNode {
	const mark = marks[nameOfStop(stop)];
	return mark === undefined ? null : (
		<>
			<State word={words.walk.states[mark]} tone={mark === "taken" ? "good" : "bad"} />{" "}
			{stop.orders.every(({ order_id }) => isPicked(order_id)) ? null : (
				<button type="button" aria-label={words.walk.undoOf(stop.batch_number)} onClick={() => onUndo(stop)}>
					{words.walk.undo}
				</button>
			)}
		</>
	);
}
