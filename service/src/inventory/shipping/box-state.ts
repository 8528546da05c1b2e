import { createHash } from "node:crypto";
import { parseInstant } from "../../ground/lib/instant.ts";
import type { BoxStage, PlatformBox } from "./label-platform.ts";
import type { BoxChange } from "./orders-side.ts";

/** The state of a box that was last applied to the orders, or is being offered to them. */
export interface StoredBox {
	/** Milliseconds since 1970, the platform's clock. */
	readonly modifiedMs: number;
	readonly stage: BoxStage;
	/** Empty: nothing was offered yet, or it is unknown whether the orders applied the offered state. */
	readonly digest: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** For the same modification time, later stages rank higher. */
const RANK: { readonly [S in BoxStage]: number } = {
	awaiting: 0,
	on_hold: 0,
	label_created: 1,
	shipped: 2,
	voided: 3,
	cancelled: 4,
};

/**
 * Milliseconds until a box is read again if no notification comes. The platform does not count a carrier scan or the
 * passing of the ship date as a modification; these reads find both, and everything that notifications and lists
 * missed.
 */
const LOOK_AGAIN_MS: { readonly [S in BoxStage]: number | null } = {
	awaiting: 6 * HOUR_MS,
	on_hold: 6 * HOUR_MS,
	label_created: 30 * MINUTE_MS,
	voided: 6 * HOUR_MS,
	shipped: null,
	cancelled: null,
};
/** The same for a box whose state Holdfast refused. */
const REFUSED_LOOK_AGAIN_MS = HOUR_MS;

/**
 * Digest of a box without its modification time, because a new time alone is not a change. If the box contains only our
 * orders, `otherItems` and `store` are left out: the digest stays the one from before other stores were followed, so
 * the box is not applied to the orders again.
 */
export function digestOf({ modifiedAt: _, otherItems, store, ...box }: PlatformBox): string {
	const whole = otherItems.length === 0 ? box : { ...box, otherItems, store };
	return createHash("sha256").update(JSON.stringify(whole)).digest("hex");
}

/**
 * Whether the observed state is newer than the stored one. Reads may overtake each other, so an older state seen late
 * is not news. A carrier scan does not change the modification time: if the times are equal, the observed state is
 * newer unless its stage is an earlier one.
 */
export function isNews(stored: StoredBox, seen: PlatformBox): boolean {
	if (stored.digest === digestOf(seen)) return false;
	const seenMs = parseInstant(seen.modifiedAt) ?? 0;
	if (seenMs !== stored.modifiedMs) return seenMs > stored.modifiedMs;
	return RANK[seen.stage] >= RANK[stored.stage];
}

/** Milliseconds until a box is read again; null: only after a notification. */
export const lookAgainMs = (stage: BoxStage, refused: boolean): number | null =>
	refused ? REFUSED_LOOK_AGAIN_MS : LOOK_AGAIN_MS[stage];

/** The change that a box means for the known orders. A repeated offer has the same id unless the box was modified. */
export function boxChange(box: PlatformBox, known: ReadonlySet<string>): BoxChange {
	const ours = {
		...box,
		orderIds: box.orderIds.filter((id) => known.has(id)),
		items: box.items.filter(({ orderId }) => known.has(orderId)),
	};
	return { kind: "box", changeId: `${box.platformId}:${box.modifiedAt}:${digestOf(box)}`, box: ours };
}
