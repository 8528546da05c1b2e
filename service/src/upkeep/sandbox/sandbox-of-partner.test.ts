import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { LINKS } from "../../../test/links.ts";
import { SANDBOX_SETTINGS } from "../../../test/open-sandbox.ts";
import { openStockEngine, type StockEngine } from "../../assembly/engine.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { type Database, openDatabase } from "../../ground/pg/connect.ts";
import { MIGRATIONS_DIR, migrate } from "../../ground/pg/migrate.ts";
import { createCatalogCache } from "../../inventory/catalog/cache.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { verify } from "../ledger/verify.ts";
import { restockDueSandboxes } from "./restock-due-sandboxes.ts";

const NAME = "000064_sandbox_of_partner";
const id = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [FORMULA, LOT, HOLD_A, HOLD_B] = [id(1), id(2), id(3), id(4)];
const [PARTNER_A, PARTNER_B, KEY_A, KEY_B, LIVE] = [id(11), id(12), id(21), id(22), id(23)];
const [ORDER, BOX] = [id(31), id(32)];

/** Two partners, each with a sandbox key and a hold from the one pool that they shared. */
const TWO_PARTNERS = `
	insert into formula values ('${FORMULA}', 'SBX-LOW', 'SBX-LOW', 'active', 1);
	select take_numbers('catalog_epoch', 1);
	insert into partner (partner_id, name) values ('${PARTNER_A}', 'A'), ('${PARTNER_B}', 'B');
	insert into api_key (key_id, pk, partner_id, name, environment, pool_id, shared_pool, scopes, requests_per_minute, version, created_at)
	values ('${KEY_A}', 'pk_a', '${PARTNER_A}', 'a', 'sandbox', 1, false, array['atp.reserve'], 60, 1, now() - interval '2 days'),
	       ('${KEY_B}', 'pk_b', '${PARTNER_B}', 'b', 'sandbox', 1, false, array['atp.reserve'], 60, 1, now() - interval '1 day'),
	       ('${LIVE}', 'pk_l', '${PARTNER_A}', 'l', 'live', null, true, array['atp.reserve'], 60, 1, now());
	select take_numbers('key_epoch', 1);
	insert into lot (fg_id, formula_id, pool_id, batch_number, received_on, received, corrected, available, held, allocated,
	                 consumed, shipped, quarantined, destroyed)
	values ('${LOT}', '${FORMULA}', 1, 'SANDBOX', current_date, 6, 0, 3, 3, 0, 0, 0, 0, 0);
	insert into receipt (receipt_id, fg_id, pool_id, received_on, units_received, units_corrected, updated_at, version)
	values (gen_random_uuid(), '${LOT}', 1, current_date, 6, 0, now(), take_numbers('receipt_epoch', 1));
	insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, cause_id, actor)
	values (now(), '${LOT}', 'received', 'available', 6, 'receive', 'SANDBOX', 'system:restock'),
	       (now(), '${LOT}', 'available', 'held', 1, 'reserve', '${HOLD_A}', 'key:pk_a'),
	       (now(), '${LOT}', 'available', 'held', 2, 'reserve', '${HOLD_B}', 'key:pk_b');
	insert into hold (reservation_token, key_id, partner_id, status, lines, created_at, expires_at)
	select token, key_id, partner_id, 'active',
	       jsonb_build_array(jsonb_build_object('sku', 'SBX-LOW', 'brand_code', 'SANDBOX', 'qty', units, 'pools', '[1]'::jsonb,
	         'components', jsonb_build_array(jsonb_build_object('formula_id', '${FORMULA}', 'per_kit', 1)))),
	       now() - interval '1 minute', now() + interval '1 hour'
	  from (values ('${HOLD_A}'::uuid, '${KEY_A}'::uuid, '${PARTNER_A}'::uuid, 1),
	               ('${HOLD_B}'::uuid, '${KEY_B}'::uuid, '${PARTNER_B}'::uuid, 2)) h(token, key_id, partner_id, units);
	insert into hold_part (reservation_token, ordinal, line, formula_id, fg_id, pool_id, units)
	values ('${HOLD_A}', 0, 0, '${FORMULA}', '${LOT}', 1, 1), ('${HOLD_B}', 0, 0, '${FORMULA}', '${LOT}', 1, 2);
`;

/** An order of B, in its box; only their pools matter here. */
const ORDER_OF_B = `
	insert into orders (order_id, key_id, partner_id, environment, ref, reservation_token, pool_id, status, version, customer,
	                    service_level, shipment_ids, placed_at, updated_at, modified_seq)
	values ('${ORDER}', '${KEY_B}', '${PARTNER_B}', 'sandbox', 'cart', '${id(33)}', 1, 'placed', 1, '{}', 'standard',
	        array['${BOX}'::uuid], now(), now(), 1);
	insert into shipment (shipment_id, pool_id, environment, status, order_ids, created_at, modified_at, version, modified_seq, listed_at)
	values ('${BOX}', 1, 'sandbox', 'awaiting_shipment', array['${ORDER}'::uuid], now(), now(), 1, 1, now());
`;

describe("The migration that gives each partner a sandbox of its own", () => {
	let server: TestDatabase;
	let name: string;
	let url: string;
	let db: Database;
	let engine: StockEngine | null = null;

	beforeEach(async () => {
		server = await openTestDatabase();
		name = `sandboxes_${process.pid}_${Date.now()}`;
		await server.db.query(`create database ${name}`);
		url = server.url.replace(/@\/[^?]*/, `@/${name}`);
		const all = (await readdir(MIGRATIONS_DIR)).map((file) => basename(file, ".sql"));
		await migrate(url, { upTo: all.filter((one) => one < NAME) });
		db = openDatabase(url, { max: 4 });
	});
	afterEach(async () => {
		await engine?.close();
		engine = null;
		await db.close();
		await server.db.query(`drop database ${name} with (force)`);
		await server.close();
	});

	const callerOf = async (pk: string): Promise<Caller> => {
		const key = await selectKey(db, pk);
		if (isRefusal(key)) throw new Error(key.message);
		return { ...key, scopes: new Set(key.scopes) };
	};
	const originOf = ({ pk }: Caller) => ({ actor: `key:${pk}`, requestId: null });

	it("leaves holds the lots that they have, and the ledger in order, before and after they end", async () => {
		await db.query(TWO_PARTNERS);
		expect(await migrate(url)).toContain(NAME);
		expect((await verify(db)).differences).toEqual([]);
		expect(await restockDueSandboxes(db, SANDBOX_SETTINGS, { onlyNew: true })).toMatchObject({ done: true });
		expect(await restockDueSandboxes(db, SANDBOX_SETTINGS, { onlyNew: true })).toMatchObject({ done: false });
		engine = openStockEngine(url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
		const [a, b] = [await callerOf("pk_a"), await callerOf("pk_b")];
		expect(new Set([a.poolId, b.poolId, 1]).size).toBe(3);
		expect([a.brandCode, b.brandCode, (await callerOf("pk_l")).poolId]).toEqual(["SANDBOX", "SANDBOX", null]);
		for (const caller of [a, b]) {
			const lines = [{ sku: "SBX-LOW", qty: 3, brandCode: undefined }];
			const asked = { caller, origin: originOf(caller), newToken: newId(), lines, ttlMinutes: 30, externalRef: null };
			expect(isRefusal(await engine.execute({ kind: "reserve", ...asked }))).toBe(false);
		}
		await engine.execute({ kind: "release", origin: originOf(b), caller: b, token: HOLD_B });
		const { rows } = await db.query("select available, held from lot where fg_id = $1", [LOT]);
		expect(rows).toEqual([{ available: 5, held: 1 }]);
		expect((await verify(db)).differences).toEqual([]);
	});

	it("shows orders and boxes made before in the lists of their partner", async () => {
		await db.query(TWO_PARTNERS + ORDER_OF_B);
		await migrate(url);
		const { poolId } = await callerOf("pk_b");
		const { rows } = await db.query("select pool_id from orders union all select pool_id from shipment");
		expect(rows).toEqual([{ pool_id: poolId }, { pool_id: poolId }]);
	});

	it("binds sandbox keys to the sandbox of their own partner, and live keys to none", async () => {
		await db.query(TWO_PARTNERS);
		await migrate(url);
		const { poolId } = await callerOf("pk_b");
		for (const pool of [1, poolId, null])
			await expect(db.query("update api_key set pool_id = $1 where pk = 'pk_a'", [pool])).rejects.toThrow(/violates/);
		await expect(db.query("update api_key set pool_id = 1 where pk = 'pk_l'")).rejects.toThrow(/violates/);
		await expect(db.query("insert into pool (brand_code, name) values ('SANDBOX', 'Another')")).rejects.toThrow(
			/pool_brand/,
		);
		await expect(
			db.query(
				`insert into pool (brand_code, name, partner_id) select 'ACME', 'Acme', partner_id from partner limit 1`,
			),
		).rejects.toThrow(/violates/);
	});

	it("does nothing in a database without sandbox keys", async () => {
		await migrate(url);
		expect((await db.query("select pool_id from pool order by 1")).rows).toEqual([{ pool_id: 0 }, { pool_id: 1 }]);
		expect((await db.query("select pool_id from sandbox_restock")).rows).toEqual([{ pool_id: 1 }]);
	});
});
