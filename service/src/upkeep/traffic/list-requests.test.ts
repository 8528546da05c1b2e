import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { newRequestId } from "../../ground/lib/ids.ts";
import { type LogPlace, type RequestFilters, selectRequests } from "./list-sql.ts";
import { type Chunk, WaitingRequests } from "./waiting-requests.ts";
import { writeBatch } from "./write-batch.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

const NOON = Date.parse("2026-11-26T12:00:00Z");
const KEYS = [1, 2, 3].map((n) => `0199f0a0-1111-7000-8000-00000000000${n}`);
const ALL: RequestFilters = {
	keyId: null,
	environment: undefined,
	operation: undefined,
	status: undefined,
	code: undefined,
	from: undefined,
	to: undefined,
	q: undefined,
};

const json = (at: number, requestId: string): string =>
	JSON.stringify({ at, request_id: requestId, method: "GET", url: "/", ms: 1, date_used: "2026-09-06", address: "" });

/** The ids of all requests, page by page. Fails if a page makes no progress. */
async function listed(filters: RequestFilters, limit: number): Promise<string[]> {
	const ids: string[] = [];
	let place: LogPlace | null = null;
	for (let pages = 0; ; pages++) {
		if (pages > 500) throw new Error("the list does not get on");
		const { rows, readTo }: Awaited<ReturnType<typeof selectRequests>> = await selectRequests(
			database.db,
			filters,
			place,
			limit,
		);
		ids.push(...rows.map(({ request_id }) => request_id));
		if (readTo === null) return ids;
		place = readTo;
	}
}

describe("The list of requests, page by page,", () => {
	it("has each request once, the newest first, however chunks overlap", async () => {
		const request = fc.record({ key: fc.nat(KEYS.length - 1), after: fc.integer({ min: 0, max: 130_000 }) });
		const batches = fc.array(fc.array(request, { maxLength: 60 }), { maxLength: 4 });
		await fc.assert(
			fc.asyncProperty(batches, fc.constantFrom(1, 7, 100), async (all, limit) => {
				await database.db.query("truncate request_log");
				const sent: { id: string; at: number; key: number }[] = [];
				for (const batch of all) {
					const waiting = new WaitingRequests();
					for (const { key, after } of batch) {
						const [id, at] = [newRequestId(), NOON + after];
						sent.push({ id, at, key });
						const kept = { sandbox: false, keyId: KEYS[key] ?? null, at, json: json(at, id) };
						waiting.add(kept, { operation: "check", status: 200, code: undefined });
					}
					if (waiting.size > 0) await writeBatch(database.db, waiting.take());
				}
				const ordered = sent.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
				expect(await listed(ALL, limit)).toEqual(ordered.map(({ id }) => id));
				const ofKey = ordered.filter(({ key }) => key === 0).map(({ id }) => id);
				expect(await listed({ ...ALL, keyId: KEYS[0] ?? null }, limit)).toEqual(ofKey);
			}),
			{ numRuns: 25 },
		);
	}, 120_000);

	it("gets on where more chunks than a page reads end in the same millisecond", async () => {
		await database.db.query("truncate request_log");
		const chunks = Array.from({ length: 700 }, (): Chunk => {
			const requests = [0, 1].map((n) => json(NOON + n, newRequestId()));
			const common = { operation: "check", status: 200, code: undefined, sandbox: false };
			return { ...common, keyId: KEYS[0] ?? null, firstAt: NOON, lastAt: NOON + 1, requests };
		});
		await writeBatch(database.db, { chunks, size: 1_400 });
		const ids = await listed(ALL, 100);
		expect([ids.length, new Set(ids).size]).toEqual([1_400, 1_400]);
	}, 60_000);
});
