import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sizeOr } from "../../../service/test/sizes.ts";
import { BLOWS, dayOf, liveThrough, type Step, TROUBLES } from "./hostile-world-for-tests.ts";
import { fileStore, memoryStore } from "./index.ts";

/*
 * Mirrors of stock and certificates beside a service, files and clocks that go wrong in every way. At every moment: no
 * count is zero that was not zero, nothing older than its limit is given, people were told what they should know, and
 * there are at most 60 requests in any 60 seconds; and after one refresh in which the service behaves, everything is
 * equal again.
 */

const MINUTE_MS = 60_000;
/** Days on real sockets and their length, and short runs without them. */
const DAYS = sizeOr(20, 1);
const HOURS = sizeOr(24, 10);
const RUNS = sizeOr(3_000, 10);
/** Milliseconds within which a day ends, even on a busy machine. */
const LONGEST_DAY_MS = 900_000;

let folder: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-mirrors-"));
});
afterAll(async () => {
	await rm(folder, { recursive: true });
});

describe("Mirrors beside a hostile service", () => {
	it.each(Array.from({ length: DAYS }, (_, at) => at + 1))(
		"are right all day (%i)",
		{
			timeout: LONGEST_DAY_MS,
		},
		async (seed) => {
			const stores = {
				inventory: fileStore(join(folder, `${seed}`, "stock.json")),
				coa: fileStore(join(folder, `${seed}`, "coa.json")),
			};
			const { oracle, service } = await liveThrough({ seed, steps: dayOf(seed, HOURS), stores, isOnSockets: true });
			for (const told of Object.values(oracle.alerts)) {
				expect(new Set(told)).toEqual(new Set(["failing", "recovered", "stale", "unauthorized"]));
			}
			for (const status of [0, 200, 304, 400, 401, 403, 429, 500, 502])
				expect(service.answered.get(status), `${status}`).toBeGreaterThan(0);
		},
	);

	it.each<[string, number, Step[]]>([
		[
			"their stores fail when they are asked for the last alert",
			18,
			[
				{ quietMs: 79_700, trouble: "reset", lengthMs: 1_499_984, blow: "killAndSetBack", goneMs: 899_989 },
				{ quietMs: 10, trouble: "storesFail", lengthMs: 6, blow: "kill", goneMs: 877_506 },
				{ quietMs: 8, trouble: "mixed", lengthMs: 547_646, blow: "refuseCursors", goneMs: 12 },
			],
		],
		[
			"the clock is set back by less than the time since the last save",
			1_153_181_094,
			[
				{ quietMs: 1_000, trouble: "storesFail", lengthMs: 65 * MINUTE_MS, blow: null, goneMs: 0 },
				{ quietMs: 0, trouble: "reset", lengthMs: 0, blow: "killAndSetBack", goneMs: 1 },
			],
		],
		[
			"a store that did not answer at the start has an old copy, and the service fails",
			918_856_241,
			[
				{ quietMs: 736_533, trouble: "storesHang", lengthMs: 0, blow: "restart", goneMs: 899_997 },
				{ quietMs: 15, trouble: "reset", lengthMs: 1_295_309, blow: "kill", goneMs: 750_135 },
			],
		],
		[
			"a count changes in the millisecond in which it was read",
			984_851_761,
			[{ quietMs: 8 * MINUTE_MS, trouble: "none", lengthMs: 0, blow: null, goneMs: 0 }],
		],
	])("are right when %s", async (_what, seed, steps) => {
		const stores = { inventory: memoryStore(), coa: memoryStore() };
		const { oracle } = await liveThrough({ seed, steps, stores, isOnSockets: false });
		for (const { told } of Object.values(oracle.memories)) expect(told).toBe("recovered");
	});

	it("are right whatever happens in whatever order", async () => {
		const step: fc.Arbitrary<Step> = fc.record({
			quietMs: fc.integer({ min: 0, max: 20 * MINUTE_MS }),
			trouble: fc.constantFrom(...TROUBLES),
			lengthMs: fc.integer({ min: 0, max: 25 * MINUTE_MS }),
			blow: fc.constantFrom(null, ...BLOWS),
			goneMs: fc.integer({ min: 0, max: 15 * MINUTE_MS }),
		});
		const steps = fc.array(step, { minLength: 1, maxLength: 6 });
		await fc.assert(
			fc.asyncProperty(fc.nat(), steps, async (seed, steps) => {
				const stores = { inventory: memoryStore(), coa: memoryStore() };
				await liveThrough({ seed, steps, stores, isOnSockets: false });
			}),
			{ numRuns: RUNS, endOnFailure: true },
		);
	});
});
