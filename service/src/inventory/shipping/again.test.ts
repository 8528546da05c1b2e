import { expect, it } from "vitest";
import { refuse } from "../../ground/lib/refusal.ts";
import { comeAgain, DELAYS_MS, pushAgain } from "./again.ts";

const silent = refuse("shipstation_error", "No answer.");
const later = { outcome: "later", detail: "503", afterMs: 15_000, crowded: false } as const;

it("work that the platform does not answer comes again less and less often, and never stops", () => {
	const waits = Array.from({ length: 9 }, (_, n) => comeAgain(silent, n + 1).afterMs);
	expect(waits).toEqual([...DELAYS_MS, 3_600_000, 3_600_000, 3_600_000]);
	expect(comeAgain(silent, 1).failed).toBe(true);
});

it("waiting for one's turn is no failure, and is as long as the limit says", () => {
	const crowded = { ...silent, retryAfter: 7, detail: "the limit is reached" };
	expect(comeAgain(crowded, 5)).toEqual({ afterMs: 7_000, why: "the limit is reached" });
	expect(pushAgain({ ...later, afterMs: 900, crowded: true }, 5)).toEqual({ afterMs: 900, why: "503" });
});

it("a push comes not sooner than the platform wants, nor than the attempts so far suggest", () => {
	expect(pushAgain(later, 1)).toEqual({ afterMs: 15_000, why: "503", failed: true });
	expect(pushAgain(later, 4).afterMs).toBe(600_000);
	expect(pushAgain({ ...later, afterMs: 3_000_000 }, 2).afterMs).toBe(3_000_000);
});
