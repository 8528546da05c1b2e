import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { LINKS } from "../../../test/links.ts";
import { settleTowns } from "../../../test/model/settle-town.ts";
import { makeTown, type Town } from "../../../test/model/town.ts";
import { openStockEngine, type StockEngine } from "../../assembly/engine.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { openDatabase } from "../../ground/pg/connect.ts";
import { createCatalogCache } from "../catalog/cache.ts";
import { forgetMarkAhead, noteSwept, selectDueTokens } from "./sql.ts";
import { sweepOnce } from "./sweep.ts";

const origin = { actor: "operator:test", requestId: null };
const UNITS = 4;

describe("The mark up to which holds are swept", () => {
	let database: TestDatabase;
	let engine: StockEngine;
	let town: Town;
	let made = 0;
	beforeEach(async () => {
		database = await openTestDatabase();
		engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
		town = makeTown("mark");
		await settleTowns(database.db, [town]);
		const lot = { formulaId: town.id("F0"), poolId: 2, batchNumber: "b", expiresOn: null, receivedOn: null };
		await engine.execute({ kind: "receive", origin, newFgId: town.id("lot"), ...lot, units: UNITS });
	});
	afterEach(async () => {
		await engine.close();
		await database.close();
	});

	/** Reserves all units. */
	const reserve = async (): Promise<string | null> => {
		const newToken = town.id(`hold ${++made}`);
		const lines = [{ sku: "mark-one", qty: UNITS, brandCode: undefined }];
		const command = { origin, caller: town.callers.acme, newToken, lines, ttlMinutes: 30, externalRef: null };
		return isRefusal(await engine.execute({ kind: "reserve", ...command })) ? null : newToken;
	};
	const endsAt = (token: string | null, ago: string) =>
		database.db.query("update hold set expires_at = now() - $2::interval where reservation_token = $1", [token, ago]);
	const markAt = (ago: string) => database.db.query("update sweep_mark set swept_to = now() - $1::interval", [ago]);
	const mark = async () => {
		const { rows } = await database.db.query<{ minutes: number; first: boolean }>(
			`select (extract(epoch from now() - swept_to) / 60)::float8 as minutes,
			        not exists (select from hold where ended_at is null and expires_at < swept_to) as first from sweep_mark`,
		);
		return must(rows[0], "the mark");
	};

	it("never passes an active hold, nor the last minute", async () => {
		await noteSwept(database.db, []);
		expect((await mark()).minutes).toBeGreaterThanOrEqual(1);
		const token = await reserve();
		await endsAt(token, "7 minutes");
		await noteSwept(database.db, []);
		expect(await mark()).toMatchObject({ first: true });
		expect((await mark()).minutes).toBeGreaterThanOrEqual(7);
		expect(await sweepOnce(database.db, engine)).toBe(1);
		await noteSwept(database.db, []);
		expect((await mark()).minutes).toBeLessThan(7);
	});

	it("hides no hold that ends after it: what lapsed counts as free at once", async () => {
		await markAt("2 minutes");
		await endsAt(await reserve(), "1 minute");
		expect(await reserve()).not.toBeNull();
	});

	it("says nothing while it is ahead of a clock that stepped back, and is forgotten by the next sweep", async () => {
		await markAt("-1 hour");
		await endsAt(await reserve(), "1 minute");
		expect(await selectDueTokens(database.db, [9, "{}"])).toHaveLength(1);
		expect(await reserve()).not.toBeNull();
		await forgetMarkAhead(database.db, []);
		expect((await database.db.query("select from sweep_mark where swept_to = '-infinity'")).rowCount).toBe(1);
	});

	it("finds a hold again that a clock stepping back and forth had put before it", async () => {
		const token = await reserve();
		await endsAt(token, "10 minutes");
		await markAt("5 minutes");
		expect(await sweepOnce(database.db, engine)).toBe(0); // as if no sweep had run meanwhile
		await noteSwept(database.db, []);
		expect(await sweepOnce(database.db, engine)).toBe(1);
	});

	it("spares every look the holds that ended while somebody reads in a long snapshot", async () => {
		const many = 3_000;
		const snapshot = openDatabase(database.url, { max: 1 });
		const reads = openDatabase(database.url, { max: 1, indexPlansOnly: true });
		await database.db.query(
			`insert into hold (reservation_token, key_id, partner_id, status, lines, created_at, expires_at)
			 select gen_random_uuid(), $1, $2, 'active', '[]', now(), now() - interval '2 minutes' - random() * interval '1 hour' from generate_series(1, ${many})`,
			[town.id("key"), town.id("partner")],
		);
		await snapshot.query("begin isolation level repeatable read");
		await snapshot.query("select count(*) from hold");
		await database.db.query("update hold set status = 'expired', ended_at = now()");
		const pagesOfALook = async (): Promise<number> => {
			await selectDueTokens(reads, [200, "{}"]);
			const { rows } = await reads.query<{ "QUERY PLAN": [{ Plan: { "Shared Hit Blocks": number } }] }>(
				"explain (analyze, buffers, format json) execute select_due_tokens(200, '{}')",
			);
			return must(rows[0], "the plan")["QUERY PLAN"][0].Plan["Shared Hit Blocks"];
		};
		try {
			expect(await pagesOfALook()).toBeGreaterThan(many / 10);
			await noteSwept(database.db, []);
			expect(await pagesOfALook()).toBeLessThan(20);
		} finally {
			await snapshot.query("rollback");
			await Promise.all([snapshot.close(), reads.close()]);
		}
	});
});
