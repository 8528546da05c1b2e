import { type ReactNode, useState } from "react";
import { Link, useParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { OrderState } from "../orders/state.tsx";
import { Table } from "../parts/list.tsx";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { nameOfOrder, namesOfOrders } from "../warehouse/order-name.ts";
import { useOrders } from "../warehouse/orders-of.ts";
import { isToRepack, Repack } from "../warehouse/repack.tsx";
import { Said, useSaid } from "../warehouse/said.tsx";
import { useScans } from "../warehouse/use-scans.ts";
import { words } from "../words/words.ts";
import { BoxButtons, BoxDialog, type BoxTask, mayShip } from "./box-dialog.tsx";
import { Slip } from "./slip.tsx";
import { BoxState } from "./state.tsx";
import { TrackingLink } from "./tracking-link.tsx";

type Box = DataOf<"get_box">;

/** One box: its orders, its contents and its label, and what can be done with it. */
export default function BoxPage({ me }: { me: Me }): ReactNode {
	const { id = "" } = useParams();
	const { data: box, error, isPlaceholderData, refetch } = useRead("get_box", { params: { id } });
	const retry = (): void => void refetch();
	if (box !== undefined && !isPlaceholderData) {
		return (
			<div className="touch">
				<Problem error={error} retry={retry} />
				<OneBox key={box.shipment_id} box={box} mayWrite={hasRole(me, "warehouse")} />
			</div>
		);
	}
	return error === null ? <Loading /> : <Failed title={words.boxes.box} error={error} retry={retry} />;
}

/** The box has not left, but still can. */
const isWaiting = (box: Box): boolean => mayShip(box) || box.status === "on_hold";

function OneBox({ box, mayWrite }: { box: Box; mayWrite: boolean }): ReactNode {
	const [task, setTask] = useState<BoxTask | null>(null);
	const saying = useSaid();
	const [first] = box.orders;
	const mayAct = mayWrite && mayShip(box);
	const ids = box.orders.map(({ order_id }) => order_id);
	const orders = useOrders(ids);
	const ship = (tracking: string): void => setTask({ verb: "ship", box, tracking });
	useScans({ orders: ids, ship: mayAct && !orders.some(isToRepack) ? ship : null }, saying);
	return (
		<Page title={words.boxes.boxOf(namesOfOrders(box.orders))}>
			<Said message={saying.message} />
			{isWaiting(box) ? <Repack orders={orders} mayPick={mayWrite} /> : null}
			{mayWrite ? <BoxButtons box={box} start={setTask} isToRepack={orders.some(isToRepack)} /> : null}
			<BoxFacts box={box} />
			<OrdersOf box={box} />
			<ContentsOf box={box} />
			{mayAct && first !== undefined ? <Slip order={first.order_id} name={nameOfOrder(first)} /> : null}
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

const BoxFacts = ({ box }: { box: Box }): ReactNode => {
	const { city, state, postal_code, country } = box.ship_to;
	return (
		<Facts
			facts={[
				[words.boxes.status, <BoxState key="state" status={box.status} />],
				[words.boxes.tracking, box.tracking_number === null ? null : <TrackingLink key="tracking" box={box} />],
				[words.boxes.to, [city, state, postal_code, country].filter(Boolean).join(", ")],
				[words.boxes.brandOf, box.brand_code],
				[words.boxes.created, <Moment key="created" at={box.created_at} />],
				[words.boxes.labelled, momentOrNull(box.label_created_at)],
				[words.boxes.left, momentOrNull(box.shipped_at)],
				[words.boxes.voidedAt, momentOrNull(box.voided_at)],
			]}
		/>
	);
};

const momentOrNull = (at: string | null): ReactNode => (at === null ? null : <Moment at={at} />);

const OrdersOf = ({ box: { orders } }: { box: Box }): ReactNode => (
	<Table
		caption={words.boxes.orders}
		rows={orders}
		keyOf={({ order_id }) => order_id}
		columns={[
			{
				head: words.boxes.orders,
				cell: (order) => <Link to={`/orders/${order.order_id}`}>{nameOfOrder(order)}</Link>,
			},
			{ head: words.boxes.state, cell: ({ status }) => <OrderState status={status} hold_reason={null} /> },
			{
				head: words.boxes.pack,
				cell: (order) => (
					<Link to={`/warehouse/orders/${order.order_id}`}>
						{words.boxes.pack} {nameOfOrder(order)}
					</Link>
				),
			},
		]}
	/>
);

function ContentsOf({ box: { orders, items } }: { box: Box }): ReactNode {
	const names = new Map(orders.map((order) => [order.order_id, nameOfOrder(order)]));
	return (
		<Table
			caption={words.boxes.contents}
			rows={items.map((item, index) => ({ ...item, index }))}
			keyOf={({ index }) => String(index)}
			columns={[
				{ head: words.boxes.sku, cell: ({ sku }) => sku },
				{ head: words.boxes.qty, cell: ({ qty }) => qty, isNumber: true },
				{ head: words.boxes.orders, cell: ({ order_id }) => names.get(order_id) },
				{
					head: words.boxes.lots,
					cell: ({ lots }) =>
						lots.map(({ formula_id, batch_number, units }, index) => (
							<p key={`${formula_id} ${index}`} className="tight">
								{words.pack.ofLot(units)}{" "}
								<Link to={`/stock?q=${encodeURIComponent(batch_number)}`}>{batch_number}</Link>
							</p>
						)),
				},
			]}
		/>
	);
}
