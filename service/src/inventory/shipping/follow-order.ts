import type { Again, JobAttempt } from "../../ground/jobs/job.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Log } from "../../ground/lib/log.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { comeAgain } from "./again.ts";
import type { LabelPlatform, PushedOrder } from "./label-platform.ts";
import type { OrdersSide } from "./orders-side.ts";
import { endStop, noteStop, selectDayAhead, selectStop, withdrawTaken } from "./sql.ts";

/** Days for which a box is stopped: the platform requires a date and releases the box by itself on that day. */
const STOP_DAYS = 365;
/** Milliseconds until an order that is being pushed is checked again. */
const UNDER_WAY_MS = 10_000;
/** The message to the operator about a box that could not be stopped. */
const TOO_LATE =
	"It was too late to stop this box at the label platform: it has its label, or was cancelled. The order is on hold in Holdfast nevertheless: void the label at the platform.";

export interface FollowDeps {
	readonly db: Database;
	readonly platform: Pick<LabelPlatform, "stop" | "letGoOn" | "cancel">;
	readonly orders: Pick<OrdersSide, "wishOf">;
	readonly log: Log;
}

/**
 * Stops an order's box on the platform while an order in it is on hold in Holdfast, and releases it afterwards. Cancels
 * the box if its order was cancelled in Holdfast while the push was in flight. Steps follow from the current state, so
 * several of these jobs may run at the same time; one that was overtaken by a change of the order runs again. A box
 * stopped only by somebody on the platform is left alone.
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
	if (state === "under_way") return { afterMs: UNDER_WAY_MS, why: "the order is being transferred" };
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
 * The stop is recorded before the request, so that after a crash it is known that the box may be stopped because of us.
 * It is recorded again after any answer: a concurrent release may have run before the stop took effect, and must not
 * count as the end of the stop.
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
		log.warn("the box of a held order could not be stopped at the label platform", { reason: `order ${orderId}` });
	return undefined;
}
