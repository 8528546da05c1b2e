import { describe, expect, it } from "vitest";
import type { CoaMirror } from "./index.ts";
import { EVERY, MINUTE, openWorld } from "./world-for-tests.ts";

describe("A CoaMirror", () => {
	it("has what is in force, what is of a lot, and tombstones, and knows none from not known", async () => {
		const { boot, run, truth, time } = openWorld();
		truth.certificates[8]?.history.set(time.now, "retired");
		truth.certificates[16]?.history.set(time.now, "archived");
		const { coa } = boot();
		expect(coa.current("slug-0")).toMatchObject({ kind: "unknown", why: "empty" });
		expect(coa.cursor).toBeNull();
		void coa.start();
		await run(0);
		const batches = (seen: ReturnType<CoaMirror["all"]>) =>
			seen.kind === "known" ? seen.items.map(({ batchNumber }) => batchNumber) : seen.why;
		expect(batches(coa.current("slug-0"))).toEqual(["B-24", "B-0"]);
		expect(coa.current("no-such")).toEqual({ kind: "known", items: [] });
		expect(coa.lot("B-8")).toMatchObject({ kind: "known", items: [{ status: "retired", certificateUrl: "" }] });
		expect(coa.lot("B-16")).toMatchObject({ kind: "known", items: [{ status: "archived" }] });
		expect(batches(coa.all())).toHaveLength(25);
		expect(coa.cursor).toEqual(expect.any(String));
	});

	it("takes a withdrawn certificate down with one request, also after a restart", async () => {
		const { boot, run, truth, time, machine } = openWorld();
		const first = boot();
		void first.coa.start();
		await run(0);
		first.kill();
		const withdrawn = truth.certificates[3];
		withdrawn?.history.set(time.now, "retired");
		Object.assign(withdrawn ?? {}, { version: 1_000 });
		const { coa } = boot();
		void coa.start();
		await run(0);
		expect(coa.status().requests).toBe(1);
		expect(coa.lot("B-3")).toMatchObject({ items: [{ status: "retired" }] });
		expect(await machine.stores.coa.load()).toContain(JSON.stringify(coa.cursor));
	});

	it("has within a day only what a service has that was restored, and shows its copy until then", async () => {
		const { boot, run, truth } = openWorld();
		const first = boot();
		void first.coa.start();
		await run(0);
		truth.certificates.splice(3, 1); // without a tombstone
		await run(12 * 60 * MINUTE);
		expect(first.coa.all()).toMatchObject({ kind: "known", items: { length: 25 } });
		first.kill();
		const { coa } = boot();
		void coa.start();
		await run(12 * 60 * MINUTE + EVERY);
		expect(coa.all()).toMatchObject({ kind: "known", items: { length: 24 } });
		expect(coa.lot("B-3")).toEqual({ kind: "known", items: [] });
	});

	it("goes on where a refresh broke off, and knows nothing before the end of the feed", async () => {
		const { boot, run, service, network } = openWorld();
		const { coa } = boot();
		const { fetch } = network;
		network.fetch = async (url, init) => {
			service.fault = url.includes("cursor") ? "badGateway" : "none";
			return await fetch(url, init);
		};
		void coa.start();
		await run(MINUTE);
		expect(coa.cursor).toEqual(expect.any(String));
		expect(coa.all()).toMatchObject({ kind: "unknown", why: "empty" });
		network.fetch = fetch;
		service.fault = "none";
		await run(EVERY);
		expect(coa.all()).toMatchObject({ kind: "known", items: { length: 25 } });
		expect(coa.status().requests).toBe(4);
	});

	it("gives nothing as current while the key is refused", async () => {
		const { boot, run, service } = openWorld();
		const { coa } = boot();
		void coa.start();
		await run(MINUTE);
		service.fault = "unauthorized";
		await run(EVERY);
		for (const seen of [coa.current("slug-0"), coa.lot("B-8"), coa.all()]) {
			expect(seen).toMatchObject({ kind: "unknown", why: "unauthorized" });
		}
		service.fault = "none";
		await run(EVERY);
		expect(coa.current("slug-0")).toMatchObject({ kind: "known" });
	});

	it("reads the whole feed again when its cursor is refused, and until then gives what it has", async () => {
		const { boot, run, service, truth, time } = openWorld();
		const { coa } = boot();
		void coa.start();
		await run(MINUTE);
		truth.certificates[0]?.history.set(time.now, "retired");
		service.refuseCursors();
		service.fault = "badGateway";
		await run(EVERY);
		expect(coa.all()).toMatchObject({ kind: "known" });
		service.fault = "none";
		await run(EVERY);
		expect(coa.status()).toMatchObject({ kind: "fresh" });
		expect(coa.lot("B-0")).toMatchObject({ items: [{ status: "retired" }] });
	});
});
