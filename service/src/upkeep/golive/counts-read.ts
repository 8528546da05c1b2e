import { isDone, listAt, memberAt, numberAt, queryOf, textAt } from "./content.ts";
import type { FactRequest } from "./facts.ts";

/** The operations that read counts. */
const READS: ReadonlySet<string> = new Set(["inventory", "check", "products", "inventorySummary"]);
const NOT_MODIFIED = 304;

/** Whether it read counts and was answered with counts, or with 304 because the partner already has them. */
export const readsCounts = (request: FactRequest): boolean =>
	READS.has(request.operation) && (isDone(request) || request.status === NOT_MODIFIED);

/** The SKUs whose counts it asked for; null: all of them, or its body was not kept. */
export function askedSkus(request: FactRequest): readonly string[] | null {
	if (request.operation === "check") {
		const skus = listAt(request.body, "items").map((item) => textAt(item, "sku"));
		return skus.length === 0 ? null : skus.filter((sku) => sku !== null);
	}
	const skus = queryOf(request).getAll("sku");
	return skus.length === 0 ? null : skus;
}

/** The counts that a read showed the partner. */
export interface Told {
	readonly at: number;
	/** The counts by SKU; null: its reply was not kept, or has no counts of SKUs. */
	readonly counts: ReadonlyMap<string, number> | null;
	/** The SKUs that it asked for; null: all. */
	readonly skus: readonly string[] | null;
}

/** The counts that the partner read, in order. A 304 stands for the previous answer of the same address. */
export function countsTold(requests: readonly FactRequest[]): Told[] {
	const byUrl = new Map<string, ReadonlyMap<string, number> | null>();
	return requests.filter(readsCounts).map((request) => {
		const { at, url, status } = request;
		const counts = status === NOT_MODIFIED ? (byUrl.get(url) ?? null) : countsIn(request);
		if (request.operation !== "check") byUrl.set(url, counts);
		return { at, counts, skus: askedSkus(request) };
	});
}

/** The counts by SKU in a reply. */
function countsIn({ operation, reply }: FactRequest): ReadonlyMap<string, number> | null {
	const data = memberAt(reply, "data");
	const rows: readonly (readonly [sku: string | null, qty: number | null])[] =
		operation === "inventory"
			? [[textAt(data, "sku"), numberAt(data, "totals", "atp")]]
			: listAt(data, "items").map((item) => [
					textAt(item, "sku"),
					operation === "check" ? numberAt(item, "atp_qty") : numberAt(item, "availability", "atp_qty"),
				]);
	const counts = new Map<string, number>();
	for (const [sku, qty] of rows) if (sku !== null && qty !== null) counts.set(sku, qty);
	return data === undefined || (counts.size === 0 && rows.length > 0) ? null : counts;
}
