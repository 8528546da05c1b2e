import { describe, expect, it } from "vitest";
import { EVERY, MINUTE, openWorld, SECOND } from "./world-for-tests.ts";

/** Both mirrors of a process that serves: inventory asks at minutes 0, 4, 8, certificates two minutes later. */
async function openShop() {
	const world = openWorld();
	const process = world.boot();
	const { inventory, coa } = process;
	void inventory.start();
	await world.run(2 * MINUTE);
	void coa.start();
	await world.run(MINUTE);
	const kinds = (): string[] => [inventory.status().kind, coa.status().kind];
	expect(kinds()).toEqual(["fresh", "fresh"]);
	return { ...world, ...process, kinds, holdfast: process.holdfast, sentAt: process.sentAt };
}

describe("The mirrors of a process", () => {
	it("hide everything as soon as one of them is refused, and ask at most once in 15 s", async () => {
		const { service, run, kinds, sentAt, time } = await openShop();
		service.fault = "unauthorized";
		sentAt.length = 0;
		await run(MINUTE);
		expect([kinds(), sentAt]).toEqual([["unauthorized", "unauthorized"], [time.now]]);
		await run(9 * MINUTE);
		expect(sentAt.length).toBeGreaterThan(3);
		const gaps = sentAt.slice(1).map((at, before) => at - (sentAt[before] ?? 0));
		expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15 * SECOND);
	});

	it("hide everything also while one of them refreshes, and its own request is not answered", async () => {
		const { service, network, boot, run } = openWorld();
		const { inventory, coa } = boot();
		const kinds = (): string[] => [inventory.status().kind, coa.status().kind];
		void inventory.start();
		void coa.start();
		await run(MINUTE);
		expect(kinds()).toEqual(["fresh", "fresh"]);
		const { fetch } = network;
		network.fetch = async (url, init) => {
			service.fault = url.includes("/coa") ? "unauthorized" : "badGateway";
			return await fetch(url, init);
		};
		await run(EVERY);
		expect(kinds()).toEqual(["unauthorized", "unauthorized"]);
		await run(MINUTE);
		expect(kinds()).toEqual(["unauthorized", "unauthorized"]);
	});

	it("show everything again as soon as one of them is answered", async () => {
		const { service, run, kinds } = await openShop();
		service.fault = "unauthorized";
		await run(10 * MINUTE);
		service.fault = "none";
		for (let waited = 0; kinds()[0] !== "fresh" && kinds()[1] !== "fresh"; waited += SECOND) {
			expect(waited).toBeLessThan(EVERY);
			await run(SECOND);
		}
		expect(kinds()).toEqual(["fresh", "fresh"]);
	});

	it("learn of a refusal from any request of their key, and whoever refreshes at once does not ask again", async () => {
		const { service, run, kinds, holdfast, inventory, coa, sentAt } = await openShop();
		service.fault = "unauthorized";
		sentAt.length = 0;
		void holdfast.versions.list().catch(() => undefined);
		await run(0);
		expect(kinds()).toEqual(["unauthorized", "unauthorized"]);
		void inventory.refresh();
		void coa.refresh();
		await run(0);
		expect([kinds(), sentAt.length]).toEqual([["unauthorized", "unauthorized"], 1]);
	});

	it("do not learn of a refusal that concerns one operation", async () => {
		const { service, run, kinds } = await openShop();
		service.fault = "forbidden";
		await run(MINUTE); // only the inventory mirror has sent a request
		expect(kinds()).toEqual(["unauthorized", "fresh"]);
	});
});
