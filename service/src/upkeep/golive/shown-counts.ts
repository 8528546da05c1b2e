import { countsTold, type Told } from "./counts-read.ts";
import type { GoLiveFacts, Look, ShownItem } from "./facts.ts";
import { between, FRESH_MS, isWithin, type Stretch } from "./windows.ts";

/**
 * How the counts that a look shows compare with the real ones: `equal` for every mapped SKU; `late`: some differ, but
 * only as much as those of a mirror that is at most 5 min 10 s old may; `wrong`: some differ in another way.
 */
export interface ComparedLook {
	readonly look: Look;
	readonly kind: "equal" | "late" | "wrong";
	/** What differs and is not late, in words. */
	readonly differences: readonly string[];
}

/** The looks that could be read, outside of these times. */
export const readableLooks = (facts: GoLiveFacts, except: readonly Stretch[] = []): Look[] =>
	facts.looks.filter(({ problem, at }) => problem === null && !isWithin(except, at));

/** Compares looks with the counts at their instants. */
export function compareLooks(facts: GoLiveFacts, looks: readonly Look[]): ComparedLook[] {
	if (facts.mapped.length === 0) return [];
	const told = countsTold(facts.requests);
	return looks.map((look) => {
		const unequal = facts.mapped.filter((sku) => !isEqual(look, sku));
		const wrong = unequal.filter((sku) => !isLate(facts, told, look, sku));
		const kind = unequal.length === 0 ? "equal" : wrong.length === 0 ? "late" : "wrong";
		return { look, kind, differences: wrong.map((sku) => inWords(look, sku)) };
	});
}

/** The numbers that a look shows for a SKU; null: none, because it is hidden. */
const shownFor = ({ items }: Look, wanted: string): (number | null)[] =>
	items.filter(({ sku }) => sku === wanted).map(({ hidden, shownQty }) => (hidden ? null : shownQty));

/** A SKU that is sold out may be hidden; a SKU without a count shows none. */
function isEqual(look: Look, sku: string): boolean {
	const count = look.counts.get(sku);
	const shown = shownFor(look, sku);
	if (count === undefined) return shown.every((qty) => qty === null);
	return shown.length > 0 && look.items.every((item) => item.sku !== sku || isCount(item, count));
}

const isCount = ({ hidden, shownQty }: ShownItem, count: number): boolean =>
	hidden ? count === 0 : shownQty === count;

/**
 * Whether it shows a count of the last 5 min 10 s, known from earlier looks or the partner's own reads. A read whose
 * reply was not kept may have returned any count.
 */
function isLate({ looks }: GoLiveFacts, told: readonly Told[], look: Look, sku: string): boolean {
	const known = between(looks, look.at - FRESH_MS, look.at).map(({ counts }) => counts.get(sku));
	const reads = between(told, look.at - FRESH_MS, look.at).filter(({ skus }) => skus === null || skus.includes(sku));
	if (reads.some(({ counts }) => counts === null)) return shownFor(look, sku).some((qty) => qty !== null);
	const were = new Set([...known, ...reads.map(({ counts }) => counts?.get(sku))]);
	const shown = shownFor(look, sku);
	return shown.length > 0 && shown.every((qty) => qty !== null && were.has(qty));
}

function inWords(look: Look, sku: string): string {
	const count = look.counts.get(sku);
	const shown = shownFor(look, sku).map((qty) => (qty === null ? "no number" : String(qty)));
	const says = shown.length === 0 ? "is not listed" : `shows ${shown.join(" and ")}`;
	return `${sku} ${says}, and its count was ${count ?? "not known"}`;
}
