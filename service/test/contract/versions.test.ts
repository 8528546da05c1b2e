import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CURRENT_API_DATE } from "../../src/glossary.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { ListVersions } from "../../src/partners/versions/contract.ts";
import { openWorld, type World } from "./world.ts";

let world: World;
let key: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	key = (await world.key({ brand: "ACME" })).token;
});
afterAll(() => world.stop());

describe("GET /api/versions", () => {
	it("lists the accepted dates to anybody", async () => {
		const answer = await world.call(ListVersions, null, undefined);
		expect([answer.status, answer.data]).toEqual([
			200,
			{ items: [{ version: CURRENT_API_DATE, status: "current", sunset_on: null }] },
		]);
	});

	it("looks at no key and no date header, and answers on the current date", async () => {
		const plain = await world.call(ListVersions, null, undefined);
		for (const version of ["1999-01-01", "2999-01-01", "nonsense", "", "2026-02-30"]) {
			const answer = await world.call(ListVersions, null, undefined, {
				headers: { "x-partner-version": version, authorization: "Bearer nonsense" },
			});
			expect([answer.status, answer.text]).toEqual([200, plain.text]);
			expect(answer.header("x-partner-version")).toBe(CURRENT_API_DATE);
			expect(answer.header("ratelimit")).toBeUndefined();
		}
	});

	it("is answered 304 to whoever has it, and HEAD without its body", async () => {
		const address = `http://127.0.0.1:${world.port}/api/versions`;
		const etag = (await fetch(address)).headers.get("etag");
		expect(etag).toMatch(/^W\/"/);
		expect((await fetch(address, { headers: { "if-none-match": String(etag) } })).status).toBe(304);
		const head = await fetch(address, { method: "HEAD" });
		expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
	});

	it("takes no parameter", async () => {
		expect((await world.send(ListVersions, null, undefined, { search: "?all=1" })).verdict).toBe("400 invalid_input");
	});
});

describe("X-Partner-Version", () => {
	const ask = (version?: string | string[]) =>
		world.call(
			Check,
			key,
			{ items: [{ sku: "X", qty: 1 }] },
			{
				headers: version === undefined ? {} : { "x-partner-version": version },
			},
		);

	it("absent or current, the current date is in force", async () => {
		for (const version of [undefined, CURRENT_API_DATE]) {
			const answer = await ask(version);
			expect([answer.status, answer.header("x-partner-version")]).toEqual([200, CURRENT_API_DATE]);
			for (const name of ["deprecation", "sunset"]) expect(answer.header(name)).toBeUndefined();
		}
	});

	it.each(["2026-09-07", "2099-12-31", "9999-12-31"])(
		"%s, newer than the deployment: 400 unsupported_version naming the accepted dates",
		async (version) => {
			const answer = await ask(version);
			expect(answer.verdict).toBe("400 unsupported_version");
			expect(answer.error.message).toContain(CURRENT_API_DATE);
			expect(answer.header("x-partner-version")).toBe(CURRENT_API_DATE);
		},
	);

	it.each(["2026-09-05", "1999-01-01", "0001-01-01"])(
		"%s, older than the oldest accepted: 400 unsupported_version",
		async (version) => {
			const answer = await ask(version);
			expect(answer.verdict).toBe("400 unsupported_version");
			expect(answer.error.message).toContain(CURRENT_API_DATE);
			expect(answer.header("x-partner-version")).toBe(CURRENT_API_DATE);
		},
	);

	it.each([
		"",
		"latest",
		"2026",
		"2026-9-6",
		"2026-02-30",
		"2025-02-29",
		"2026-13-01",
		"2026-00-10",
		"06-09-2026",
		"2026-09-06T00:00:00Z",
		"20260906",
		"+2026-09-06",
		"2026-09-06, 2026-09-06",
		"2026/09/06",
	])("%o is no date: 400 invalid_input", async (version) => {
		const answer = await ask(version);
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain("X-Partner-Version");
		expect(answer.header("x-partner-version")).toBe(CURRENT_API_DATE);
	});

	it("given twice, it is no date", async () => {
		expect((await ask([CURRENT_API_DATE, CURRENT_API_DATE])).verdict).toBe("400 invalid_input");
	});
});
