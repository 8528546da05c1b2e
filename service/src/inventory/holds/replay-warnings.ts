import { must } from "../../ground/lib/assert.ts";
import { type Hold, isImpaired, linesOf } from "./hold.ts";

/** What a replay of a reserve may be warned of, in the order in which it is told (settlements, sections 5 and 12). */
const REPLAY_WARNINGS = ["items_differ", "ttl_differs", "impaired"] as const;
export type ReplayWarning = (typeof REPLAY_WARNINGS)[number];

/** What the replay asked for. */
interface Replayed {
	readonly lines: readonly { readonly sku: string; readonly qty: number; readonly brandCode: string | undefined }[];
	/** Minutes: the life that a new hold would get. */
	readonly ttlMinutes: number;
}

const MS_PER_MINUTE = 60_000;

/**
 * In what the hold that exists differs from what a replay asked for, and whether kits of it are no longer whole. A
 * request that left `ttl_minutes` out asked for the usual life, as the same request did that made the hold. A line that
 * names no brand asks for whichever its hold has.
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
		return held.sku !== sku || held.qty !== qty || (brandCode !== undefined && held.brand_code !== brandCode);
	});
}
