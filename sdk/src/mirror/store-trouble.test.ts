import { describe, expect, it } from "vitest";
import { type MirrorStore, memoryStore } from "./index.ts";
import { EVERY, MINUTE, openWorld, SECOND } from "./world-for-tests.ts";

/** A store whose single calls can be made to fail. */
function troubledStore() {
	const kept = memoryStore();
	const store = { ...kept };
	return { kept, store, openWorld: () => openWorld({ inventory: delegate(store) }) };
}

const delegate = (store: MirrorStore): MirrorStore => ({
	load: () => store.load(),
	save: (text) => store.save(text),
});

describe("A store that cannot be read at first", () => {
	it.each([
		["fails", () => Promise.reject(new Error("no network yet"))],
		["hangs", () => new Promise<never>(() => undefined)],
	])("and %s keeps its copy while the service cannot be read either, and gives it later", async (_how, load) => {
		const { kept, store, openWorld } = troubledStore();
		const { boot, run, service, alerts } = openWorld();
		const first = boot();
		void first.inventory.start();
		await run(MINUTE);
		first.kill();
		const copy = await kept.load();
		expect(copy).toContain("SKU-1");

		store.load = load;
		service.fault = "badGateway";
		const { inventory } = boot();
		void inventory.start();
		await run(MINUTE);
		expect(inventory.status()).toMatchObject({ kind: "empty", lastError: expect.any(Error) });
		expect(await kept.load()).toBe(copy);

		store.load = kept.load;
		await run(EVERY);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 7 });
		service.fault = "none";
		await run(EVERY);
		expect(alerts.map(({ kind }) => kind)).toEqual(["failing", "recovered"]);
		expect(JSON.parse((await kept.load()) ?? "")).toMatchObject({ trouble: null, told: "well" });
	});

	it("is not read again once the service was, because its copy is older", async () => {
		const { kept, store, openWorld } = troubledStore();
		const { boot, run, setStock } = openWorld();
		const first = boot();
		void first.inventory.start();
		await run(MINUTE);
		first.kill();

		store.load = () => Promise.reject(new Error("no network yet"));
		setStock(3);
		const { inventory } = boot();
		void inventory.start();
		await run(MINUTE);
		store.load = () => expect.unreachable("It was read again.");
		await run(2 * EVERY);
		expect(inventory.count("mine")).toEqual({ kind: "known", qty: 3 });
		expect(await kept.load()).toContain('["SKU-1",3]');
	});

	it("still says later that the key was refused", async () => {
		const { kept, store, openWorld } = troubledStore();
		const { boot, run, service } = openWorld();
		const first = boot();
		void first.inventory.start();
		await run(MINUTE);
		service.fault = "unauthorized";
		await run(EVERY);
		first.kill();

		store.load = () => Promise.reject(new Error("no network yet"));
		service.fault = "badGateway";
		const { inventory } = boot();
		void inventory.start();
		await run(MINUTE);
		store.load = kept.load;
		await run(EVERY);
		expect(inventory.count("mine")).toMatchObject({ kind: "unknown", why: "unauthorized" });
	});
});

describe("A save that ends after a newer one", () => {
	it.each([
		["although it failed", true],
		["and undoes it", false],
	])("%s, is followed by the newest", async (_how, fails) => {
		const { kept, store, openWorld } = troubledStore();
		const { boot, run, service } = openWorld();
		let endFirst: () => void = () => expect.unreachable("Nothing was saved.");
		store.save = (text) => {
			store.save = kept.save;
			return new Promise((resolve, reject) => {
				endFirst = () => {
					void kept.save(text);
					if (fails) reject(new Error("the connection was lost"));
					else resolve();
				};
			});
		};
		const { inventory } = boot();
		void inventory.start();
		await run(MINUTE);
		service.fault = "unauthorized";
		await run(EVERY);
		expect(await kept.load()).toContain('"kind":"unauthorized"');
		endFirst();
		await run(SECOND);
		expect(await kept.load()).toContain('"kind":"unauthorized"');
		expect(inventory.status().kind).toBe("unauthorized");
	});
});
