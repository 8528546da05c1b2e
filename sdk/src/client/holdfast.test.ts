import { readFile } from "node:fs/promises";
import path from "node:path";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Holdfast } from "./holdfast.ts";
import { data, startServer } from "./http-server-for-tests.ts";
import { SimulatedTime } from "./simulated-time-for-tests.ts";
import { VERSION } from "./version.ts";

const KEY = { baseUrl: "https://api.example", token: "pk_test:sk_test" };
const LINES = [{ sku: "A", qty: 1 }];

afterEach(() => vi.unstubAllGlobals());

describe("A client", () => {
	it.for([
		[{ ...KEY, token: "" }, "token"],
		[{ ...KEY, token: "sk_test" }, "token"],
		[{ ...KEY, token: "pk_test:sk_tést" }, "token"],
		[{ ...KEY, token: "pk_test:sk_test\n" }, "token"],
		[{ ...KEY, baseUrl: "api.example" }, "baseUrl"],
		[{ ...KEY, baseUrl: "ftp://api.example" }, "baseUrl"],
		[{ ...KEY, coaUrl: "" }, "coaUrl"],
		[{ ...KEY, timeoutMs: -1 }, "timeoutMs"],
		[{ ...KEY, requestsPerMinute: 0 }, "requestsPerMinute"],
	] as const)("is not made of %j", ([options, name]) => {
		expect(() => new Holdfast(options)).toThrow(name);
	});

	it("with a secret is not made in a browser; without one it is", () => {
		vi.stubGlobal("document", {});
		vi.stubGlobal("process", undefined);
		expect(() => new Holdfast(KEY)).toThrow("browser");
		expect(new Holdfast({ coaUrl: "https://coa.example" })).toBeInstanceOf(Holdfast);
	});

	it("with a secret is made where a test under Node has a document", () => {
		vi.stubGlobal("document", {});
		expect(new Holdfast(KEY)).toBeInstanceOf(Holdfast);
	});

	it("has the same operations whole and raw", () => {
		const holdfast = new Holdfast(KEY);
		const namesOf = (tree: object): string[] =>
			Object.entries(tree).flatMap(([name, value]) =>
				typeof value === "function" ? [name] : Object.keys(value as object).map((own) => `${name}.${own}`),
			);
		const whole = namesOf(holdfast).filter((name) => !name.startsWith("raw."));
		expect(whole).toEqual(namesOf(holdfast.raw));
		expect(whole).toContain("webhookEndpoints.rotateSecret");
	});

	it("says its version as the package does", async () => {
		const manifest = await readFile(path.join(import.meta.dirname, "../../package.json"), "utf8");
		expect((JSON.parse(manifest) as { version: string }).version).toBe(VERSION);
	});

	it("sends to an address with a path, and by the fetch that it was given", async () => {
		const urls: string[] = [];
		const given: typeof fetch = async (input) => {
			urls.push(new Request(input).url);
			return Response.json({ data: { items: [] } });
		};
		await new Holdfast({ ...KEY, baseUrl: "https://api.example/holdfast/", fetch: given }).check(LINES);
		expect(urls).toEqual(["https://api.example/holdfast/api/v1/check"]);
	});

	it("shares the budget of its key with every client of the process, and with no other key", async () => {
		const clock = new SimulatedTime();
		const times: Record<string, number[]> = {};
		const clientOf = (token: string): Holdfast => {
			const given: typeof fetch = async () => {
				(times[token] ??= []).push(clock.now());
				return Response.json({ data: { items: [] } });
			};
			return new Holdfast({ ...KEY, token, fetch: given, clock, requestsPerMinute: 3 });
		};
		const start = clock.now();
		for (const token of ["pk_a:sk_1", "pk_a:sk_2", "pk_b:sk_1"]) {
			for (let n = 0; n < 2; n++) void clientOf(token).check(LINES);
		}
		await clock.run();
		const ofA = [...(times["pk_a:sk_1"] ?? []), ...(times["pk_a:sk_2"] ?? [])].toSorted((a, b) => a - b);
		expect(ofA.map((at) => at - start)).toEqual([0, 0, 0, 60_000]);
		expect(times["pk_b:sk_1"]?.map((at) => at - start)).toEqual([0, 0]);
	});
});

describe("Answers in the SDK's words", () => {
	const clientOf = (url: string): Holdfast =>
		new Holdfast({ baseUrl: url, coaUrl: url, token: "pk_words:sk_words", requestsPerMinute: 1000 });
	const item = { sku: "A", brand_code: null, requested_qty: 1, atp_qty: 0, tracks_inventory: true, known: true };

	it("check gives the lines in order, each with counts", async () => {
		await using server = await startServer(data({ items: [item, { ...item, sku: "B", known: false }] }));
		const [first, second] = await clientOf(server.url).check(LINES);
		expect(first).toMatchObject({ sku: "A", requestedQty: 1, atpQty: { kind: "known", qty: 0 } });
		expect(second).toMatchObject({ sku: "B", atpQty: { kind: "unknown", why: "unknown_sku" } });
	});

	it("a hold has its token, its reference and what the service warned of", async () => {
		const hold = { reservation_token: "t-1", expires_at: "2026-09-06T12:30:00.000Z", idempotent: true, items: [] };
		await using server = await startServer(data(hold, { "Partner-Warning": "ttl_differs, impaired" }, 201));
		expect(await clientOf(server.url).reserve({ items: LINES, externalRef: "cart-1" })).toEqual({
			token: "t-1",
			expiresAt: new Date("2026-09-06T12:30:00.000Z"),
			externalRef: "cart-1",
			items: [],
			replayed: true,
			warnings: ["ttl_differs", "impaired"],
			impaired: true,
		});
	});

	it("a hold read back has its token too", async () => {
		await using server = await startServer(
			data({ reservation_token: "t-1", status: "active", ended_at: null, items: [] }),
		);
		const expected = { token: "t-1", status: "active", endedAt: null, items: [] };
		expect(await clientOf(server.url).holds.get("t-1")).toEqual(expected);
		expect(await clientOf(server.url).holds.find({ externalRef: "cart-1" })).toEqual(expected);
	});

	it("an inventory position has counts, and a fee has none", async () => {
		const position = { sku: "A", tracks_inventory: true, by_brand: [], totals: { on_hand: 4, reserved: 1, atp: 3 } };
		await using server = await startServer(data(position), data({ ...position, tracks_inventory: false }));
		const client = clientOf(server.url);
		expect((await client.inventory.get({ sku: "A" })).totals.atp).toEqual({ kind: "known", qty: 3 });
		expect((await client.inventory.get({ sku: "FEE" })).totals.atp).toEqual({ kind: "untracked" });
	});

	it("versions and the certificates of a lot are arrays", async () => {
		await using server = await startServer(data({ items: [{ version: "2026-09-06" }] }));
		expect(await clientOf(server.url).versions.list()).toEqual([{ version: "2026-09-06" }]);
		expect(await clientOf(server.url).coa.lot("L")).toEqual([{ version: "2026-09-06" }]);
	});
});

it("The client needs nothing but globals of the web", async () => {
	const build = await rolldown({ input: path.join(import.meta.dirname, "../index.ts") });
	const { output } = await build.generate({ format: "iife", name: "kit" });
	await build.close();
	const requests: string[] = [];
	const answer = async (url: string): Promise<Response> => {
		requests.push(url);
		return Response.json({ data: { lot: "L", state: "current", items: [] } });
	};
	const timers = { setTimeout, clearTimeout };
	const web = { URL, URLSearchParams, Headers, AbortSignal, ...timers, crypto, performance, fetch: answer };
	const context = createContext(web);
	runInContext(output[0].code, context);
	const state: unknown = await runInContext(
		`new kit.Holdfast({ coaUrl: "https://coa.example" }).coa.lookup("L").then(({ state }) => state)`,
		context,
	);
	expect([state, requests]).toEqual(["current", ["https://coa.example/coa/lookup?lot=L"]]);
});
