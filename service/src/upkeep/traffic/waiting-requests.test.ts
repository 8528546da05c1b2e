import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHUNK_SPAN_MS, MOST_WAITING, MOST_WAITING_CHARACTERS, SHARE_OF_ONE } from "./limits.ts";
import { type Batch, WaitingRequests } from "./waiting-requests.ts";

const MIDNIGHT = Date.parse("2026-11-26T00:00:00Z");
const CHECK = { operation: "check", status: 200, code: undefined };
const one = (keyId: string | null, json = "{}", at = MIDNIGHT) => ({ sandbox: false, keyId, at, json });
const requestsOf = ({ chunks }: Batch): string[] => chunks.flatMap(({ requests }) => requests);

describe("Requests that wait to be written", () => {
	it("are each taken once, as chunks with what they have in common, within a day and a minute", () => {
		const request = fc.record({
			sandbox: fc.boolean(),
			keyId: fc.constantFrom("a", "b", null),
			at: fc.integer({ min: MIDNIGHT - 100_000, max: MIDNIGHT + 100_000 }),
			common: fc.record({
				operation: fc.constantFrom("check", "reserve"),
				status: fc.constantFrom(200, 409),
				code: fc.constantFrom("no_inventory", undefined),
			}),
		});
		// a key belongs to one environment
		const mended = fc
			.array(request, { maxLength: 80 })
			.map((all) => all.map((each, index) => ({ ...each, sandbox: each.keyId === "b", json: `{"n":${index}}` })));
		fc.assert(
			fc.property(mended, fc.nat(80), (all, cut) => {
				const waiting = new WaitingRequests();
				const batches: Batch[] = [];
				for (const [index, { common, ...each }] of all.entries()) {
					expect(waiting.add(each, common)).toBe(true);
					if (index === cut) batches.push(waiting.take());
				}
				batches.push(waiting.take());
				expect(waiting.size).toBe(0);
				expect(batches.reduce((sum, { size }) => sum + size, 0)).toBe(all.length);
				const found = batches.flatMap(({ chunks }) =>
					chunks.flatMap(({ requests, firstAt, lastAt, sandbox, keyId, ...common }) => {
						expect(lastAt - firstAt).toBeLessThanOrEqual(CHUNK_SPAN_MS);
						expect(firstAt < MIDNIGHT).toBe(lastAt < MIDNIGHT);
						return requests.map((json) => {
							const was = all.find((each) => each.json === json);
							expect(was).toEqual({ sandbox, keyId, common, json, at: was?.at });
							expect([firstAt <= (was?.at ?? 0), lastAt >= (was?.at ?? 0)]).toEqual([true, true]);
							return json;
						});
					}),
				);
				expect(found.toSorted()).toEqual(all.map(({ json }) => json).toSorted());
			}),
		);
	});

	it("of one key, and of all callers without one, are dropped beyond their share, and others find room", () => {
		for (const flooder of ["a", null]) {
			const waiting = new WaitingRequests();
			const taken = Array.from({ length: MOST_WAITING }, () => waiting.add(one(flooder), CHECK)).filter(Boolean).length;
			expect(taken).toBe(MOST_WAITING * SHARE_OF_ONE);
			expect(waiting.add(one("other"), CHECK)).toBe(true);
			expect(requestsOf(waiting.take())).toHaveLength(taken + 1);
			expect(waiting.add(one(flooder), CHECK)).toBe(true);
		}
	});

	it("are bounded by their characters too, and in all", () => {
		const json = "x".repeat(32 * 1_024);
		const waiting = new WaitingRequests();
		const many = Array.from({ length: 5_000 }, (_, n) => waiting.add(one(`key ${n % 5}`, json), CHECK));
		expect(many.filter(Boolean).length).toBe(MOST_WAITING_CHARACTERS / json.length);
		const small = new WaitingRequests();
		const all = Array.from({ length: 2 * MOST_WAITING }, (_, n) => small.add(one(`key ${n % 10}`), CHECK));
		expect(all.filter(Boolean).length).toBe(MOST_WAITING);
	});
});
