import type { Executes } from "../../ground/engine/kind.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { selectBoxesOf } from "../orders/box-sql.ts";
import { voidShipmentById } from "../orders/change-named.ts";
import type { ORDER_COMMANDS } from "../orders/commands.ts";
import { selectOrder, selectShipment } from "../orders/find-order-sql.ts";
import { nameOf } from "../orders/named-order.ts";
import { itemsOf } from "../orders/shipment-reply.ts";
import { type BoxStep, type OurBox, paperSteps, voidSteps } from "./box-steps.ts";
import type { PlatformBox } from "./label-platform.ts";
import type { BoxChange } from "./orders-side.ts";
import { selectPushes, withdrawTaken } from "./sql.ts";

/** The actor in the ledger for units moved because of platform changes. */
const ORIGIN = { actor: "system:label-platform", requestId: null } as const;

export interface ApplyDeps {
	readonly db: Database;
	readonly engine: Executes<typeof ORDER_COMMANDS>;
}

type Applied = "applied" | "already" | Refusal;

/**
 * Applies a change made on the label platform. The steps follow from the current state of both sides, so the same
 * change may arrive any number of times, and an interrupted one is completed by the next.
 */
export const applyChange = (deps: ApplyDeps, change: BoxChange): Promise<Applied> =>
	change.kind === "box"
		? applyBox(deps, change.box)
		: holdOrders(deps, change.orderIds, { reason: change.reason, detail: change.detail });

async function applyBox(deps: ApplyDeps, seen: PlatformBox): Promise<Applied> {
	if (seen.stage === "cancelled") return await takeBack(deps, seen);
	const voids = voidSteps(seen, await readBoxes(deps.db, seen.orderIds));
	for (const step of voids) {
		const answer = unlessPassing(await run(deps, step, seen));
		if (isRefusal(answer)) return answer;
	}
	const steps = paperSteps(seen, await readBoxes(deps.db, seen.orderIds));
	if (isRefusal(steps)) return steps;
	for (const step of steps) {
		const answer = unlessPassing(await run(deps, step, seen));
		if (isRefusal(answer)) return answer;
	}
	return voids.length + steps.length === 0 ? "already" : "applied";
}

async function run(
	{ db, engine }: ApplyDeps,
	step: BoxStep,
	{ carrierCode, serviceCode, trackingNumber }: PlatformBox,
) {
	switch (step.step) {
		case "void":
			return await voidShipmentById({ db, engine }, step.shipmentId, ORIGIN);
		case "label": {
			const { orderId, trackingNumber: number } = step;
			return await engine.execute({ kind: "createLabel", orderId, carrierCode, serviceCode, trackingNumber: number });
		}
		case "ship": {
			const { orders, items } = step;
			const parcel = { carrierCode, serviceCode, trackingNumber, newShipmentId: newId() };
			return await engine.execute({ kind: "ship", origin: ORIGIN, orders, items, ...parcel });
		}
	}
}

/** Every box that these orders are or were in, once each. */
async function readBoxes(db: Database, orderIds: readonly string[]): Promise<OurBox[]> {
	const { rows } = await selectBoxesOf(db, orderIds);
	const boxes = new Map(rows.map((box) => [box.shipmentId, box]));
	return await Promise.all(
		[...boxes.values()].map(async ({ shipmentId, orders }) => {
			const record = await selectShipment(db, shipmentId);
			const { status, trackingNumber } = record.shipment;
			const items = itemsOf(record).map(({ order_id, sku, qty }) => ({ orderId: order_id, sku, qty }));
			return { shipmentId, status, trackingNumber, items, orders: orders.map(nameOf) };
		}),
	);
}

/** A waiting box was cancelled on the platform: its orders are put on hold, and pushed again once released. */
async function takeBack(deps: ApplyDeps, { platformId, orderIds }: PlatformBox): Promise<Applied> {
	const pushes = await selectPushes(deps.db, [plainArray(orderIds)]);
	const there = pushes.filter(([_orderId, _generation, state, inBox]) => state === "taken" && inBox === platformId);
	if (there.length === 0) return "already";
	const ids = there.map(([orderId]) => orderId);
	const held = await holdOrders(deps, ids, { reason: "label_error", detail: "The label platform cancelled the box." });
	if (isRefusal(held)) return held;
	for (const [orderId, generation] of there) await withdrawTaken(deps.db, [orderId, generation]);
	return "applied";
}

interface Why {
	readonly reason: Extract<BoxChange, { kind: "not_accepted" }>["reason"];
	readonly detail: string;
}

async function holdOrders({ db, engine }: ApplyDeps, orderIds: readonly string[], why: Why): Promise<Applied> {
	let done: Applied = "already";
	for (const orderId of orderIds) {
		const status = (await selectOrder(db, orderId))?.order.status;
		if (status === "held" || status === "cancelled") continue;
		const answer = unlessPassing(await engine.execute({ kind: "holdOrder", orderId, ...why }));
		if (isRefusal(answer)) return answer;
		done = "applied";
	}
	return done;
}

/** Refusals that are caused by concurrent work. */
const PASSING: ReadonlySet<string> = new Set(["retry", "rate_limited", "hold_race"]);

/**
 * Returns an answer that an immediate retry would not change. @throws for any other, so that the job is retried soon
 */
function unlessPassing<A>(answer: A | Refusal): A | Refusal {
	if (isRefusal(answer) && PASSING.has(answer.refusal))
		throw new Error(`the change was not made yet: ${answer.message}`);
	return answer;
}
