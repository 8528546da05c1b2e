import type { TrackedParcel, WrongParcel } from "../../inventory/orders/plan-tracked.ts";
import { shipTracked, wrongInTracked } from "../../inventory/orders/ship-tracked.ts";
import type { TrackingUrls } from "../../inventory/shipping/carriers.ts";
import { checkParcels, type ParcelsMeant } from "../../inventory/shipping/check-parcels.ts";
import type { Origin } from "../../inventory/stock/move.ts";
import { type Column, readCsv } from "./csv.ts";
import { type Placed, type Problem, pointAt } from "./entries.ts";
import { NO_PROGRESS, type Progress } from "./progress.ts";
import { contentOf } from "./read-world.ts";
import { ImportRefused } from "./refused.ts";

/** The result of importing a file of tracking numbers, with each line by its number. */
export interface TrackingReport {
	readonly shipped: number;
	readonly unchanged: number;
	/** Boxes that changed during the import. Importing the same file again ships the remaining ones. */
	readonly refused: number;
	readonly items: readonly {
		readonly line: number;
		/** The order's name in the file. */
		readonly order: string;
		readonly order_id: string;
		readonly outcome: "shipped" | "unchanged" | "refused";
		readonly shipment_id: string | null;
		readonly message: string | null;
	}[];
}

export interface TrackingOptions {
	readonly urls: Pick<TrackingUrls, "wrongInCarrier">;
	readonly meant: ParcelsMeant;
	readonly progress?: Progress;
}

/**
 * Ships the orders that a file of tracking numbers lists. @throws ImportRefused naming every problem; nothing was
 * changed then.
 */
export async function importTracking(
	deps: Parameters<typeof shipTracked>[0],
	file: string,
	origin: Origin,
	{ urls, meant, progress = NO_PROGRESS }: TrackingOptions,
): Promise<TrackingReport> {
	const { parcels, problems } = await readTracking(file);
	const entries = parcels.map(({ entry }) => entry);
	const atOf = (index: number) => parcels[index]?.at ?? { file, spot: 1 };
	const inFile = ({ index, field, message }: WrongParcel): Problem => ({
		at: pointAt(atOf(index), `/${field}`),
		message,
	});
	const typed = entries.map(({ name: order, ...parcel }) => ({ order, ...parcel }));
	const doubtful = await checkParcels(deps.db, urls, typed, meant);
	// problems in the rest of the file are reported too
	if (problems.length + doubtful.length > 0) {
		const wrong = await wrongInTracked(deps.db, entries, meant);
		throw new ImportRefused([...problems, ...[...doubtful, ...wrong].map(inFile)]);
	}
	progress.stage("Boxes", parcels.length);
	const result = await shipTracked(deps, entries, origin, { ...meant, onShipped: progress.advance });
	progress.end();
	if ("wrong" in result) throw new ImportRefused(result.wrong.map(inFile));
	const items = result.outcomes.map(({ orderId, outcome, shipmentId, message }, index) => ({
		line: Number(atOf(index).spot),
		order: entries[index]?.name ?? orderId,
		order_id: orderId,
		outcome,
		shipment_id: shipmentId,
		message,
	}));
	const count = (outcome: TrackingReport["items"][number]["outcome"]): number =>
		items.filter((item) => item.outcome === outcome).length;
	return { shipped: count("shipped"), unchanged: count("unchanged"), refused: count("refused"), items };
}

const text: Column = { required: true, read: (cell) => cell };
const textOrNull: Column = { required: false, read: (cell) => (cell === "" ? null : cell) };
/** `order` is an order id, a partner's own id of the order, or its Idempotency-Key. */
const COLUMNS = { order: text, carrier: textOrNull, service: textOrNull, tracking: text };

type Row = Readonly<Record<"order" | "tracking", string> & Record<"carrier" | "service", string | null | undefined>>;

/** Reads a CSV file of tracking numbers: `order,carrier,service,tracking`. */
export async function readTracking(
	file: string,
): Promise<{ readonly parcels: readonly Placed<TrackedParcel>[]; readonly problems: Problem[] }> {
	const problems: Problem[] = [];
	const content = await contentOf(file, problems);
	if (content === null) return { parcels: [], problems };
	const csv = readCsv(COLUMNS, file, content);
	for (const problem of csv.problems) problems.push(problem); // a call takes at most about 100,000 arguments
	const parcels: Placed<TrackedParcel>[] = [];
	for (const { at, entry } of csv.rows) {
		const { order: name, carrier = null, service = null, tracking: trackingNumber } = entry as Row;
		if (name === "") problems.push({ at: pointAt(at, "/order"), message: "is missing" });
		if (trackingNumber === "") problems.push({ at: pointAt(at, "/tracking"), message: "is missing" });
		if (name !== "" && trackingNumber !== "")
			parcels.push({ at, entry: { name, carrierCode: carrier, serviceCode: service, trackingNumber } });
	}
	return { parcels, problems };
}
