import { isUtf8 } from "node:buffer";
import type { Static } from "typebox";
import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { TrackedParcel } from "../../inventory/orders/plan-tracked.ts";
import { lookAtTracked, shipTracked, type TrackedLine } from "../../inventory/orders/ship-tracked.ts";
import type { TrackingUrls } from "../../inventory/shipping/carriers.ts";
import { checkParcels, type ParcelsMeant } from "../../inventory/shipping/check-parcels.ts";
import type { Origin } from "../../inventory/stock/move.ts";
import type { RunStep } from "../../partners/runs/run.ts";
import { readCsv, text, textOrNull } from "./csv.ts";
import { type Place, type Problem, pointAt } from "./entries.ts";
import type { ImportTracking } from "./tracking-admin-contract.ts";

/** Maximum number of lines in one import; the state of its run contains all of them. */
export const MAX_PARCELS = 10_000;
/** Number of boxes shipped in one step; their lots are locked meanwhile. */
const AT_ONCE = 100;

/** The result of importing tracking numbers, line by line. */
type TrackingReport = Static<(typeof ImportTracking)["replies"][200]>;
type TrackingItem = TrackingReport["items"][number];

/** The state of an import between two steps. */
export interface TrackingState {
	readonly waiting: readonly (TrackedLine & { readonly line: number })[];
	readonly items: TrackingItem[];
	/** The reason by refused box: further lines of such a box get the same result. */
	readonly refused: { readonly [shipmentId: string]: string };
}

/** Parcels as they were read, and the problems of lines that could not be read. */
export interface ReadParcels {
	readonly parcels: readonly { readonly at: Place; readonly line: number; readonly entry: TrackedParcel }[];
	readonly problems: readonly Problem[];
}

/** Checks everything before anything is done. Returns every problem, or the state to begin with. */
export async function lookAtTracking(
	db: Query,
	urls: Pick<TrackingUrls, "wrongInCarrier">,
	{ parcels, problems }: ReadParcels,
	meant: ParcelsMeant,
): Promise<{ readonly problems: readonly Problem[] } | TrackingState> {
	const entries = parcels.map(({ entry }) => entry);
	const typed = entries.map(({ name: order, ...parcel }) => ({ order, ...parcel }));
	const doubtful = await checkParcels(db, urls, typed, meant);
	const { lines, wrong } = await lookAtTracked(db, entries, meant.sameParcel);
	const found = [...doubtful, ...wrong].map(({ index, field, message }): Problem => {
		const { at } = must(parcels[index], "the parcel of a problem");
		return { at: pointAt(at, `/${field}`), message };
	});
	if (problems.length + found.length > 0) return { problems: [...problems, ...found] };
	const waiting = lines.map((line, index) => ({ ...line, line: must(parcels[index], "the parcel of a line").line }));
	return { waiting, items: [], refused: {} };
}

/** Ships the next boxes. */
export async function importTracking(
	deps: Parameters<typeof shipTracked>[0],
	state: TrackingState,
	origin: Origin,
): Promise<RunStep<TrackingState>> {
	const [now, waiting] = [state.waiting.slice(0, AT_ONCE), state.waiting.slice(AT_ONCE)];
	const outcomes = await shipTracked(deps, now, origin);
	const refused = { ...state.refused };
	const items = [...state.items];
	for (const [index, { line, name, orderId, shipmentId }] of now.entries()) {
		const outcome = must(outcomes[index], "the outcome of a line");
		if (outcome.message !== null) refused[shipmentId] = outcome.message;
		const message = refused[shipmentId] ?? null;
		const told = message === null ? outcome : ({ outcome: "refused", shipmentId: null, message } as const);
		items.push({
			line,
			order: name,
			order_id: orderId,
			outcome: told.outcome,
			shipment_id: told.shipmentId,
			message: told.message,
		});
	}
	return {
		state: { waiting, items, refused },
		done: items.length,
		of: items.length + waiting.length,
		result: reportOf(items),
		isEnd: waiting.length === 0,
	};
}

/** The report if there is nothing to ship; otherwise null. */
export const unchangedReport = ({ waiting }: TrackingState): TrackingReport | null =>
	waiting.some(({ step }) => step === "ship")
		? null
		: reportOf(
				waiting.map(({ line, name, orderId, shipmentId }) => ({
					line,
					order: name,
					order_id: orderId,
					outcome: "unchanged",
					shipment_id: shipmentId,
					message: null,
				})),
			);

function reportOf(items: TrackingItem[]): TrackingReport {
	const count = (one: TrackingItem["outcome"]): number => items.filter(({ outcome }) => outcome === one).length;
	return { shipped: count("shipped"), unchanged: count("unchanged"), refused: count("refused"), items };
}

/** `order` is an order id, a partner's own id of the order, or its Idempotency-Key. */
const COLUMNS = { order: text, carrier: textOrNull, service: textOrNull, tracking: text };

type Row = Readonly<Record<"order" | "tracking", string> & Record<"carrier" | "service", string | null | undefined>>;

/** Reads a CSV file of tracking numbers: `order,carrier,service,tracking`. */
export function readTracking(file: string, bytes: Buffer): ReadParcels {
	if (!isUtf8(bytes))
		return { parcels: [], problems: [{ at: file, message: "is not UTF-8: save it in that encoding" }] };
	const { rows, problems: unreadable } = readCsv(COLUMNS, file, bytes.toString("utf8"));
	if (rows.length > MAX_PARCELS) {
		const message = `has ${rows.length} lines, more than ${MAX_PARCELS}: split it into several files`;
		return { parcels: [], problems: [{ at: file, message }] };
	}
	const problems = [...unreadable];
	const parcels: ReadParcels["parcels"][number][] = [];
	for (const { at, entry: row } of rows) {
		const { order: name, carrier = null, service = null, tracking: trackingNumber } = row as Row;
		const wrong = Object.entries({ order: name, carrier, service, tracking: trackingNumber }).flatMap(
			([field, cell]) =>
				cell === "" ? [[field, "is missing"]] : cell?.includes("\0") ? [[field, "contains a NUL character"]] : [],
		);
		for (const [field, message = ""] of wrong) problems.push({ at: pointAt(at, `/${field}`), message });
		if (wrong.length > 0) continue;
		const entry = { name, carrierCode: carrier, serviceCode: service, trackingNumber };
		parcels.push({ at, line: Number(at.spot), entry });
	}
	return { parcels, problems };
}
