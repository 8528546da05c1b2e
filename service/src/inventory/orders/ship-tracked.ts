import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import { selectBoxesOf } from "./box-sql.ts";
import { findNamedOrders } from "./find-order.ts";
import { type NamedOrder, nameOf } from "./named-order.ts";
import type { Parcel } from "./parcel.ts";
import {
	planTracked,
	type TrackedOrder,
	type TrackedParcel,
	type TrackedStep,
	type WrongParcel,
} from "./plan-tracked.ts";
import type { ShipCommand, Shipped } from "./ship.ts";
import { isWaiting } from "./shipment.ts";

/** A parcel of a list, with its order and box, as JSON. */
export interface TrackedLine extends NamedOrder, Parcel, Pick<TrackedStep, "step" | "shipmentId"> {
	/** The order's name in the list. */
	readonly name: string;
}

export interface TrackedOutcome {
	readonly outcome: "shipped" | "unchanged" | "refused";
	/** The box; null if refused. */
	readonly shipmentId: string | null;
	/** The reason if it was refused; otherwise null. */
	readonly message: string | null;
}

/** The lines of a list of parcels, and all its errors. `sameParcel`: two boxes may share a tracking number. */
export async function lookAtTracked(
	db: Query,
	parcels: readonly TrackedParcel[],
	sameParcel: boolean,
): Promise<{ readonly lines: readonly TrackedLine[]; readonly wrong: readonly WrongParcel[] }> {
	const { steps, wrong } = planTracked(parcels, await readTracked(db, parcels), sameParcel);
	if (wrong.length > 0) return { lines: [], wrong };
	const lines = steps.map(({ step, order, shipmentId }, index) => {
		const { name, carrierCode, serviceCode, trackingNumber } = must(parcels[index], "the parcel of a step");
		return { name, ...nameOf(order), step, shipmentId, carrierCode, serviceCode, trackingNumber };
	});
	return { lines, wrong };
}

interface ShipDeps {
	readonly db: Query;
	/** Runs commands together and returns the answer to each. */
	readonly execute: (commands: readonly ShipCommand[]) => Promise<readonly unknown[]>;
}

/** Attempts per box: it is read again if it was repacked meanwhile. */
const MAX_READS = 4;

/**
 * Ships the boxes of some lines, each as a whole, except boxes already shipped under their tracking number. A box that
 * cannot be shipped does not affect the others.
 */
export async function shipTracked(
	deps: ShipDeps,
	lines: readonly TrackedLine[],
	origin: Origin,
): Promise<TrackedOutcome[]> {
	const outcomes = new Map<TrackedLine, TrackedOutcome>();
	let waiting = lines.filter(({ step }) => step === "ship");
	for (let reads = 1; waiting.length > 0; reads++) {
		const answers = await shipEach(deps, waiting, origin);
		for (const [line, answer] of answers) outcomes.set(line, outcomeOf(answer));
		const repacked = answers.filter(([, answer]) => isRefusal(answer) && answer.refusal === "retry");
		waiting = reads === MAX_READS ? [] : repacked.map(([line]) => line);
	}
	const unchanged = ({ shipmentId }: TrackedLine) => ({ outcome: "unchanged", shipmentId, message: null }) as const;
	return lines.map((line) => outcomes.get(line) ?? unchanged(line));
}

/** If an order waits in no box, the engine gets just the order, and its refusal says why. */
async function shipEach({ db, execute }: ShipDeps, lines: readonly TrackedLine[], origin: Origin) {
	const { rows } = await selectBoxesOf(
		db,
		lines.map(({ orderId }) => orderId),
	);
	const boxes = new Map(rows.filter(isWaiting).map((box) => [box.ofOrder, box]));
	const commands = lines.map(({ orderId, token, carrierCode, serviceCode, trackingNumber }): ShipCommand => {
		const orders = boxes.get(orderId)?.orders.map(nameOf) ?? [{ orderId, token }];
		const parcel = { carrierCode, serviceCode, trackingNumber };
		return { kind: "ship", origin, orders, items: null, ...parcel, newShipmentId: newId() };
	});
	const answers = (await execute(commands)) as readonly (Shipped | Refusal)[];
	return lines.map((line, index) => [line, must(answers[index], "the answer of a ship")] as const);
}

const outcomeOf = (answer: Shipped | Refusal): TrackedOutcome =>
	isRefusal(answer)
		? { outcome: "refused", shipmentId: null, message: answer.message }
		: { outcome: "shipped", shipmentId: answer.shipmentId, message: null };

async function readTracked(
	db: Query,
	parcels: readonly TrackedParcel[],
): Promise<(name: string) => TrackedOrder | Refusal> {
	const found = await findNamedOrders(
		db,
		parcels.map(({ name }) => name),
	);
	const orderIds = new Set<string>();
	for (const order of found.values()) if (!isRefusal(order)) orderIds.add(order.orderId);
	const { rows } = await selectBoxesOf(db, [...orderIds]);
	const boxes = Map.groupBy(rows, ({ ofOrder }) => ofOrder);
	return (name) => {
		const order = found.get(name) ?? refuse("order_not_found", `There is no order ${JSON.stringify(name)}.`);
		return isRefusal(order) ? order : { ...order, boxes: boxes.get(order.orderId) ?? [] };
	};
}
