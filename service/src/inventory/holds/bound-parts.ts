import { boundState, type Hold, type Part } from "./hold.ts";
import type { HoldBook } from "./hold-book.ts";

export interface BoundPart {
	readonly hold: Hold;
	readonly part: Part;
	readonly bucket: "held" | "allocated";
}

/**
 * The order in which holds and orders get scarce units: orders first, because their customers have paid, then holds;
 * within each, the earliest reserved first (docs/decisions/0059). `holdersWith` in recall/sql.ts must use the same
 * order.
 */
export function byTurn(a: Hold, b: Hold): number {
	if (a.status !== b.status) return a.status === "placed" ? -1 : 1;
	return a.createdAt - b.createdAt || (a.reservationToken < b.reservationToken ? -1 : 1);
}

/**
 * The parts of these holds on these lots, in the order in which they lose units: the reverse of `byTurn`, and the last
 * line first.
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
		return byTurn(b.hold, a.hold);
	});
}
