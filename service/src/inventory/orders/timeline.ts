import type { Static } from "typebox";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { AuditedWrite } from "../../partners/admin/audit-sql.ts";
import type { ListedEvent } from "../../partners/webhooks/operator-sql.ts";
import type { TimelineEntry as EntrySchema } from "./admin-contract.ts";
import { type LotChange, tellLotChanges } from "./lot-changes.ts";
import type { Shipment } from "./shipment.ts";
import type { OrderForOperator } from "./show-order.ts";

/** The events in the history of an order and of its boxes. */
export const TIMELINE_WORDS = [
	"placed",
	"held",
	"released",
	"picked",
	"lots_changed",
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

type TimelineEntry = Static<typeof EntrySchema>;

/** An event with the order or the box that it happened to. */
type Happened = TimelineEntry & { readonly about: string };

/**
 * Maximum milliseconds between an operator's hold in the audit log and the event that the same transaction recorded.
 */
const SAME_HOLD_MS = 5_000;

/**
 * The history of an order, oldest first: the operators' writes, from the audit log, the times that the order and its
 * boxes record, and the events about holds, because a release clears what the order records about them. A recorded time
 * is left out if the audit log has an entry for the same event. The ledger tells when its lots changed. Pure.
 */
export function timelineOf(
	{ order, shipments, owner }: OrderForOperator,
	audited: readonly AuditedWrite[],
	events: readonly Pick<ListedEvent, "type" | "createdAt" | "body">[],
	changes: readonly LotChange[],
): TimelineEntry[] {
	const written = audited.flatMap(({ about, at, actor, operation, body }): Happened[] => {
		const what = WORD_OF[operation];
		if (what === undefined) return [];
		const { reason, detail } = (body ?? {}) as { readonly reason?: string; readonly detail?: string };
		return [{ about, at: at.toISOString(), what, by: actor, why: wordsOf(reason, detail) }];
	});
	const known = new Set(written.map(({ what, about }) => `${what} ${about}`));
	const isLabelKnown = written.some(({ what }) => what === "labelled");
	// a label that came before its shipment may have moved to another box since
	const isKnown = ({ what, about: thing, by }: Happened): boolean =>
		known.has(`${what} ${thing}`) || (what === "labelled" && by === null && isLabelKnown);
	const { orderId: about, placedAt } = order;
	const holds = events.filter(({ type }) => type === "order.held").map((event) => heldBy(event, about));
	const others = holds.filter(({ at }) => !written.some((one) => one.what === "held" && isNear(one.at, at)));
	const recorded = [
		...(holds.length > 0
			? others
			: happened(about, "held", order.heldAt, null, wordsOf(order.holdReason, order.holdDetail))),
		...happened(about, "picked", order.pickedAt),
		...happened(about, "cancelled", order.cancelledAt, null, order.cancelReason),
		...shipments.flatMap(({ shipment }) => historyOf(shipment)),
	];
	const facts = recorded.filter((one) => others.includes(one) || !isKnown(one));
	const placed: TimelineEntry = { at: toRfc3339(placedAt), what: "placed", by: `key:${owner.key}`, why: null };
	const changed = tellLotChanges(changes).flatMap(({ at, actor, why }) =>
		happened(about, "lots_changed", at, actor, why),
	);
	const later = [...written, ...changed, ...facts].toSorted((a, b) => a.at.localeCompare(b.at));
	return [placed, ...later.map(({ about: _, ...entry }) => entry)];
}

const isNear = (a: string, b: string): boolean => Math.abs(Date.parse(a) - Date.parse(b)) < SAME_HOLD_MS;

/** The time when an order was put on hold, as its event reports it; only a part of an old event's body is kept. */
function heldBy({ createdAt, body }: Pick<ListedEvent, "createdAt" | "body">, about: string): Happened {
	const { data } = JSON.parse(body) as { readonly data?: { readonly reason?: string; readonly detail?: string } };
	return { about, at: createdAt.toISOString(), what: "held", by: null, why: wordsOf(data?.reason, data?.detail) };
}

/** What a box records. A label that came with the shipment is by whoever shipped it. */
function historyOf({ shipmentId, labelCreatedAt, shippedAt, shippedBy, voidedAt }: Readonly<Shipment>): Happened[] {
	return [
		...happened(shipmentId, "labelled", labelCreatedAt, labelCreatedAt === shippedAt ? shippedBy : null),
		...happened(shipmentId, "shipped", shippedAt, shippedBy),
		...happened(shipmentId, "voided", voidedAt),
	];
}

const happened = (
	about: string,
	what: Word,
	at: number | null,
	by: string | null = null,
	why: string | null = null,
): Happened[] => (at === null ? [] : [{ about, at: toRfc3339(at), what, by, why }]);

const wordsOf = (...words: readonly (string | null | undefined)[]): string | null =>
	words.filter((word) => word !== null && word !== undefined).join(": ") || null;
