import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import type { Reserved } from "../../src/inventory/holds/reserve.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { settleTowns } from "../model/settle-town.ts";
import { idOf, makeTown, type Town } from "../model/town.ts";

/*
 * The last safeguard: statements without any rule, as a bug or a person at a console might send them. A lot of 10
 * units, of which 4 are held.
 */

const INTEGRITY = /^23/; // SQLSTATE class: integrity constraint violation
const origin = { actor: "operator:test", requestId: null };

let database: TestDatabase;
let engine: StockEngine;
let town: Town;
let fgId: string;
let token: string;
let towns = 0;

beforeAll(async () => {
	database = await openTestDatabase();
	engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
});
afterAll(async () => {
	await engine.close();
	await database.close();
});
beforeEach(async () => {
	town = makeTown(`w${++towns}`);
	await settleTowns(database.db, [town]);
	fgId = town.id("lot");
	token = town.id("hold");
	const lot = { formulaId: town.id("F0"), poolId: 2, batchNumber: "b", expiresOn: null, receivedOn: null, units: 10 };
	await engine.execute({ kind: "receive", origin, newFgId: fgId, ...lot });
	const held = (await engine.execute({
		kind: "reserve",
		origin,
		caller: town.callers.acme,
		newToken: token,
		lines: [{ sku: `${town.name}-one`, qty: 4, brandCode: undefined }],
		ttlMinutes: 30,
		externalRef: "r1",
	})) as Reserved;
	expect(held.idempotent).toBe(false);
});

/** Sends a statement, and returns the constraint that rejected it. */
async function stoppedBy(text: string, values: readonly unknown[] = []): Promise<string> {
	try {
		await database.db.query(text, [...values]);
	} catch (error) {
		const { code, constraint, message } = error as { code: string; constraint?: string; message: string };
		expect(code, message).toMatch(INTEGRITY);
		return constraint ?? message;
	}
	return "nothing";
}

describe("a statement past the rules cannot oversell: the database refuses", () => {
	it("to hold units without taking them from the free ones", async () => {
		expect(await stoppedBy("update lot set held = held + 1 where fg_id = $1", [fgId])).toBe("lot_conserves_units");
	});

	it("to hold more units than are free", async () => {
		const text = "update lot set held = held + 7, available = available - 7 where fg_id = $1";
		expect(await stoppedBy(text, [fgId])).toBe("lot_available_check");
	});

	it("to write what a stale read thought was free", async () => {
		// two carts read 6 free units and both take 6: the second one's write says -6 + 0
		await database.db.query("update lot set held = 10, available = 0 where fg_id = $1", [fgId]);
		expect(await stoppedBy("update lot set held = held + 6, available = available - 6 where fg_id = $1", [fgId])).toBe(
			"lot_available_check",
		);
	});

	it("to free the same units twice", async () => {
		await database.db.query("update lot set held = 0, available = 10 where fg_id = $1", [fgId]);
		expect(await stoppedBy("update lot set held = held - 4, available = available + 4 where fg_id = $1", [fgId])).toBe(
			"lot_held_check",
		);
	});

	it.each(["consumed", "allocated", "shipped", "quarantined", "destroyed"])("to make a unit in %s", async (bucket) => {
		expect(await stoppedBy(`update lot set ${bucket} = ${bucket} + 1 where fg_id = $1`, [fgId])).toBe(
			"lot_conserves_units",
		);
	});

	it("to take back more than was received", async () => {
		expect(
			await stoppedBy("update lot set received = received - 11, available = available - 11 where fg_id = $1", [fgId]),
		).toMatch(/^lot_(received|available)_check$/);
	});

	it("a lot that begins with units nobody received", async () => {
		const text = `insert into lot (fg_id, formula_id, pool_id, batch_number, received_on, received, corrected, available, held,
			allocated, consumed, shipped, quarantined, destroyed) values ($1, $2, 2, 'ghost', now(), 0, 0, 5, 0, 0, 0, 0, 0, 0)`;
		expect(await stoppedBy(text, [idOf("ghost"), town.id("F0")])).toBe("lot_conserves_units");
	});

	it("the same batch twice", async () => {
		const text = `insert into lot (fg_id, formula_id, pool_id, batch_number, received_on, received, corrected, available, held,
			allocated, consumed, shipped, quarantined, destroyed) values ($1, $2, 2, 'b', now(), 5, 0, 5, 0, 0, 0, 0, 0, 0)`;
		expect(await stoppedBy(text, [town.id("copy"), town.id("F0")])).toBe("lot_formula_id_pool_id_batch_number_key");
	});

	it("a second active hold under the same reference of a key", async () => {
		const text = `insert into hold (reservation_token, key_id, partner_id, status, external_ref, lines, created_at, expires_at)
			select gen_random_uuid(), key_id, partner_id, status, external_ref, lines, created_at, expires_at from hold where reservation_token = $1`;
		expect(await stoppedBy(text, [token])).toBe("hold_active_ref");
	});

	it("two consumes under one reference of a key", async () => {
		const consume =
			"update hold set status = 'consumed', consume_ref = 'c', ended_at = now() where reservation_token = $1";
		await database.db.query(consume, [token]);
		const copy = `insert into hold (reservation_token, key_id, partner_id, status, consume_ref, lines, created_at, expires_at, ended_at)
			select gen_random_uuid(), key_id, partner_id, status, consume_ref, lines, created_at, expires_at, ended_at from hold where reservation_token = $1`;
		expect(await stoppedBy(copy, [token])).toBe("hold_consume_ref");
	});

	it("a hold that is over and active at once", async () => {
		expect(await stoppedBy("update hold set status = 'released' where reservation_token = $1", [token])).toMatch(
			/^hold_/,
		);
		expect(await stoppedBy("update hold set ended_at = now() where reservation_token = $1", [token])).toMatch(/^hold_/);
	});

	it("a part of a hold with no units, or in no known state", async () => {
		expect(await stoppedBy("update hold_part set units = 0 where reservation_token = $1", [token])).toBe(
			"hold_part_units_check",
		);
		// `held` exists only while its hold is active, never as a part's own state
		for (const state of ["gone", "held"]) {
			expect(await stoppedBy("update hold_part set own_state = $2 where reservation_token = $1", [token, state])).toBe(
				"hold_part_own_state_check",
			);
		}
	});
});

describe("the ledger is append-only: the database refuses", () => {
	it.each([
		["to change a line", "update unit_move set units = units + 1 where fg_id = $1"],
		["to change nothing in a line", "update unit_move set units = units where fg_id = $1"],
		["to take a line out", "delete from unit_move where fg_id = $1"],
	])("%s", async (_what, text) => {
		expect(await stoppedBy(text, [fgId])).toMatch(/append-only/);
	});

	it("to empty it", async () => {
		expect(await stoppedBy("truncate unit_move")).toMatch(/append-only/);
	});

	it("a move of no units, to where they are, or to a place there is not", async () => {
		const move = (from: string, to: string, units: number) =>
			stoppedBy(
				"insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, actor) values (now(), $1, $2, $3, $4, 'test', 'test')",
				[fgId, from, to, units],
			);
		expect(await move("available", "held", 0)).toBe("unit_move_units_check");
		expect(await move("available", "held", -3)).toBe("unit_move_units_check");
		expect(await move("held", "held", 1)).toBe("unit_move_buckets");
		expect(await move("available", "pocket", 1)).toBe("unit_move_buckets");
		expect(await move("available", "received", 1)).toBe("unit_move_buckets");
	});
});
