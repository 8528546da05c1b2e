import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import { selectBoxesOf } from "./box-sql.ts";
import { type OperatorDeps, shipBoxOf } from "./change-named.ts";
import { findNamedOrders } from "./find-order.ts";
import {
	planTracked,
	type TrackedOrder,
	type TrackedParcel,
	type TrackedStep,
	type WrongParcel,
} from "./plan-tracked.ts";

/** Boxes shipped concurrently. */
const AT_ONCE = 50;

export interface TrackedOutcome {
	readonly orderId: string;
	readonly outcome: "shipped" | "unchanged" | "refused";
	/** The box; null if refused. */
	readonly shipmentId: string | null;
	/** The reason if it was refused; otherwise null. */
	readonly message: string | null;
}

export interface TrackedOptions {
	/** Two boxes may share a tracking number. */
	readonly sameParcel?: boolean;
	/** Called with the number of parcels just processed. */
	readonly onShipped?: (more: number) => void;
}

/**
 * Ships the boxes of a list of parcels under their tracking numbers. If any entry is invalid, nothing is changed. Boxes
 * already shipped under their number are left alone, so a list may be submitted again.
 */
export async function shipTracked(
	{ db, engine }: Pick<OperatorDeps, "db" | "engine">,
	parcels: readonly TrackedParcel[],
	origin: Origin,
	{ sameParcel = false, onShipped = () => undefined }: TrackedOptions = {},
): Promise<{ readonly wrong: readonly WrongParcel[] } | { readonly outcomes: readonly TrackedOutcome[] }> {
	const orderOf = await readTracked(db, parcels);
	const { steps, wrong } = planTracked(parcels, orderOf, sameParcel);
	if (wrong.length > 0) return { wrong };
	const outcomes: TrackedOutcome[] = [];
	const shipOne = async ({ step, order, shipmentId }: TrackedStep, parcel: TrackedParcel): Promise<TrackedOutcome> => {
		const { orderId } = order;
		if (step === "none") return { orderId, outcome: "unchanged", shipmentId, message: null };
		const { carrierCode, serviceCode, trackingNumber } = parcel;
		const asked = { kind: "ship", origin, items: null, carrierCode, serviceCode, trackingNumber } as const;
		const answer = await shipBoxOf({ db, engine }, order, asked);
		return isRefusal(answer)
			? { orderId, outcome: "refused", shipmentId: null, message: answer.message }
			: { orderId, outcome: "shipped", shipmentId: answer.shipmentId, message: null };
	};
	for (let from = 0; from < steps.length; from += AT_ONCE) {
		const some = steps.slice(from, from + AT_ONCE);
		const done = await Promise.all(some.map((step, i) => shipOne(step, parcels[from + i] as TrackedParcel)));
		outcomes.push(...done);
		onShipped(done.length);
	}
	// further lines of a refused box get the same result
	const refused = new Map(outcomes.flatMap((one, i) => (one.message === null ? [] : [[steps[i]?.shipmentId, one]])));
	return {
		outcomes: outcomes.map((one, i) => ({ ...(refused.get(steps[i]?.shipmentId) ?? one), orderId: one.orderId })),
	};
}

/** All errors in a list of parcels. Changes nothing. */
export async function wrongInTracked(
	db: Query,
	parcels: readonly TrackedParcel[],
	{ sameParcel = false }: TrackedOptions = {},
): Promise<readonly WrongParcel[]> {
	return planTracked(parcels, await readTracked(db, parcels), sameParcel).wrong;
}

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
