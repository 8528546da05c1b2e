/**
 * The people who work at the label platform and those who put orders on hold in Holdfast; and the contradictions that
 * are left at the end.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { PlatformServer } from "../../../service/test/platform/server.ts";
import type { PlatformWorld, WorldLabel, WorldShipment } from "../../../service/test/platform/world.ts";
import { createChance } from "../chance.ts";
import type { Ground } from "../ground/types.ts";
import type { Buyers } from "./label-orders.ts";
import { holdfast } from "./town.ts";

const WORK_EVERY_MS = 300;
const HOLD_EVERY_MS = 4_000;
/** Share of notifications that arrive. */
const NOTIFIED = 0.5;
const SEED = 23;

export interface Desk {
	/** Orders whose hold was acknowledged. */
	readonly held: ReadonlySet<string>;
	close(): Promise<void>;
}

export function openDesk(
	ground: Ground,
	{ world, url }: PlatformServer,
	secret: string,
	{ placed, cancelled }: Buyers,
): Desk {
	const chance = createChance(SEED);
	const held = new Set<string>();
	const ending = new AbortController();
	const pause = (ms: number) => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined);
	world.onEvent = (_type, path) => {
		if (ending.signal.aborted || !chance.happens(NOTIFIED)) return;
		const body = JSON.stringify({ resource_url: `${url}/v2${path}`, resource_type: "ANY" });
		// the sweep finds the changes whose notifications were lost
		fetch(`${chance.pick(ground.nodes).api}/hooks/shipstation/${secret}`, { method: "POST", body }).catch(
			() => undefined,
		);
	};
	const pack = async (): Promise<void> => {
		while (!ending.signal.aborted) {
			const pending = [...world.shipments.values()].filter(({ shipment_status: status }) => status === "pending");
			const waiting = world.labels.filter(({ tracking_status: status }) => status === "unknown");
			if (pending.length > 0 && chance.happens(0.5)) world.buyLabel(chance.pick(pending).shipment_id);
			if (waiting.length > 0 && chance.happens(0.7)) world.scan(chance.pick(waiting));
			await pause(WORK_EVERY_MS);
		}
	};
	const hold = async (): Promise<void> => {
		while (!ending.signal.aborted) {
			await pause(HOLD_EVERY_MS);
			const open = [...placed].filter((orderId) => !cancelled.has(orderId) && !held.has(orderId));
			if (ending.signal.aborted || open.length === 0) continue;
			const orderId = open.at(-1) ?? "";
			if ((await holdfast(ground, "orders", "hold", orderId, "--json")).code === 0) held.add(orderId);
		}
	};
	const working = Promise.all([pack(), hold()]);
	return {
		held,
		close: async () => {
			ending.abort();
			await working;
		},
	};
}

/** An order in the tables, with its boxes except cancelled ones. */
interface OrderHere {
	readonly orderId: string;
	readonly status: string;
	readonly boxes: readonly { readonly status: string; readonly tracking: string | null }[];
}

const ORDERS = `
	select o.order_id as "orderId", o.status,
	       coalesce(jsonb_agg(jsonb_build_object('status', s.status, 'tracking', s.tracking_number)) filter (where s.shipment_id is not null), '[]') as boxes
	  from orders o left join shipment s on s.shipment_id = any(o.shipment_ids) and s.status <> 'cancelled' group by 1, 2`;

/** One line for each order on which the platform and the tables disagree. */
export async function contradictionsIn(
	db: pg.Pool,
	{ shipments, labels }: PlatformWorld,
	{ held }: Desk,
	{ placed, cancelled }: Buyers,
): Promise<string[]> {
	const { rows } = await db.query<OrderHere>(ORDERS);
	const here = new Map(rows.map((order) => [order.orderId, order]));
	const there = [...shipments.values()].filter(({ shipment_status: status }) => status !== "cancelled");
	const labelOf = new Map(labels.map((label) => [label.shipment_id, label]));
	return [...new Set([...placed, ...here.keys()])].flatMap((orderId) => {
		const order = here.get(orderId);
		if (order === undefined) return [`order ${orderId} was acknowledged, but does not exist`];
		if (cancelled.has(orderId) && order.status !== "cancelled")
			return [`order ${orderId} was acknowledged as cancelled, but is ${order.status}`];
		const own = there.filter(({ external_shipment_id: id }) => id?.startsWith(orderId));
		const [shipment] = own;
		// an order that was held before its push is pushed when it is released
		const wanted = order.status === "cancelled" || (order.status === "held" && shipment === undefined) ? 0 : 1;
		if (own.length !== wanted) return [`${order.status} order ${orderId} has ${own.length} shipments at the platform`];
		return shipment === undefined ? [] : judgeShipment(order, shipment, labelOf.get(shipment.shipment_id), held);
	});
}

function judgeShipment(
	{ orderId, status, boxes }: OrderHere,
	{ shipment_status: thereIs }: WorldShipment,
	label: WorldLabel | undefined,
	held: ReadonlySet<string>,
): string[] {
	// An order that was held after its label existed may leave or not: both sides keep their state.
	if (held.has(orderId) && label !== undefined) return [];
	if (status === "held") return thereIs === "on_hold" ? [] : [`held order ${orderId} is ${thereIs} at the platform`];
	const expected =
		label === undefined ? "awaiting_shipment" : label.tracking_status === "unknown" ? "label_created" : "shipped";
	const right = boxes.some(
		(box) => box.status === expected && (label === undefined || box.tracking === label.tracking_number),
	);
	return right
		? []
		: [`${status} order ${orderId} is in ${JSON.stringify(boxes)}, expected ${expected} from the platform's data`];
}
