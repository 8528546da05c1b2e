import { createHash } from "node:crypto";
import { parseInstant } from "../../ground/lib/instant.ts";
import type { BoxStage, PlatformBox } from "./label-platform.ts";
import type { BoxChange } from "./orders-side.ts";

/** What was carried over of a box last, or is being offered. */
export interface StoredBox {
	/** Milliseconds since 1970, the platform's clock. */
	readonly modifiedMs: number;
	readonly stage: BoxStage;
	/** Empty: the orders may or may not have this state, or nothing was offered yet. */
	readonly digest: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Later stages of the same modification have higher numbers. */
const RANK: { readonly [S in BoxStage]: number } = {
	awaiting: 0,
	on_hold: 0,
	label_created: 1,
	shipped: 2,
	voided: 3,
	cancelled: 4,
};

/**
 * Milliseconds after which a box is looked at though nobody says that it changed. The carrier's scan, and the end of a
 * ship date, modify nothing at the platform; and whatever notification and list may lose, this finds.
 */
const LOOK_AGAIN_MS: { readonly [S in BoxStage]: number | null } = {
	awaiting: 6 * HOUR_MS,
	on_hold: 6 * HOUR_MS,
	label_created: 30 * MINUTE_MS,
	voided: 6 * HOUR_MS,
	shipped: null,
	cancelled: null,
};
/** The same for a box of which the service did not accept what the platform said. */
const REFUSED_LOOK_AGAIN_MS = HOUR_MS;

/**
 * Of a box without the time of its modification: a touch that changes nothing else is no change. A box with our orders
 * alone has the digest that it had before other stores were followed, so that nothing of it is offered anew.
 */
export function digestOf({ modifiedAt: _, otherItems, store, ...box }: PlatformBox): string {
	const whole = otherItems.length === 0 ? box : { ...box, otherItems, store };
	return createHash("sha256").update(JSON.stringify(whole)).digest("hex");
}

/**
 * Is what was seen of a box news? Looks may overtake each other, so an earlier state can be seen after a later one: it
 * is no news. What changes without a modification (a scan) only goes forward.
 */
export function isNews(stored: StoredBox, seen: PlatformBox): boolean {
	if (stored.digest === digestOf(seen)) return false;
	const seenMs = parseInstant(seen.modifiedAt) ?? 0;
	if (seenMs !== stored.modifiedMs) return seenMs > stored.modifiedMs;
	return RANK[seen.stage] >= RANK[stored.stage];
}

/** Milliseconds until a box is looked at again; null: never, unless somebody says that it changed. */
export const lookAgainMs = (stage: BoxStage, refused: boolean): number | null =>
	refused ? REFUSED_LOOK_AGAIN_MS : LOOK_AGAIN_MS[stage];

/**
 * The change that a box amounts to, for the orders that are known. What is offered again has the same id, unless the
 * box was touched meanwhile.
 */
export function boxChange(box: PlatformBox, known: ReadonlySet<string>): BoxChange {
	const ours = {
		...box,
		orderIds: box.orderIds.filter((id) => known.has(id)),
		items: box.items.filter(({ orderId }) => known.has(orderId)),
	};
	return { kind: "box", changeId: `${box.platformId}:${box.modifiedAt}:${digestOf(box)}`, box: ours };
}
