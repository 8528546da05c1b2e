import { type ReactNode, useState } from "react";
import { Link, useParams } from "react-router";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { BoxDialog, type BoxTask, mayShip } from "../boxes/box-dialog.tsx";
import { Slip } from "../boxes/slip.tsx";
import { OrderState } from "../orders/state.tsx";
import { Facts, Failed, Loading, Page, Problem, State } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { Address } from "./address.tsx";
import { nameOfOrder } from "./order-name.ts";
import { type PackedOrder, useOrders } from "./orders-of.ts";
import { PackBoxes } from "./pack-boxes.tsx";
import { PackItems } from "./pack-items.tsx";
import { PartnerTold } from "./partner-told.tsx";
import { PickAll } from "./pick-all.tsx";
import { PickButton } from "./pick-button.tsx";
import { isToRepack, Repack } from "./repack.tsx";
import { Said, type Saying, useSaid, useTop } from "./said.tsx";
import { useScans } from "./use-scans.ts";

/** One order at the packing table: what goes into its box, where it goes, and its boxes. */
export default function Pack({ me }: { me: Me }): ReactNode {
	const { id = "" } = useParams();
	const { data: order, error, isPlaceholderData, refetch } = useRead("get_order", { params: { id } });
	const retry = (): void => void refetch();
	// the previous order must not be mistaken for this one
	if (order !== undefined && !isPlaceholderData) {
		return (
			<div className="touch">
				<Problem error={error} retry={retry} />
				<PackOrder key={order.order_id} order={order} mayWrite={hasRole(me, "warehouse")} />
			</div>
		);
	}
	return error === null ? <Loading /> : <Failed title={words.pack.failed} error={error} retry={retry} />;
}

function PackOrder({ order, mayWrite }: { order: PackedOrder; mayWrite: boolean }): ReactNode {
	const name = nameOfOrder(order);
	const [task, setTask] = useState<BoxTask | null>(null);
	const saying = useSaid();
	const box = order.shipments.find(mayShip);
	// everything that goes into the same box is packed on this page
	const ids = box === undefined ? [order.order_id] : box.orders.map(({ order_id }) => order_id);
	const beside = useOrders(ids.filter((id) => id !== order.order_id));
	const all = [order, ...beside];
	useTop();
	const ship = (tracking: string): void => box && setTask({ verb: "ship", box, tracking });
	const mayLeave = mayWrite && box !== undefined && !all.some(isToRepack);
	useScans({ orders: ids, ship: mayLeave ? ship : null }, saying);
	return (
		<Page title={words.pack.title(name)} actions={<Ways order={order} />}>
			<Said message={saying.message} />
			<Notes order={order} />
			<Repack orders={all} mayPick={mayWrite} />
			<PackBoxes order={order} start={mayWrite ? setTask : null} isToRepack={all.some(isToRepack)} />
			<p className="hint">{words.pack.scanHint}</p>
			<OrderFacts order={order} />
			<Items order={order} beside={beside} isShared={ids.length > 1} mayWrite={mayWrite} saying={saying} />
			{mayWrite && order.status !== "cancelled" ? <Slip order={order.order_id} name={name} /> : null}
			<PartnerTold order={order.order_id} />
			{task === null ? null : (
				<BoxDialog
					task={task}
					onClose={() => setTask(null)}
					onDone={(text) => {
						setTask(null);
						saying.say("done", text);
					}}
				/>
			)}
		</Page>
	);
}

const Ways = ({ order }: { order: PackedOrder }): ReactNode => (
	<>
		<Link className="button" to={`/orders/${order.order_id}`}>
			{words.pack.whole}
		</Link>
		<Link className="button" to="/warehouse">
			{words.walk.back}
		</Link>
	</>
);

const Notes = ({ order }: { order: PackedOrder }): ReactNode => (
	<>
		{order.note ? (
			<p className="note">
				<span className="strong">{words.pack.note}</span> {order.note}
			</p>
		) : null}
		{order.status === "held" ? (
			<p className="wrong">
				{words.pack.held} {order.hold_detail}
			</p>
		) : null}
	</>
);

const OrderFacts = ({ order }: { order: PackedOrder }): ReactNode => (
	<Facts
		facts={[
			[
				words.pack.status,
				order.pick_again && order.status !== "held" ? (
					<State key="state" word={words.queue.needsPickAgain} tone="bad" />
				) : (
					<OrderState key="state" status={order.status} hold_reason={order.hold_reason} />
				),
			],
			[words.pack.address, <Address key="address" customer={order.customer} />],
			[words.pack.service, order.service_level],
			[words.pack.partner, order.partner],
			[words.pack.placed, <Moment key="placed" at={order.placed_at} />],
		]}
	/>
);

interface ItemsProps {
	readonly order: PackedOrder;
	/** The orders that share its box, as far as they have been read. */
	readonly beside: readonly PackedOrder[];
	readonly isShared: boolean;
	readonly mayWrite: boolean;
	readonly saying: Saying;
}

/** What is to be packed, of all orders of the box. */
function Items({ order, beside, isShared, mayWrite, saying }: ItemsProps): ReactNode {
	return (
		<section>
			<PackItems order={order} caption={isShared ? words.pack.itemsOf(nameOfOrder(order)) : words.pack.items} />
			{beside.map((other) => (
				<PackItems key={other.order_id} order={other} caption={words.pack.itemsOf(nameOfOrder(other))} />
			))}
			{mayWrite && beside.length > 0 ? <PickAll orders={[order, ...beside]} saying={saying} /> : null}
			{mayWrite ? <PickButton order={order} saying={saying} /> : null}
		</section>
	);
}
