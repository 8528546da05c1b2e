import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mint } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { LINKS } from "../../../test/links.ts";
import { SANDBOX_SETTINGS } from "../../../test/open-sandbox.ts";
import { restockSandboxes } from "../../../test/restock-sandboxes.ts";
import { runTask } from "../../../test/run-task.ts";
import { openStockEngine, type StockEngine } from "../../assembly/engine.ts";
import { SANDBOX_BRAND, SANDBOX_MODEL_POOL_ID, SCOPES } from "../../glossary.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { createCatalogCache } from "../../inventory/catalog/cache.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { newKeyRingEntry, parseKeyRing } from "../../partners/keys/key-ring.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { firstStart } from "./first-start.ts";
import { restockDueSandboxes } from "./restock-due-sandboxes.ts";
import { restockSandboxIn } from "./restock-sandbox.ts";
import { RESTOCK_DAILY } from "./tasks.ts";

describe("A sandbox's stock", () => {
	let database: TestDatabase;
	let engine: StockEngine;
	let caller: Caller;
	const ring = parseKeyRing(newKeyRingEntry());
	const settings = SANDBOX_SETTINGS;
	const sandboxKey = { environment: "sandbox", brandCode: SANDBOX_BRAND, sharedPool: false, scopes: SCOPES } as const;

	/** The caller of a new sandbox key, of a new partner unless one is named. */
	async function newCaller(partner?: string): Promise<Caller> {
		const { pk } = await mint(database.db, ring, { ...sandboxKey, ...(partner === undefined ? {} : { partner }) });
		const key = await selectKey(database.db, pk);
		if (isRefusal(key)) throw new Error(key.message);
		return { ...key, scopes: new Set(key.scopes) };
	}

	beforeEach(async () => {
		database = await openTestDatabase();
		engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
		caller = await newCaller();
	});
	afterEach(async () => {
		await engine.close();
		await database.close();
	});
	const originOf = ({ pk }: Caller) => ({ actor: `key:${pk}`, requestId: null });
	const reserve = async (sku: string, qty: number, by = caller) => {
		const lines = [{ sku, qty, brandCode: undefined }];
		const asked = { caller: by, origin: originOf(by), newToken: newId(), lines, ttlMinutes: 30, externalRef: null };
		return await engine.execute({ kind: "reserve", ...asked });
	};
	const codeOf = (answer: unknown): string => (isRefusal(answer) ? answer.refusal : "granted");
	const lot = async (formula: string, of = caller) => {
		const { rows } = await database.db.query<{ available: number; held: number; consumed: number }>(
			"select available, held, consumed from lot join formula using (formula_id) where code = $1 and pool_id = $2",
			[formula, of.poolId],
		);
		return rows[0];
	};

	it("answers as settlements, section 10, says", async () => {
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
		const origin = originOf(caller);
		await reserve("SBX-LOW", 2);
		const taken = await reserve("SBX-PLENTY", 500);
		if (isRefusal(taken)) throw new Error(taken.message);
		await engine.execute({ kind: "consume", origin, caller, token: taken.hold.reservationToken, externalRef: "sale" });
		expect(await restockSandboxes(database.db, settings)).toEqual({
			done: true,
			received_units: 502,
			removed_units: 0,
		});
		expect(await lot("SBX-LOW")).toEqual({ available: 3, held: 2, consumed: 0 });
		expect(await lot("SBX-PLENTY")).toEqual({ available: 100_000, held: 0, consumed: 500 });
		await engine.execute({ kind: "reverse", origin, caller, externalRef: "sale" });
		expect(await restockSandboxes(database.db, settings)).toEqual({
			done: true,
			received_units: 0,
			removed_units: 500,
		});
		expect(await lot("SBX-PLENTY")).toEqual({ available: 100_000, held: 0, consumed: 0 });
	});

	it("counts the units of lapsed holds as free, so that nothing is left over when they are swept", async () => {
		await reserve("SBX-LOW", 2);
		await database.db.query("update hold set expires_at = now() - interval '1 minute'");
		expect(await restockSandboxes(database.db, settings)).toMatchObject({ received_units: 0, removed_units: 0 });
		expect(codeOf(await reserve("SBX-LOW", 3))).toBe("granted");
		expect(await lot("SBX-LOW")).toEqual({ available: 0, held: 3, consumed: 0 });
	});

	it("happens once a day, whichever node comes first", async () => {
		const once = () => restockDueSandboxes(database.db, settings);
		const yesterday = () => database.db.query("update sandbox_restock set restocked_on = restocked_on - 1");
		await once(); // the model's, which no key's minting restocks
		expect((await once()).done).toBe(false);
		await reserve("SBX-LOW", 2);
		await yesterday();
		const received = (await Promise.all([once(), once(), once()])).map(({ received_units }) => received_units);
		expect(received.toSorted((a, b) => a - b)).toEqual([0, 0, 2]);
		await yesterday();
		expect((await once()).done).toBe(true);
	});

	it("is done by the service itself, as soon as it is due", async () => {
		await reserve("SBX-PLENTY", 1);
		await database.db.query("update sandbox_restock set restocked_on = restocked_on - 1");
		const running = runTask(RESTOCK_DAILY, { db: database.db, sandbox: settings });
		await expect.poll(() => lot("SBX-PLENTY")).toMatchObject({ available: 100_000, held: 1 });
		await running.stop();
	});

	it("the first start mints one sandbox key and stocks what its example reserves; a second start mints none", async () => {
		const { db } = database;
		expect(await firstStart(db, settings, ring, "http://127.0.0.1:4000")).toBeNull(); // there is a key
		const fresh = await openTestDatabase();
		try {
			const first = await firstStart(fresh.db, settings, ring, "http://127.0.0.1:4000");
			expect(first?.token).toMatch(/^pk_hf_sandbox_\w+:sk_hf_sandbox_\w+$/);
			expect(first?.lines.join("\n")).toContain(first?.curl);
			expect(first?.curl).toContain("http://127.0.0.1:4000/api/v1/reserve");
			const { rows } = await fresh.db.query(
				`select l.available from lot l join formula f using (formula_id) join api_key k using (pool_id)
				  where f.code = 'SBX-PLENTY'`,
			);
			expect(rows).toEqual([{ available: 100_000 }]);
			expect(await firstStart(fresh.db, settings, ring, "http://127.0.0.1:4000")).toBeNull();
		} finally {
			await fresh.close();
		}
	});

	it("is each partner's own: what one takes and restocks, the other neither misses nor gets", async () => {
		const other = await newCaller();
		expect(other.poolId).not.toBe(caller.poolId);
		expect(codeOf(await reserve("SBX-LOW", 3))).toBe("granted");
		expect(codeOf(await reserve("SBX-LOW", 1))).toBe("no_inventory");
		expect(codeOf(await reserve("SBX-LOW", 2, other))).toBe("granted");
		const restocked = await transaction(database.db, (tx) => restockSandboxIn(tx, settings, [other.poolId ?? -1]));
		expect(restocked).toMatchObject({ received_units: 2, removed_units: 0 });
		expect(await lot("SBX-LOW", other)).toMatchObject({ available: 3, held: 2 });
		expect(await lot("SBX-LOW")).toMatchObject({ available: 0, held: 3 });
	});

	it("is shared by the keys of one partner, also when two are the first at once", async () => {
		const partner = `Partner ${newId()}`;
		const [one, two] = await Promise.all([newCaller(partner), newCaller(partner)]);
		expect(one.poolId).toBe(two.poolId);
		expect(codeOf(await reserve("SBX-LOW", 3, one))).toBe("granted");
		expect(codeOf(await reserve("SBX-LOW", 1, two))).toBe("no_inventory");
	});

	it("includes copies of the operator's lots of the model, as many units as the model has of each", async () => {
		await restockSandboxes(database.db, settings);
		const { rows } = await database.db.query<{ id: string }>(
			"insert into formula (formula_id, code, name, status, version) select gen_random_uuid(), 'OWN', 'Own', 'active', version + 1 from catalog_epoch returning formula_id as id",
		);
		const formulaId = rows[0]?.id ?? "";
		await database.db.query("select take_numbers('catalog_epoch', 1)");
		const lotOf = { formulaId, poolId: SANDBOX_MODEL_POOL_ID, batchNumber: "M-1", expiresOn: "2099-12-31" } as const;
		const origin = { actor: "operator:test", requestId: null };
		await transaction(database.db, (tx) =>
			settings.executeIn(tx, [{ kind: "receive", origin, newFgId: newId(), ...lotOf, receivedOn: null, units: 7 }]),
		);
		expect(await restockSandboxes(database.db, settings)).toMatchObject({ received_units: 7 });
		expect(await lot("OWN")).toMatchObject({ available: 7 });
		expect(await restockSandboxes(database.db, settings)).toMatchObject({ received_units: 0, removed_units: 0 });
		expect(await lot("OWN", await newCaller())).toMatchObject({ available: 7 });
	});
});
