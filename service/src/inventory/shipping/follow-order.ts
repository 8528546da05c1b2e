import type { Again, JobAttempt } from "../../ground/jobs/job.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Log } from "../../ground/lib/log.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { comeAgain } from "./again.ts";
import type { LabelPlatform, PushedOrder } from "./label-platform.ts";
import type { OrdersSide } from "./orders-side.ts";
import { endStop, noteStop, selectDayAhead, selectStop, withdrawTaken } from "./sql.ts";

/** Days that a box is asked to stand still: the platform wants a day, and lets the box go on by itself then. */
const STOP_DAYS = 365;
/** Milliseconds after which an order that is being handed over is looked at again. */
const UNDER_WAY_MS = 10_000;
/** What the operator is told of a box that could not be stopped. */
const TOO_LATE =
	"It was too late to stop this box there: it has its label, or was cancelled. The order is on hold here all the same: void the label there.";

export interface FollowDeps {
	readonly db: Database;
	readonly platform: Pick<LabelPlatform, "stop" | "letGoOn" | "cancel">;
	readonly orders: Pick<OrdersSide, "wishOf">;
	readonly log: Log;
}

/**
 * Has the box of an order stand still at the platform while an order in it is on hold here, and go on afterwards; and
 * cancels it when its order was cancelled here though the platform has it: it was handed over between the question and
 * the cancellation. What is to be done follows from how it is now, so any number of these may be under way: whoever was
 * overtaken by a change of the order comes again. A box that somebody stopped there, and nobody here, is left alone.
 */
export async function followOrder(
	deps: FollowDeps,
	orderId: string,
	{ signal, number }: JobAttempt,
): Promise<Again | undefined> {
	const { db, platform, orders } = deps;
	const [push] = await selectStop(db, [orderId]);
	if (push === undefined) return undefined;
	const [, generation, state, platformId, stoppedAt] = push;
	if (state === "under_way") return { afterMs: UNDER_WAY_MS, why: "the order is being handed over" };
	if (state !== "taken" || platformId === null) return undefined;
	const order: PushedOrder = { orderId, generation, platformId };
	const wish = await orders.wishOf(orderId);
	if (wish === "not_ship") return await cancelBox(deps, order, { signal, number });
	if (wish === "stand_still") return await stopBox(deps, order, { signal, number });
	if (stoppedAt === null) return undefined;
	const answer = await platform.letGoOn(order, signal);
	if (isRefusal(answer)) return comeAgain(answer, number);
	await endStop(db, [orderId, stoppedAt, null]);
	return (await orders.wishOf(orderId)) === "go" ? undefined : OVERTAKEN;
}

const OVERTAKEN: Again = { afterMs: 0, why: "the order changed meanwhile" };

async function cancelBox(
	{ db, platform }: FollowDeps,
	order: PushedOrder,
	{ signal, number }: JobAttempt,
): Promise<Again | undefined> {
	const answer = await platform.cancel(order, signal);
	if (isRefusal(answer)) return comeAgain(answer, number);
	await withdrawTaken(db, [order.orderId, order.generation]);
	return undefined;
}

/**
 * The wish is noted first: should the service end afterwards, it is known that the box may stand still because of us.
 * It is noted once more when the platform has answered, whatever it said: whoever let the box go on meanwhile may have
 * been there before it stood still, and must not take it for done.
 */
async function stopBox(
	{ db, platform, orders, log }: FollowDeps,
	order: PushedOrder,
	{ signal, number }: JobAttempt,
): Promise<Again | undefined> {
	const { orderId } = order;
	await noteStop(db, [orderId]);
	const [[until] = [""]] = await selectDayAhead(db, [STOP_DAYS]);
	const answer = await platform.stop(order, until, signal);
	const [noted] = await noteStop(db, [orderId]);
	const [stoppedAt] = must(noted, "the push of an order that was taken");
	if (isRefusal(answer)) return comeAgain(answer, number);
	const wish = await orders.wishOf(orderId);
	if (answer === "too_late") await endStop(db, [orderId, stoppedAt, wish === "stand_still" ? TOO_LATE : null]);
	if (wish !== "stand_still") return OVERTAKEN;
	if (answer === "too_late")
		log.warn("an order that is on hold could not be stopped at the label platform", { reason: `order ${orderId}` });
	return undefined;
}
