import type { Count } from "../../client/count.ts";
import type { Shown } from "./read-shown.ts";

/** A SKU whose shown number differs from the service's. */
export interface CountDifference {
	readonly about: "count";
	readonly sku: string;
	readonly shownQty: number | null;
	readonly hidden: boolean;
	readonly count: Count;
	/** What is wrong, and what to do. */
	readonly says: string;
}

/** A SKU that links to a document that it must not link to, or to none although it should. */
export interface CertificateDifference {
	readonly about: "certificate";
	readonly sku: string;
	readonly coaUrl: string | null;
	/** The addresses of the current certificates of its product. */
	readonly current: readonly string[];
	readonly says: string;
}

export type Difference = CountDifference | CertificateDifference;

/** Compares what is shown with the counts of the same line. */
export function compareCounts(items: readonly Shown[], counts: readonly Count[]): CountDifference[] {
	return items.flatMap((item, at) => {
		const { sku, shownQty, hidden } = item;
		const count = counts[at] as Count;
		const says = problemWith(item, count);
		return says === null ? [] : [{ about: "count" as const, sku, shownQty, hidden, count, says }];
	});
}

/** As in a go-live run: a SKU that is sold out may be hidden, and one without a count must show no number. */
function problemWith({ shownQty, hidden }: Shown, count: Count): string | null {
	const seen = hidden ? null : shownQty;
	if (count.kind === "unknown") {
		return seen === null
			? null
			: "The service does not know this SKU: show no number, not even 0, and correct the mapping.";
	}
	if (count.kind === "untracked") return seen === null ? null : "This SKU is not physical: show no number.";
	if (hidden) return count.qty === 0 ? null : `It is hidden, and ${count.qty} are available: show it.`;
	if (shownQty === count.qty) return null;
	return shownQty === null ? "It shows no number: show the service's." : "Show the service's number.";
}

/**
 * Compares the certificates that are linked with the current ones. `current`: by SKU, the addresses to which it may
 * link; a SKU that is absent does not belong to the key's products.
 */
export function compareCertificates(
	items: readonly Shown[],
	current: ReadonlyMap<string, readonly string[]>,
): CertificateDifference[] {
	return items.flatMap(({ sku, hidden, coaUrl = null }) => {
		const allowed = current.get(sku) ?? [];
		const isMissing = coaUrl === null && !hidden && allowed.length > 0;
		const isWrong = coaUrl !== null && !allowed.includes(coaUrl);
		if (!isMissing && !isWrong) return [];
		const says = isMissing
			? "It links to no certificate, and its product has a current one: link to its certificate_url."
			: "It links to a document that is not a current certificate of its product: remove the link, and follow the feed.";
		return [{ about: "certificate" as const, sku, coaUrl, current: allowed, says }];
	});
}

/** What is shown, and what the service has, as a person reads it. */
export function inWords(difference: Difference): readonly [shown: string, service: string] {
	if (difference.about === "certificate") return [difference.coaUrl ?? "none", difference.current[0] ?? "none"];
	const { hidden, shownQty, count } = difference;
	const shown = hidden ? "hidden" : shownQty === null ? "no number" : String(shownQty);
	if (count.kind === "known") return [shown, String(count.qty)];
	return [shown, count.kind === "untracked" ? "not physical" : "unknown SKU"];
}
