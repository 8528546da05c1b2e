import { type ReactNode, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { CallError, type DataOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { BoxDialog, type BoxTask, mayShip } from "../boxes/box-dialog.tsx";
import { Slip } from "../boxes/slip.tsx";
import { OrderState } from "../orders/state.tsx";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { Address } from "./address.tsx";
import { Alarm } from "./alarm.tsx";
import { findNamedOrder } from "./find-order.ts";
import { nameOfOrder } from "./order-name.ts";
import { PackBoxes } from "./pack-boxes.tsx";
import { PackItems } from "./pack-items.tsx";
import { PartnerTold } from "./partner-told.tsx";
import { PickButton } from "./pick-button.tsx";
import { useScanner } from "./scanner.ts";

type PackedOrder = DataOf<"get_order">;

/** One order at the packing table: what goes into its box, where it goes, and its boxes. */
export default function Pack({ me }: { me: Me }): ReactNode {
	const { id = "" } = useParams();
	const { data: order, error, isPlaceholderData, refetch } = useRead("get_order", { params: { id } });
	const retry = (): void => void refetch();
	// the order before must not be taken for this one
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
	const [said, setSaid] = useState<string | null>(null);
	const alarm = useScans(order, mayWrite, setTask, setSaid);
	return (
		<Page
			title={words.pack.title(name)}
			actions={
				<>
					<Link className="button" to={`/orders/${order.order_id}`}>
						{words.pack.whole}
					</Link>
					<Link className="button" to="/warehouse">
						{words.walk.back}
					</Link>
				</>
			}
		>
			<Alarm text={alarm} />
			{said === null ? null : (
				<p className="good" role="status">
					{said}
				</p>
			)}
			<OrderFacts order={order} />
			<PackItems order={order} />
			{mayWrite ? <PickButton order={order} /> : null}
			{mayWrite && order.status !== "cancelled" ? <Slip order={order.order_id} name={name} /> : null}
			<PackBoxes order={order} start={mayWrite ? setTask : null} />
			<PartnerTold order={order.order_id} />
			<p className="hint">{words.pack.scanHint}</p>
			{task === null ? null : (
				<BoxDialog
					task={task}
					onClose={() => setTask(null)}
					onDone={(text) => {
						setTask(null);
						setSaid(text);
					}}
				/>
			)}
		</Page>
	);
}

const OrderFacts = ({ order }: { order: PackedOrder }): ReactNode => (
	<>
		{order.note === null ? null : (
			<p className="note">
				<span className="strong">{words.pack.note}</span> {order.note}
			</p>
		)}
		<Facts
			facts={[
				[words.pack.status, <OrderState key="state" status={order.status} hold_reason={order.hold_reason} />],
				[words.pack.address, <Address key="address" customer={order.customer} />],
				[words.pack.service, order.service_level],
				[words.pack.partner, order.partner],
				[words.pack.placed, <Moment key="placed" at={order.placed_at} />],
			]}
		/>
		{order.status === "held" ? (
			<p className="wrong">
				{words.pack.held} {order.hold_detail}
			</p>
		) : null}
	</>
);

/**
 * A scan opens another order, confirms a batch of this one, or is the tracking number under which its box ships.
 * Returns what is wrong with the last scan.
 */
function useScans(
	order: PackedOrder,
	mayWrite: boolean,
	start: (task: BoxTask) => void,
	say: (text: string | null) => void,
): string | null {
	const navigate = useNavigate();
	const [alarm, setAlarm] = useState<string | null>(null);
	const scan = async (code: string): Promise<void> => {
		setAlarm(null);
		say(null);
		if (hasBatch(order, code)) return say(words.pack.rightBatch(code));
		const id = await findNamedOrder(code);
		if (id === order.order_id) return say(words.pack.same);
		if (id !== null) return navigate(`/warehouse/orders/${id}`);
		const box = mayWrite ? order.shipments.find(mayShip) : undefined;
		if (box === undefined) setAlarm(words.pack.unknown(code));
		else start({ verb: "ship", box, tracking: code });
	};
	useScanner((code) => {
		scan(code).catch((error: unknown) => {
			if (!(error instanceof CallError)) throw error;
			setAlarm(error.message);
		});
	});
	return alarm;
}

const hasBatch = ({ items }: PackedOrder, code: string): boolean =>
	items.some(({ components }) =>
		components.some(({ lots }) => lots.some(({ batch_number, fg_id }) => code === batch_number || code === fg_id)),
	);
