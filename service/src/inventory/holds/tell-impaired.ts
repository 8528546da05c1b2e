import { type Environment, SANDBOX_BRAND } from "../../glossary.ts";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { type BookWithEvents, emit } from "../../partners/webhooks/emit.ts";
import { impairedEvent } from "../../partners/webhooks/event.ts";
import { wholeKits } from "../stock/count.ts";
import { type Hold, type HoldLine, linesOf, unitsHad } from "./hold.ts";
import type { BookWithHolds } from "./hold-book.ts";

/**
 * Emits `hold.impaired` for each hold that a command left with fewer units than it had before, unless the command ended
 * the hold, whose partner then knows from the answer. Orders have their own events.
 */
export function tellImpaired(book: BookWithHolds & BookWithEvents): void {
	const { lessened } = book.holds;
	if (lessened.size === 0) return;
	for (const hold of lessened) if (hold.status === "active") emit(book, eventFor(hold, book.now));
	lessened.clear();
}

function eventFor(hold: Hold, now: number) {
	const lines = linesOf(hold);
	const data = {
		reservation_token: hold.reservationToken,
		external_ref: hold.externalRef,
		expires_at: toRfc3339(hold.expiresAt),
		items: lines.map((line, index) => ({
			sku: line.sku,
			brand_code: line.brand_code,
			requested_qty: line.qty,
			reserved_qty: wholeKitsOf(hold, line, index),
		})),
	};
	const lostParts = hold.parts.filter(({ state }) => state === "displaced").length;
	return impairedEvent({ partnerId: hold.partnerId, environment: environmentOfLines(lines) }, data, lostParts, now);
}

/** Kits of a line that have all their units, bound or shipped. */
export const wholeKitsOf = (hold: Hold, { components }: HoldLine, line: number): number =>
	wholeKits(
		components.map(({ formula_id, per_kit }) => ({ perKit: per_kit, units: unitsHad(hold, line, formula_id) })),
		({ units }) => units,
	);

/** A hold has no environment of its own: a sandbox key is always bound to the sandbox's brand, and a live key never. */
const environmentOfLines = (lines: readonly HoldLine[]): Environment =>
	lines.some(({ brand_code }) => brand_code === SANDBOX_BRAND) ? "sandbox" : "live";
