import { boundState, type Hold, type Part } from "./hold.ts";
import type { HoldBook } from "./hold-book.ts";

/** A part on a lot, its hold, and the bucket that its units are in. */
export interface BoundPart {
	readonly hold: Hold;
	readonly part: Part;
	readonly bucket: "held" | "allocated";
}

/**
 * Parts on these lots that are bound to these holds. Those of holds go before those of orders, the youngest first, and of one hold its last
 * line first: who came first keeps first.
 */
export function boundParts({ byToken }: HoldBook, fgIds: ReadonlySet<string>, holders: readonly string[]): BoundPart[] {
	const parts: BoundPart[] = [];
	for (const token of new Set(holders)) {
		const hold = byToken.get(token);
		const bucket = hold && boundState(hold);
		if (!hold || !bucket) continue;
		for (const part of hold.parts) {
			if (part.state === bucket && fgIds.has(part.fgId)) parts.push({ hold, part, bucket });
		}
	}
	return parts.sort((a, b) => {
		if (a.hold === b.hold) return b.part.line - a.part.line || b.part.ordinal - a.part.ordinal;
		if (a.bucket !== b.bucket) return a.bucket === "held" ? -1 : 1;
		return b.hold.createdAt - a.hold.createdAt || (a.hold.token < b.hold.token ? 1 : -1);
	});
}
