import { must } from "../../ground/lib/assert.ts";
import { type Hold, isImpaired, linesOf } from "./hold.ts";

/** Possible warnings on a replay of a reserve, in the order of the header (settlements, sections 5 and 12). */
const REPLAY_WARNINGS = ["items_differ", "ttl_differs", "impaired"] as const;
export type ReplayWarning = (typeof REPLAY_WARNINGS)[number];

interface Replayed {
	/** `brandCode`: the brand that a new hold would get; null: none. */
	readonly lines: readonly { readonly sku: string; readonly qty: number; readonly brandCode: string | null }[];
	/** The lifetime in minutes that a new hold would get. */
	readonly ttlMinutes: number;
}

const MS_PER_MINUTE = 60_000;

/**
 * How the existing hold differs from the replayed request, and whether it is impaired. A request without `ttl_minutes`
 * means the default, as it did when the hold was created.
 */
export function replayWarnings(asked: Replayed, hold: Hold): readonly ReplayWarning[] {
	const applies: { readonly [warning in ReplayWarning]: boolean } = {
		items_differ: itemsDiffer(asked, hold),
		ttl_differs: hold.expiresAt - hold.createdAt !== asked.ttlMinutes * MS_PER_MINUTE,
		impaired: isImpaired(hold),
	};
	return REPLAY_WARNINGS.filter((warning) => applies[warning]);
}

function itemsDiffer({ lines }: Replayed, hold: Hold): boolean {
	const granted = linesOf(hold);
	if (lines.length !== granted.length) return true;
	return lines.some(({ sku, qty, brandCode }, index) => {
		const held = must(granted[index], "line");
		return held.sku !== sku || held.qty !== qty || held.brand_code !== brandCode;
	});
}
