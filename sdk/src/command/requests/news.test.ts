import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Page } from "../../client/methods.ts";
import type { SandboxRequest } from "../../client/types.ts";
import { newsIn } from "./news.ts";

const request = (id: number): SandboxRequest => ({ requestId: `req_${id}`, at: new Date(id) }) as SandboxRequest;

/** The log as pages, the newest first. */
async function* pagesOf(log: readonly number[], size: number): AsyncGenerator<Page<SandboxRequest>> {
	const newest = log.toSorted((one, other) => other - one).map(request);
	for (let from = 0; from === 0 || from < newest.length; from += size) {
		yield { items: newest.slice(from, from + size), cursor: null, asOf: null };
	}
}
const idsOf = (requests: readonly SandboxRequest[]): number[] => requests.map(({ at }) => at.getTime());

/** A first read that one page satisfies. */
const FIRST = { enough: 0, isShown: () => true };

describe("News of the log", () => {
	it("are at first as many as are wanted, however many others there are between", async () => {
		const isShown = ({ at }: SandboxRequest): boolean => at.getTime() % 4 === 0;
		const log = Array.from({ length: 40 }, (_, at) => at + 1);
		const news = await newsIn(pagesOf(log, 3), new Set(), { enough: 3, isShown });
		expect(idsOf(news.filter(isShown))).toEqual([32, 36, 40]);
		const none = await newsIn(pagesOf(log, 1), new Set(), { enough: 1, isShown: () => false });
		expect(none).toHaveLength(10);
	});

	it("are at first those of its first page, and then all that came, the oldest first", async () => {
		const seen = new Set<string>();
		expect(idsOf(await newsIn(pagesOf([1, 2, 3, 4, 5], 3), seen, FIRST))).toEqual([3, 4, 5]);
		expect(idsOf(await newsIn(pagesOf([1, 2, 3, 4, 5], 3), seen, null))).toEqual([]);
		expect(idsOf(await newsIn(pagesOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 3), seen, null))).toEqual([
			6, 7, 8, 9, 10, 11,
		]);
	});

	it("of an empty log are none, and then everything", async () => {
		const seen = new Set<string>();
		expect(await newsIn(pagesOf([], 3), seen, FIRST)).toEqual([]);
		expect(idsOf(await newsIn(pagesOf([1, 2, 3, 4], 3), seen, null))).toEqual([1, 2, 3, 4]);
	});

	it("have a slow request, which is listed after those that came after it", async () => {
		const seen = new Set<string>();
		await newsIn(pagesOf([1, 3], 3), seen, FIRST);
		expect(idsOf(await newsIn(pagesOf([1, 2, 3], 3), seen, null))).toEqual([2]);
	});

	it("for every log that grows: none is shown twice, and none that came later is missed", async () => {
		const grown = fc.array(fc.array(fc.constant(0), { maxLength: 9 }), { minLength: 1, maxLength: 8 });
		await fc.assert(
			fc.asyncProperty(grown, fc.integer({ min: 1, max: 5 }), async (steps, size) => {
				const [seen, log, shown]: [Set<string>, number[], number[]] = [new Set(), [], []];
				let before = 0;
				for (const [at, step] of steps.entries()) {
					for (const _ of step) log.push(log.length + 1);
					shown.push(...idsOf(await newsIn(pagesOf(log, size), seen, at === 0 ? FIRST : null)));
					if (at === 0) before = Math.max(0, log.length - size);
				}
				expect(shown).toEqual(log.slice(before));
			}),
		);
	});
});
