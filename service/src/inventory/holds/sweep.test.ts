import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { LINKS } from "../../../test/links.ts";
import { settleTowns } from "../../../test/model/settle-town.ts";
import { makeTown } from "../../../test/model/town.ts";
import { openStockEngine, type StockEngine } from "../../assembly/engine.ts";
import { wait } from "../../ground/lib/clock.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { openDatabase } from "../../ground/pg/connect.ts";
import { createCatalogCache } from "../catalog/cache.ts";
import { createSweep, sweepOnce } from "./sweep.ts";

/** Maximum number of commands that wait in an engine. */
const FULL = 10_000;
const origin = { actor: "operator:test", requestId: null };

let database: TestDatabase;
let engine: StockEngine;
beforeAll(async () => {
	database = await openTestDatabase();
	engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
});
afterAll(async () => {
	await engine.close();
	await database.close();
});

it("a sweep counts what it ended: a full engine takes none of it, and the next sweep does", async () => {
	const town = makeTown("sweep");
	await settleTowns(database.db, [town]);
	const { acme: caller } = town.callers;
	const lot = { formulaId: town.id("F0"), poolId: 2, batchNumber: "b", expiresOn: null, receivedOn: null, units: 10 };
	await engine.execute({ kind: "receive", origin, newFgId: town.id("lot"), ...lot });
	const common = { lines: [{ sku: "sweep-one", qty: 1, brandCode: undefined }], ttlMinutes: 30, externalRef: null };
	for (const name of ["H", "J", "K"]) {
		const held = await engine.execute({ kind: "reserve", origin, caller, newToken: town.id(name), ...common });
		expect(isRefusal(held)).toBe(false);
	}
	await database.db.query("update hold set expires_at = now()");
	const stranger = openDatabase(database.url, { max: 1 });
	await stranger.query("begin");
	await stranger.query("lock table catalog_epoch in access exclusive mode"); // so that no batch ends
	const release = () => engine.execute({ kind: "release", origin, caller, token: town.id("no hold") });
	const waiting = [release()];
	while (engine.waiting > 0) await new Promise(setImmediate); // the first is in a batch
	for (let n = 0; n < FULL; n++) waiting.push(release());
	expect(await sweepOnce(database.db, engine)).toBe(0);
	await stranger.query("rollback");
	await stranger.close();
	await Promise.all(waiting);
	expect(await sweepOnce(database.db, engine)).toBe(3);
	expect(await sweepOnce(database.db, engine)).toBe(0);
});

it("a hold whose lots somebody keeps locked keeps no other hold from being swept, and is swept when they are free", async () => {
	const town = makeTown("locked");
	await settleTowns(database.db, [town]);
	const { acme: caller } = town.callers;
	for (const [formula, fgId] of [
		["F0", "lot 0"],
		["F1", "lot 1"],
	] as const) {
		const lot = {
			formulaId: town.id(formula),
			poolId: 2,
			batchNumber: "b",
			expiresOn: null,
			receivedOn: null,
			units: 9,
		};
		await engine.execute({ kind: "receive", origin, newFgId: town.id(fgId), ...lot });
	}
	const hold = async (name: string, sku: string): Promise<void> => {
		const lines = [{ sku: `locked-${sku}`, qty: 1, brandCode: undefined }];
		const common = { caller, newToken: town.id(name), lines, ttlMinutes: 30, externalRef: null };
		expect(isRefusal(await engine.execute({ kind: "reserve", origin, ...common }))).toBe(false);
	};
	await hold("stuck", "one");
	await hold("free", "pair");
	await database.db.query("update hold set expires_at = now() where status = 'active'");
	const stranger = await database.db.take();
	await stranger.query("begin");
	await stranger.query("select from lot where fg_id = $1 for update", [town.id("lot 0")]);
	await wait(300); // longer than another node's batch takes
	const underWay = new Set<string>();
	expect(await sweepOnce(database.db, engine, underWay)).toBe(1);
	expect([...underWay]).toEqual([town.id("stuck")]);
	expect(await sweepOnce(database.db, engine, underWay)).toBe(0);
	await stranger.query("commit");
	stranger.release();
	await expect.poll(() => underWay.size).toBe(0);
	const { rows } = await database.db.query("select count(*)::int as active from hold where status = 'active'");
	expect(rows).toEqual([{ active: 0 }]);
});

it("a sweep that is called off begins no further batch, and the next one ends what it left", async () => {
	const town = makeTown("called-off");
	await settleTowns(database.db, [town]);
	const { acme: caller } = town.callers;
	const lot = { formulaId: town.id("F0"), poolId: 2, batchNumber: "b", expiresOn: null, receivedOn: null, units: 10 };
	await engine.execute({ kind: "receive", origin, newFgId: town.id("lot"), ...lot });
	const lines = [{ sku: "called-off-one", qty: 1, brandCode: undefined }];
	const common = { caller, newToken: town.id("H"), lines, ttlMinutes: 30, externalRef: null };
	expect(isRefusal(await engine.execute({ kind: "reserve", origin, ...common }))).toBe(false);
	await database.db.query("update hold set expires_at = now() where status = 'active'");
	const statusNow = async () =>
		(await database.db.query("select status from hold where reservation_token = $1", [town.id("H")])).rows;
	const sweep = createSweep({ reads: database.db, db: database.db }, engine);
	await sweep(AbortSignal.abort());
	expect(await statusNow()).toEqual([{ status: "active" }]);
	await sweep(new AbortController().signal);
	expect(await statusNow()).toEqual([{ status: "expired" }]);
});
