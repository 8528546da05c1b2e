import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { AuditedWrite } from "../../partners/admin/list-writes.ts";
import type { OrderForOperator } from "./show-order.ts";

/** The events in the history of an order and of its boxes. */
export const TIMELINE_WORDS = [
	"placed",
	"held",
	"released",
	"picked",
	"combined",
	"labelled",
	"shipped",
	"voided",
	"cancelled",
] as const;
type Word = (typeof TIMELINE_WORDS)[number];

/** The event that each operation of the operator's API causes for an order. */
const WORD_OF: { readonly [operation: string]: Word } = {
	hold_order: "held",
	release_order: "released",
	cancel_order: "cancelled",
	pick_order: "picked",
	combine_boxes: "combined",
	label_box: "labelled",
	ship_box: "shipped",
	void_box: "voided",
};

export interface TimelineEntry {
	readonly at: string;
	readonly what: Word;
	readonly by: string | null;
	readonly why: string | null;
}

/**
 * The history of an order, oldest first: the operators' writes, from the audit log, and the times that the order and
 * its boxes record. A recorded time is left out if the audit log has an entry for the same event. Pure.
 */
export function timelineOf(
	{ order, shipments, owner }: OrderForOperator,
	audited: readonly AuditedWrite[],
): TimelineEntry[] {
	const written = audited.flatMap(({ at, actor, operation, body }): TimelineEntry[] => {
		const what = WORD_OF[operation];
		if (what === undefined) return [];
		const { reason, detail } = (body ?? {}) as { readonly reason?: string; readonly detail?: string };
		return [{ at: at.toISOString(), what, by: actor, why: wordsOf(reason, detail) }];
	});
	const known = new Set(written.map(({ what }) => what));
	const recorded: (readonly [what: Word, at: number | null, why?: string | null])[] = [
		["held", order.heldAt, wordsOf(order.holdReason, order.holdDetail)],
		["picked", order.pickedAt],
		["cancelled", order.cancelledAt, order.cancelReason],
		...shipments.flatMap(({ shipment: { labelCreatedAt, shippedAt, voidedAt } }) => [
			["labelled", labelCreatedAt] as const,
			["shipped", shippedAt] as const,
			["voided", voidedAt] as const,
		]),
	];
	const facts = recorded.flatMap(([what, at, why = null]): TimelineEntry[] =>
		at === null || known.has(what) ? [] : [{ at: toRfc3339(at), what, by: null, why }],
	);
	const placed: TimelineEntry = { at: toRfc3339(order.placedAt), what: "placed", by: `key:${owner.key}`, why: null };
	return [placed, ...[...written, ...facts].toSorted((a, b) => a.at.localeCompare(b.at))];
}

const wordsOf = (...words: readonly (string | null | undefined)[]): string | null =>
	words.filter((word) => word !== null && word !== undefined).join(": ") || null;
