import { enqueue } from "../../ground/jobs/enqueue.ts";
import { type Again, type JobAttempt, newJob } from "../../ground/jobs/job.ts";
import type { Log } from "../../ground/lib/log.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { DemandSettings } from "../demand/draw-units.ts";
import { comeAgain, pushAgain } from "./again.ts";
import { lookAgainMs } from "./box-state.ts";
import { followOrder } from "./follow-order.ts";
import { LOOK_AT_BOX, WITHDRAW_BOX } from "./job-names.ts";
import type { LabelBox, LabelPlatform, PushedOrder, PushOutcome } from "./label-platform.ts";
import type { OrdersSide } from "./orders-side.ts";
import { beginPush, endPush, insertBox, takePushesWith } from "./sql.ts";

export interface LabelDeps {
	readonly db: Database;
	readonly platform: LabelPlatform;
	readonly orders: OrdersSide;
	/** Receives reports of foreign boxes. */
	readonly demand: DemandSettings;
	readonly log: Log;
}

/**
 * Pushes one order. After a crash at any step, the next attempt finds out what was done: it searches the platform for
 * an unfinished push before creating anything.
 */
export async function pushOrder(deps: LabelDeps, orderId: string, attempt: JobAttempt): Promise<Again | undefined> {
	const { db, platform, orders } = deps;
	const [begun] = await beginPush(db, [orderId]);
	// it was pushed before, or must not be pushed any more
	if (begun === undefined) return await followOrder(deps, orderId, attempt);
	const [, generation, before] = begun;
	const again = before === "under_way";
	const content = await orders.readBox(orderId);
	if (content === null) return await withdraw(deps, { orderId, generation }, again, attempt);
	const box: LabelBox = { ...content, generation };
	const outcome = await platform.push(box, again, attempt.signal);
	if (outcome.outcome === "later") return pushAgain(outcome, attempt.number);
	await tellOrders(deps, box, outcome);
	await transaction(db, (tx) => recordPush(tx, box, outcome));
	return undefined;
}

/** Ends a push that is no longer wanted; a box that an earlier attempt may have created is cancelled. */
async function withdraw(
	{ db, platform }: LabelDeps,
	order: { readonly orderId: string; readonly generation: number },
	again: boolean,
	{ signal, number }: JobAttempt,
): Promise<Again | undefined> {
	const found = again ? await platform.find(order, signal) : null;
	if (isRefusal(found)) return comeAgain(found, number);
	await transaction(db, async (tx) => {
		await endPush(tx, [plainArray([order.orderId]), "withdrawn", found, null]);
		if (found !== null) await enqueue(tx, [newJob(WITHDRAW_BOX, found, { ...order, platformId: found })]);
	});
	return undefined;
}

/** The message to a partner about an order that the platform rejects for internal reasons. */
const NOT_ACCEPTED = "The label platform does not accept this order.";

/** Called before the outcome is recorded, so that it is called again after a crash in between. */
async function tellOrders({ orders, log }: LabelDeps, box: LabelBox, outcome: PushOutcome): Promise<void> {
	if (outcome.outcome !== "address_refused" && outcome.outcome !== "refused") return;
	const orderIds = box.orders.map(({ orderId }) => orderId);
	const answer = await orders.applyChange({
		kind: "not_accepted",
		changeId: `push:${orderIds[0]}:${box.generation}`,
		orderIds,
		// only address errors are quoted, because partners can correct addresses; all other messages of the platform
		// are stored with the push
		...(outcome.outcome === "refused"
			? { reason: "label_error", detail: NOT_ACCEPTED }
			: { reason: "address_invalid", detail: outcome.detail }),
	});
	// for example, it was picked meanwhile; the push stores the platform's message
	if (isRefusal(answer))
		log.warn("an order rejected by the label platform could not be put on hold", { reason: answer.message });
}

async function recordPush(tx: Query, box: LabelBox, outcome: PushOutcome): Promise<void> {
	const ids = plainArray(box.orders.map(({ orderId }) => orderId));
	const [{ orderId }, ...rest] = box.orders;
	const others = rest.map((order) => order.orderId);
	switch (outcome.outcome) {
		case "taken":
			await endPush(tx, [ids, "taken", outcome.platformId, null]);
			if (others.length > 0) await takePushesWith(tx, [plainArray(others), outcome.platformId]);
			await insertBox(tx, [outcome.platformId, lookAgainMs("awaiting", false)]);
			// the box may have existed for some time and changed since
			await enqueue(tx, [newJob(LOOK_AT_BOX, outcome.platformId, { platformId: outcome.platformId })]);
			return;
		case "not_needed":
			await endPush(tx, [ids, "withdrawn", null, null]);
			return;
		case "address_refused": {
			const { platformId, detail } = outcome;
			await endPush(tx, [ids, "address_refused", platformId, detail]);
			const { generation } = box;
			if (platformId !== null)
				await enqueue(tx, [newJob(WITHDRAW_BOX, platformId, { orderId, generation, platformId })]);
			return;
		}
		case "refused":
			await endPush(tx, [ids, "refused", null, outcome.detail]);
			return;
		case "later":
			return;
	}
}

/** Cancels a box that must not ship because its order was put on hold or cancelled before the platform had answered. */
export async function withdrawBox(
	{ platform }: LabelDeps,
	order: PushedOrder,
	{ signal, number }: JobAttempt,
): Promise<Again | undefined> {
	const answer = await platform.cancel(order, signal);
	return isRefusal(answer) ? comeAgain(answer, number) : undefined;
}
