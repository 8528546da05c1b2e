import type { ReactNode } from "react";
import { Link } from "react-router";
import type { DataOf } from "../api/call.ts";
import { BoxButtons, type BoxTask, mayShip } from "../boxes/box-dialog.tsx";
import { ContentsText } from "../boxes/contents.tsx";
import { BoxState } from "../boxes/state.tsx";
import { TrackingLink } from "../boxes/tracking-link.tsx";
import { Facts } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { nameOfOrder } from "./order-name.ts";
import { PackLink } from "./pack-link.tsx";

type Order = DataOf<"get_order">;

interface PackBoxesProps {
	readonly order: Order;
	/** Null: the person may only read. */
	readonly start: ((task: BoxTask) => void) | null;
	/** The waiting box has the wrong units. */
	readonly isToRepack: boolean;
}

/** The boxes of an order, each with what can be done with it. */
export const PackBoxes = ({ order, start, isToRepack }: PackBoxesProps): ReactNode => (
	<>
		<h2>{words.pack.boxes}</h2>
		{order.shipments.length === 0 ? <p className="quiet">{words.pack.noBoxes}</p> : null}
		<div className="cards">
			{waitingFirst(order.shipments).map(({ box, n }) => (
				<section key={box.shipment_id} className="card" aria-label={words.pack.box(n)}>
					<h3>
						<Link to={`/boxes/${box.shipment_id}`}>{words.pack.box(n)}</Link>
					</h3>
					<BoxOfOrder order={order} box={box} />
					{start === null ? null : <BoxButtons box={box} start={start} isToRepack={isToRepack} />}
				</section>
			))}
		</div>
	</>
);

/** Boxes are numbered as they left, and those that wait come after them; what can be shipped is at the top. */
const waitingFirst = (boxes: Order["shipments"]) =>
	boxes
		.toSorted((a, b) => leftAt(a) - leftAt(b))
		.map((box, index) => ({ box, n: index + 1 }))
		.toSorted((a, b) => Number(mayShip(b.box)) - Number(mayShip(a.box)));

const leftAt = ({ shipped_at }: Order["shipments"][number]): number =>
	shipped_at === null ? Number.MAX_VALUE : Date.parse(shipped_at);

function BoxOfOrder({ order: { order_id }, box }: { order: Order; box: Order["shipments"][number] }): ReactNode {
	const others = box.orders.filter((other) => other.order_id !== order_id);
	const isUnlabelled = box.tracking_number === null && box.carrier_code === null;
	return (
		<>
			<Facts
				facts={[
					[words.boxes.status, <BoxState key="state" status={box.status} />],
					[words.pack.contents, <ContentsText key="contents" items={box.items} />],
					[words.pack.tracking, isUnlabelled ? null : <TrackingLink key="tracking" box={box} />],
				]}
			/>
			{others.length === 0 ? null : (
				<p>
					{words.pack.also}:{" "}
					{others.map((other) => (
						<span key={other.order_id}>
							<PackLink id={other.order_id} name={nameOfOrder(other)} />{" "}
						</span>
					))}
				</p>
			)}
		</>
	);
}
