import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { LabelPlatform, PlatformRefusal, PushedOrder } from "./label-platform.ts";
import { cancelStep, combineStep, type LabelPush } from "./push-state.ts";
import { moveIntoBox, selectPushes, withdrawTaken, withdrawWanted } from "./sql.ts";

/** Milliseconds within which a partner's request that waits for the platform is answered. */
const ANSWER_WITHIN_MS = 12_000;

/** Dependencies of requests to the platform; never a transaction, because the platform may be slow. */
export interface AskDeps {
	readonly db: Query;
	readonly platform: LabelPlatform;
}

/**
 * Cancels an order's box on the platform, if the platform has it, before the order is cancelled in Holdfast. `free`:
 * the platform will not ship the order, so it may be cancelled in Holdfast. After a refusal nothing has changed in
 * Holdfast (settlements, section 6). `isShared`: other orders are in the box, of which `orderId` is the primary one. An
 * order can leave it in Holdfast only if the platform does not have the box. `kits`: as of LabelPlatform.cancel.
 */
export async function askPlatformToCancel(
	{ db, platform }: AskDeps,
	orderId: string,
	{ isShared = false, kits }: { readonly isShared?: boolean; readonly kits?: number } = {},
): Promise<"free" | PlatformRefusal> {
	const push = (await pushesOf(db, [orderId])).get(orderId) ?? null;
	switch (cancelStep(push)) {
		case "free":
			return "free";
		case "wait":
			return underWay();
		case "withdraw": {
			const withdrawn = await withdrawWanted(db, [plainArray([orderId])]);
			return withdrawn.length > 0 ? "free" : underWay();
		}
		case "ask": {
			if (isShared)
				return refuse(
					"shipstation_error",
					"The label platform has this order in one box with others; nothing was changed. Ask the operator if this continues.",
				);
			const order = pushed(push);
			const answer = await platform.cancel(order, AbortSignal.timeout(ANSWER_WITHIN_MS), kits);
			if (isRefusal(answer)) return answer;
			await withdrawTaken(db, [order.orderId, order.generation]);
			return "free";
		}
	}
}

/**
 * Combines orders on the platform before they are combined in Holdfast. `free`: the platform has none of them, and none
 * is pushed until they are combined in Holdfast, which pushes their shared box. `combined`: they are in the primary
 * order's box.
 */
export async function askPlatformToCombine(
	{ db, platform }: AskDeps,
	primaryId: string,
	otherIds: readonly string[],
): Promise<"free" | "combined" | PlatformRefusal> {
	const pushes = await pushesOf(db, [primaryId, ...otherIds]);
	const all = [primaryId, ...otherIds].map((id) => pushes.get(id) ?? null);
	const step = combineStep(all);
	if (step === "free") {
		const ids = [...pushes.values()].filter(({ state }) => state === "wanted").map(({ orderId }) => orderId);
		const withdrawn = await withdrawWanted(db, [plainArray(ids)]);
		return withdrawn.length === ids.length ? "free" : underWay();
	}
	if (step === "wait") return underWay();
	const [primary, ...others] = all.map(pushed) as [PushedOrder, ...PushedOrder[]];
	const answer = await platform.combine(primary, others, AbortSignal.timeout(ANSWER_WITHIN_MS));
	if (isRefusal(answer)) return answer;
	await moveIntoBox(db, [plainArray(otherIds), primary.platformId]);
	return "combined";
}

const underWay = (): PlatformRefusal =>
	refuse(
		"shipstation_error",
		"The order is being handed to the label platform at this moment; nothing was changed. Try again in a few seconds.",
	);

async function pushesOf(db: Query, orderIds: readonly string[]): Promise<Map<string, LabelPush>> {
	const rows = await selectPushes(db, [plainArray(orderIds)]);
	return new Map(
		rows.map(([orderId, generation, state, platformId]) => [orderId, { orderId, generation, state, platformId }]),
	);
}

function pushed(push: LabelPush | null): PushedOrder {
	if (push === null || push.platformId === null) throw new Error("bug: an order that was taken has a box");
	return { orderId: push.orderId, generation: push.generation, platformId: push.platformId };
}
