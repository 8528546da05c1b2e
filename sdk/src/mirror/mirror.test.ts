import { describe, expect, it } from "vitest";
import {
	CoaMirror,
	InventoryMirror,
	type MirrorAlert,
	type MirrorOptions,
	type MirrorStore,
	memoryStore,
} from "./index.ts";
import type { PartnerProcess } from "./partner-for-tests.ts";
import { EVERY, MINUTE, openWorld, SECOND } from "./world-for-tests.ts";

const LIMIT = 10 * MINUTE;
/** Requests of one refresh: the products have three pages. */
const PAGES = 3;

const kinds = (alerts: readonly MirrorAlert[]): string[] => alerts.map(({ kind }) => kind);

describe("An InventoryMirror", () => {
	it("knows nothing before it was started, and everything after its first refresh", async () => {
		const { boot, run } = openWorld();
		const { inventory } = boot();
		expect(inventory.count("mine")).toMatchObject({ kind: "unknown", why: "empty" });
		expect(inventory.status()).toEqual({ kind: "empty", asOf: null, requests: 0 });
		const started = inventory.start();
		await run(0);
		await started;
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		expect(inventory.count("fee")).toEqual({ kind: "untracked" });
		expect(inventory.count("gone")).toMatchObject({ kind: "unknown", why: "unknown_sku" });
		for (const id of ["other", "SKU-1", "constructor", "__proto__"]) {
			expect(inventory.count(id)).toMatchObject({ kind: "unknown", why: "unknown_sku" });
		}
	});

	it("asks for each page once in four minutes, and takes 304 for counts as of now", async () => {
		const { boot, run, time, service, setStock } = openWorld();
		const { inventory } = boot();
		void inventory.start();
		await run(60 * MINUTE - 1);
		expect(inventory.status()).toMatchObject({
			kind: "fresh",
			requests: 15 * PAGES,
			asOf: new Date(time.now + 1 - EVERY),
		});
		expect(service.answered.get(200)).toBe(PAGES);
		expect(service.answered.get(304)).toBe(14 * PAGES);
		setStock(0);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		await run(1);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 0 });
		expect(service.answered.get(200)).toBe(PAGES + 1);
	});

	it("takes nothing from a refresh that does not reach its end", async () => {
		const { boot, run, service, network, setStock, time } = openWorld();
		const { inventory } = boot();
		void inventory.start();
		const readAt = new Date(time.now);
		await run(MINUTE);
		setStock(3);
		const { fetch } = network;
		network.fetch = async (url, init) => {
			service.fault = url.includes("cursor") ? "badGateway" : "none";
			return await fetch(url, init);
		};
		await run(EVERY);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		expect(inventory.status()).toMatchObject({ kind: "fresh", asOf: readAt, lastError: { status: 502 } });
		network.fetch = fetch;
		service.fault = "none";
		await run(EVERY);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 3 });
	});

	it("takes an answer of another shape for none, and names its request", async () => {
		const { boot, run, service, network, alerts } = openWorld();
		const { inventory } = boot();
		void inventory.start();
		await run(MINUTE);
		const { fetch } = network;
		const odd = { data: { items: [{ sku: "SKU-1", tracks_inventory: true, availability: {} }], has_more: false } };
		const headers = { ETag: '"odd"', "X-Request-Id": "req_1" };
		network.fetch = () => Promise.resolve(new Response(JSON.stringify(odd), { headers }));
		await run(EVERY);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		expect(inventory.status().lastError).toMatchObject({ code: "connection_lost", status: 200, requestId: "req_1" });
		expect(kinds(alerts)).toEqual(["failing"]);
		network.fetch = fetch;
		await run(EVERY);
		expect(service.answered.get(304)).toBe(PAGES);
		expect(kinds(alerts)).toEqual(["failing", "recovered"]);
	});

	it("never refreshes twice at once", async () => {
		const { boot, run } = openWorld();
		const { inventory } = boot();
		void inventory.start();
		void inventory.start();
		const twice = [inventory.refresh(), inventory.refresh()];
		await run(0);
		expect(await Promise.all(twice)).toEqual([inventory.status(), inventory.status()]);
		expect(inventory.status().requests).toBe(PAGES);
	});

	it("can be refreshed without a timer", async () => {
		const { boot, run, time } = openWorld();
		const { inventory } = boot();
		const refreshed = inventory.refresh();
		await run(LIMIT - 1);
		expect(await refreshed).toMatchObject({ kind: "fresh", requests: PAGES });
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		time.now += 1;
		expect(inventory.count("mine")).toEqual({ kind: "unknown", why: "stale", since: new Date(time.now) });
	});

	it("stops at once, in the middle of a refresh, and tells nobody", async () => {
		const { boot, run, service, time, alerts } = openWorld();
		const { inventory } = boot();
		void inventory.start();
		await run(EVERY - 1);
		service.fault = "silence";
		await run(SECOND);
		expect(inventory.status().requests).toBe(PAGES + 1);
		const stopped = inventory.stop();
		await run(0);
		await stopped;
		service.fault = "none";
		expect(inventory.status()).toMatchObject({ kind: "fresh", requests: PAGES + 1 });
		expect(inventory.status()).not.toHaveProperty("lastError");
		await run(60 * MINUTE);
		expect(inventory.status()).toMatchObject({ kind: "stale", requests: PAGES + 1 });
		expect(alerts).toEqual([]);
		const started = inventory.start();
		await run(0);
		await started;
		expect(inventory.status()).toMatchObject({ kind: "fresh", asOf: new Date(time.now) });
	});

	it("refreshes when it is started again while its last refresh is ending", async () => {
		const { boot, run, service, time } = openWorld();
		const { inventory } = boot();
		service.fault = "silence";
		void inventory.start();
		await run(SECOND);
		service.fault = "none";
		void inventory.stop();
		void inventory.start();
		await run(0);
		expect(inventory.status()).toMatchObject({ kind: "fresh", asOf: new Date(time.now) });
	});

	it("lets every other request of the key go first", async () => {
		const { boot, run, service } = openWorld();
		const { inventory, holdfast } = boot();
		for (let n = 0; n < 50; n++) holdfast.check([{ sku: "SKU-1", qty: 1 }]).catch(() => undefined);
		void inventory.start();
		await run(SECOND);
		expect(service.answered.get(200)).toBe(50);
		const checked = holdfast.check([{ sku: "SKU-1", qty: 1 }]);
		await run(0);
		expect(await checked).toEqual([]);
		expect(inventory.status().kind).toBe("empty");
		await run(MINUTE);
		expect(inventory.status().kind).toBe("fresh");
	});

	it("hides every count while the key is refused, alerts once, asks at its pace, and recovers by itself", async () => {
		const { boot, run, service, alerts, time } = openWorld();
		const { inventory } = boot();
		void inventory.start();
		await run(MINUTE);
		service.fault = "unauthorized";
		await run(3 * MINUTE);
		const refusedAt = new Date(time.now);
		expect(inventory.count("mine")).toEqual({ kind: "unknown", why: "unauthorized", since: refusedAt });
		expect(inventory.count("gone")).toMatchObject({ why: "unauthorized" });
		expect(alerts).toEqual([
			{ kind: "unauthorized", since: refusedAt, error: expect.objectContaining({ status: 401 }) },
		]);
		service.fault = "errors";
		await run(20 * MINUTE);
		expect(inventory.status()).toMatchObject({ kind: "unauthorized", lastError: { code: "internal_error" } });
		service.fault = "none";
		await run(EVERY);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		expect(kinds(alerts)).toEqual(["unauthorized", "recovered"]);
		expect(inventory.status()).not.toHaveProperty("lastError");
	});

	it("says when it begins to fail, when it is stale, to the millisecond, and when all is well", async () => {
		const { boot, run, service, alerts, time } = openWorld();
		const { inventory } = boot();
		void inventory.start();
		const readAt = time.now;
		await run(MINUTE);
		service.fault = "badGateway";
		await run(LIMIT - MINUTE - 1);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		expect(kinds(alerts)).toEqual(["failing"]);
		await run(1);
		expect(inventory.count("mine")).toEqual({ kind: "unknown", why: "stale", since: new Date(readAt + LIMIT) });
		expect(alerts[1]).toMatchObject({ kind: "stale", since: new Date(readAt + LIMIT) });
		await run(60 * MINUTE);
		service.fault = "none";
		await run(EVERY);
		expect(kinds(alerts)).toEqual(["failing", "stale", "recovered"]);
	});

	it("does not become younger when the clock is set back", async () => {
		const { boot, run, service, machine, alerts } = openWorld();
		const { inventory } = boot();
		void inventory.start();
		await run(MINUTE);
		service.fault = "errors";
		machine.clockMs = -60 * MINUTE;
		await run(LIMIT - MINUTE);
		expect(inventory.count("mine")).toMatchObject({ kind: "unknown", why: "stale" });
		expect(kinds(alerts)).toEqual(["failing", "stale"]);
	});

	it.each<[string, (alert: MirrorAlert) => unknown]>([
		["throws", () => expect.unreachable("It is ignored.")],
		["rejects", () => Promise.reject(new Error("It is ignored."))],
		["never ends", () => new Promise(() => undefined)],
	])("goes on when onAlert %s", async (_what, onAlert) => {
		const { boot, run, service, time } = openWorld();
		const { holdfast } = boot();
		const clock = {
			now: () => time.now,
			sleep: (ms: number) => new Promise<void>((resolve) => time.plan(ms, resolve)),
		};
		const mirror = new InventoryMirror({ holdfast, skus: { mine: "SKU-1" }, store: memoryStore(), onAlert, clock });
		service.fault = "forbidden";
		void mirror.start();
		await run(EVERY - 1);
		service.fault = "none";
		await run(1);
		expect(mirror.count("mine")).toEqual({ kind: "known", qty: 7 });
	});
});

describe("A restarted InventoryMirror", () => {
	it("has what its store has, as old as it is, until the service answers", async () => {
		const { boot, run, service, alerts, time } = openWorld();
		const first = boot();
		void first.inventory.start();
		const readAt = new Date(time.now);
		await run(3 * MINUTE);
		first.kill();
		await run(4 * MINUTE);
		service.fault = "silence";
		const { inventory } = boot();
		void inventory.start();
		await run(0);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		expect(inventory.status()).toMatchObject({ kind: "fresh", asOf: readAt });
		await run(3 * MINUTE);
		expect(inventory.count("mine")).toMatchObject({ kind: "unknown", why: "stale" });
		expect(kinds(alerts)).toEqual(["failing", "stale"]);
		service.fault = "none";
		await run(EVERY);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		expect(service.answered.get(304)).toBe(PAGES);
	});

	it("says nothing of an old store before its first refresh has ended", async () => {
		const { boot, run, alerts } = openWorld();
		const first = boot();
		void first.inventory.start();
		await run(0);
		first.kill();
		await run(24 * 60 * MINUTE);
		const { inventory } = boot();
		void inventory.start();
		await run(0);
		expect(inventory.status().kind).toBe("fresh");
		expect(alerts).toEqual([]);
	});

	it("still knows that the key was refused, and does not tell it again", async () => {
		const { boot, run, service, alerts } = openWorld();
		const first = boot();
		void first.inventory.start();
		await run(MINUTE);
		service.fault = "unauthorized";
		await run(EVERY);
		first.kill();
		service.fault = "silence";
		const { inventory } = boot();
		void inventory.start();
		await run(SECOND);
		expect(inventory.count("mine")).toMatchObject({ kind: "unknown", why: "unauthorized" });
		service.fault = "none";
		await run(2 * EVERY);
		expect(kinds(alerts)).toEqual(["unauthorized", "recovered"]);
	});
});

describe("A store", () => {
	const failing: MirrorStore = {
		load: () => Promise.reject(new Error("no disk")),
		save: () => Promise.reject(new Error("no disk")),
	};
	const throwing = { load: () => expect.unreachable("no disk"), save: () => expect.unreachable("no disk") };
	const hanging: MirrorStore = { load: () => new Promise(() => undefined), save: () => new Promise(() => undefined) };
	it.each<[string, MirrorStore]>([
		["fails", failing],
		["throws", throwing],
		["hangs", hanging],
	])("that %s does not stop the mirror, and is named by its status", async (_what, inventory) => {
		const { boot, run, service, alerts } = openWorld({ inventory });
		const mirror = boot().inventory;
		void mirror.start();
		await run(MINUTE);
		expect(mirror.status()).toMatchObject({ kind: "fresh", lastError: expect.any(Error) });
		await run(60 * MINUTE);
		expect(mirror.status().requests).toBe(16 * PAGES);
		service.fault = "unauthorized";
		await run(EVERY);
		expect(kinds(alerts)).toEqual(["recovered", "unauthorized"]); // an earlier process may have alerted
	});

	it.each<[string, (kept: MirrorStore) => MirrorStore]>([
		["fails", ({ save }) => ({ ...failing, save })],
		["hangs", ({ save }) => ({ ...hanging, save })],
		["is torn", ({ save }) => ({ load: () => Promise.resolve('{"holdfast":"inv'), save })],
	])("that %s at the start does not keep a mirror from alerting once that it recovered", async (_what, spoilt) => {
		const kept = memoryStore();
		let store = kept;
		const { boot, run, service, alerts } = openWorld({
			inventory: { load: () => store.load(), save: (text) => store.save(text) },
		});
		const startWith = async (used: MirrorStore): Promise<PartnerProcess> => {
			store = used;
			const process = boot();
			void process.inventory.start();
			await run(MINUTE);
			return process;
		};
		service.fault = "badGateway";
		const first = await startWith(kept);
		await run(LIMIT);
		first.kill();
		expect(kinds(alerts)).toEqual(["failing", "stale"]);
		service.fault = "none";
		const second = await startWith(spoilt(kept));
		expect(second.inventory.status().kind).toBe("fresh");
		expect(kinds(alerts)).toEqual(["failing", "stale", "recovered"]);
		second.kill();
		const third = await startWith(kept);
		await run(LIMIT);
		third.kill();
		expect(kinds(alerts)).toEqual(["failing", "stale", "recovered"]);
	});

	it("that is torn, or another mirror's, is replaced", async () => {
		const inventory = memoryStore();
		const { boot, run } = openWorld({ inventory });
		for (const text of ["", '{"holdfast":"inv', "[]", '{"holdfast":"coa mirror","version":1}']) {
			await inventory.save(text);
			const process = boot();
			expect(process.inventory.status().kind).toBe("empty");
			void process.inventory.start();
			await run(0);
			expect(process.inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
			expect(await inventory.load()).toContain('"holdfast":"inventory mirror"');
			process.kill();
		}
	});
});

describe("Options", () => {
	const { boot } = openWorld();
	const right = { holdfast: boot().holdfast, store: memoryStore(), onAlert: () => undefined };
	it.each<[string, Partial<Record<keyof MirrorOptions, unknown>>, string]>([
		["no client", { holdfast: {} }, "holdfast"],
		["no store", { store: undefined }, "store"],
		["nobody to alert", { onAlert: undefined }, "onAlert"],
		["too fast", { everyMs: 100 }, "everyMs"],
		["no number", { everyMs: Number.NaN }, "everyMs"],
		["longer than a timer", { everyMs: 2 ** 31, staleAfterMs: 2 ** 32 }, "everyMs"],
		["stale before it is read again", { everyMs: 600_000 }, "staleAfterMs"],
	])("are refused: %s", (_what, wrong, names) => {
		expect(() => new CoaMirror({ ...right, ...wrong } as MirrorOptions)).toThrow(names);
		expect(() => new InventoryMirror({ ...right, skus: {}, ...wrong } as never)).toThrow(names);
	});

	it("are refused without SKUs", () => {
		expect(() => new InventoryMirror(right as never)).toThrow("skus");
	});
});
