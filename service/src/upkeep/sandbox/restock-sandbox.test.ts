import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { executeIn } from "../../../test/execute-in.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { LINKS } from "../../../test/links.ts";
import { runTask } from "../../../test/run-task.ts";
import { openStockEngine, type StockEngine } from "../../assembly/engine.ts";
import { SANDBOX_BRAND, SANDBOX_POOL_ID, SCOPES } from "../../glossary.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { createCatalogCache } from "../../inventory/catalog/cache.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { newKeyRingEntry, parseKeyRing } from "../../partners/keys/key-ring.ts";
import { firstStart } from "./first-start.ts";
import { restockSandbox } from "./restock-sandbox.ts";
import { RESTOCK_DAILY } from "./tasks.ts";

const caller: Caller = {
	keyId: newId(),
	pk: "pk_hf_sandbox_x",
	partnerId: newId(),
	environment: "sandbox",
	brandCode: SANDBOX_BRAND,
	poolId: SANDBOX_POOL_ID,
	sharedPool: false,
	scopes: new Set(SCOPES),
	requestsPerMinute: 60,
	maxHeldUnits: null,
};
const origin = { actor: `key:${caller.pk}`, requestId: null };

describe("The sandbox's stock", () => {
	let database: TestDatabase;
	let engine: StockEngine;
	const ring = parseKeyRing(newKeyRingEntry());
	const settings = { timeZone: "UTC", executeIn };

	beforeEach(async () => {
		database = await openTestDatabase();
		engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
	});
	afterEach(async () => {
		await engine.close();
		await database.close();
	});
	const reserve = async (sku: string, qty: number) => {
		const lines = [{ sku, qty, brandCode: undefined }];
		return await engine.execute({
			...({ kind: "reserve", origin, caller, newToken: newId(), lines, ttlMinutes: 30, externalRef: null } as const),
		});
	};
	const codeOf = (answer: unknown): string => (isRefusal(answer) ? answer.refusal : "granted");
	const lot = async (formula: string) => {
		const { rows } = await database.db.query<{ available: number; held: number; consumed: number }>(
			"select available, held, consumed from lot join formula using (formula_id) where code = $1",
			[formula],
		);
		return rows[0];
	};

	it("answers as settlements, section 10, says", async () => {
		await restockSandbox(database.db, settings);
		const answers = {
			plenty: codeOf(await reserve("SBX-PLENTY", 10_000)),
			tooLow: codeOf(await reserve("SBX-LOW", 4)),
			low: codeOf(await reserve("SBX-LOW", 3)),
			out: codeOf(await reserve("SBX-OUT", 1)),
			kit: codeOf(await reserve("SBX-KIT", 100)),
			kitShort: codeOf(await reserve("SBX-KIT-SHORT", 1)),
			fee: codeOf(await reserve("SBX-FEE", 1)),
			archived: codeOf(await reserve("SBX-ARCHIVED", 1)),
			expired: codeOf(await reserve("SBX-EXPIRED", 1)),
			retry: codeOf(await reserve("SBX-RETRY", 1)),
			held: codeOf(await reserve("SBX-HELD", 1)),
		};
		expect(answers).toEqual({
			plenty: "granted",
			tooLow: "no_inventory",
			low: "granted",
			out: "no_inventory",
			kit: "granted",
			kitShort: "no_inventory",
			fee: "invalid_item",
			archived: "invalid_item",
			expired: "no_inventory",
			retry: "retry",
			held: "granted",
		});
	});

	it("a restock restores free units and touches no hold", async () => {
		await restockSandbox(database.db, settings);
		await reserve("SBX-LOW", 2);
		const taken = await reserve("SBX-PLENTY", 500);
		if (isRefusal(taken)) throw new Error(taken.message);
		await engine.execute({ kind: "consume", origin, caller, token: taken.hold.reservationToken, externalRef: "sale" });
		expect(await restockSandbox(database.db, settings)).toEqual({ done: true, received_units: 502, removed_units: 0 });
		expect(await lot("SBX-LOW")).toEqual({ available: 3, held: 2, consumed: 0 });
		expect(await lot("SBX-PLENTY")).toEqual({ available: 100_000, held: 0, consumed: 500 });
		await engine.execute({ kind: "reverse", origin, caller, externalRef: "sale" });
		expect(await restockSandbox(database.db, settings)).toEqual({ done: true, received_units: 0, removed_units: 500 });
		expect(await lot("SBX-PLENTY")).toEqual({ available: 100_000, held: 0, consumed: 0 });
	});

	it("counts the units of lapsed holds as free, so that nothing is left over when they are swept", async () => {
		await restockSandbox(database.db, settings);
		await reserve("SBX-LOW", 2);
		await database.db.query("update hold set expires_at = now() - interval '1 minute'");
		expect(await restockSandbox(database.db, settings)).toMatchObject({ received_units: 0, removed_units: 0 });
		expect(codeOf(await reserve("SBX-LOW", 3))).toBe("granted");
		expect(await lot("SBX-LOW")).toEqual({ available: 0, held: 3, consumed: 0 });
	});

	it("happens once a day, whichever node comes first", async () => {
		const once = () => restockSandbox(database.db, settings, { onlyIfDue: true });
		const done = (await Promise.all([once(), once(), once()])).map((restocked) => restocked.done);
		expect(done.filter(Boolean)).toHaveLength(1);
		await database.db.query("update sandbox_restock set restocked_on = restocked_on - 1");
		expect((await once()).done).toBe(true);
	});

	it("is done by the service itself, as soon as it is due", async () => {
		const running = runTask(RESTOCK_DAILY, { db: database.db, sandbox: settings });
		await expect.poll(() => lot("SBX-PLENTY"), { timeout: 10_000 }).toMatchObject({ available: 100_000 });
		await running.stop();
	});

	it("the first start mints one sandbox key and stocks what its example reserves; a second start mints none", async () => {
		const first = await firstStart(database.db, settings, ring, "http://127.0.0.1:4000");
		expect(first?.token).toMatch(/^pk_hf_sandbox_\w+:sk_hf_sandbox_\w+$/);
		expect(first?.lines.join("\n")).toContain(first?.curl);
		expect(first?.curl).toContain("http://127.0.0.1:4000/api/v1/reserve");
		expect(codeOf(await reserve("SBX-PLENTY", 1))).toBe("granted");
		expect(await firstStart(database.db, settings, ring, "http://127.0.0.1:4000")).toBeNull();
	});
});
