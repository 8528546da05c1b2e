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

/** What the work with the label platform is done with. */
export interface LabelDeps {
	readonly db: Database;
	readonly platform: LabelPlatform;
	readonly orders: OrdersSide;
	/** Where orders of other stores go. */
	readonly demand: DemandSettings;
	readonly log: Log;
}

/**
 * Hands one order over. Whatever happens between two steps, the next attempt finds out what was done: a push that was
 * begun is looked for at the platform before anything is made there.
 */
export async function pushOrder(deps: LabelDeps, orderId: string, attempt: JobAttempt): Promise<Again | undefined> {
	const { db, platform, orders } = deps;
	const [begun] = await beginPush(db, [orderId]);
	if (begun === undefined) return await followOrder(deps, orderId, attempt); // it was taken, or is not to be handed over any more
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

/** The order is not to be handed over any more; what an earlier push may have made is cancelled. */
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

/** What a partner is told of an order that the platform does not accept for a reason of its own. */
const NOT_ACCEPTED = "The label platform does not accept this order.";

/** Before the outcome is noted, so that it is told again when the service ends between the two. */
async function tellOrders({ orders, log }: LabelDeps, box: LabelBox, outcome: PushOutcome): Promise<void> {
	if (outcome.outcome !== "address_refused" && outcome.outcome !== "refused") return;
	const orderIds = box.orders.map(({ orderId }) => orderId);
	const answer = await orders.applyChange({
		kind: "not_accepted",
		changeId: `push:${orderIds[0]}:${box.generation}`,
		orderIds,
		// partners mend addresses, so they are told what is wrong with one; all other words of the platform stay with
		// the push
		...(outcome.outcome === "refused"
			? { reason: "label_error", detail: NOT_ACCEPTED }
			: { reason: "address_invalid", detail: outcome.detail }),
	});
	// it was picked meanwhile, for instance; the push keeps the platform's words
	if (isRefusal(answer))
		log.warn("an order that the label platform did not accept is not on hold", { reason: answer.message });
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
			// it may have been taken long ago, and much may have happened there since
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

/**
 * Has a box cancelled that must not be shipped: its order went on hold, or was cancelled, before the platform had
 * answered.
 */
export async function withdrawBox(
	{ platform }: LabelDeps,
	order: PushedOrder,
	{ signal, number }: JobAttempt,
): Promise<Again | undefined> {
	const answer = await platform.cancel(order, signal);
	return isRefusal(answer) ? comeAgain(answer, number) : undefined;
}
