import type { TrackedParcel } from "../../inventory/orders/plan-tracked.ts";
import { type Column, readCsv } from "./csv.ts";
import { type Placed, type Problem, pointAt } from "./entries.ts";
import { contentOf } from "./read-world.ts";

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
