import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../test/house.ts";
import { LINKS } from "../../test/links.ts";
import { PORTLAND } from "../../test/model/script-orders.ts";
import { settleTowns } from "../../test/model/settle-town.ts";
import { type KeyName, makeTown, POOLS, type Town } from "../../test/model/town.ts";
import type { Answer, Command } from "../assembly/commands.ts";
import { executeStockIn } from "../assembly/engine.ts";
import { createCatalogCache } from "../catalog/cache.ts";
import { isRefusal } from "../lib/refusal.ts";
import { transaction } from "../pg/transaction.ts";

/* Commands that share a batch are answered as if they had come one after the other. */

const origin = { actor: "operator:test", requestId: null };

const catalog = createCatalogCache();
let database: TestDatabase;
let town: Town;
let towns = 0;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

/** A town with a lot of two units and a hold on both. */
async function begin(): Promise<void> {
	town = makeTown(`b${++towns}`);
	await settleTowns(database.db, [town]);
	await together(
		{
			...{ kind: "receive", origin, newFgId: town.id("lot"), formulaId: town.id("F0"), poolId: POOLS.ACME },
			...{ batchNumber: "b", expiresOn: null, receivedOn: null, units: 2 },
		},
		{
			...{ kind: "reserve", origin, caller: town.callers.acme, newToken: town.id("hold"), ttlMinutes: 30 },
			...{ lines: [{ sku: `${town.name}-one`, qty: 2, brandCode: undefined }], externalRef: "cart" },
		},
	);
}

const together = (...commands: Command[]): Promise<readonly Answer[]> =>
	transaction(database.db, async (tx) => {
		await catalog.read(tx);
		return executeStockIn(tx, { catalog, timeZone: "UTC", links: LINKS }, commands);
	});
const said = (answers: readonly Answer[]): string[] =>
	answers.map((answer) => (isRefusal(answer) ? answer.refusal : "done"));

const place = (key: KeyName): Command => ({
	...{ kind: "place", origin, caller: town.callers[key], token: town.id("hold"), ref: `cart of ${key}` },
	...{ newOrderId: town.id("order"), newShipmentId: town.id("box"), externalOrderId: null, note: null },
	...{ customer: { name: "Ada", ship_to: PORTLAND }, serviceLevel: "standard" },
});
const named = () => ({ orderId: town.id("order"), token: town.id("hold") });
const quarantine = (): Command => ({
	...{ kind: "quarantine", origin, fgId: town.id("lot"), units: "all", reason: "test", holders: [town.id("hold")] },
});

it("a hold of another partner looks like none, whoever else asks for it in the same batch", async () => {
	await begin();
	const strangers = [place("bolt"), place("acme2"), place("open")];
	expect(said(await together(...strangers))).toEqual([
		"reservation_not_found",
		"reservation_forbidden",
		"reservation_not_found",
	]);
	expect(said(await together(place("acme2"), place("acme"), place("bolt")))).toEqual([
		"reservation_forbidden",
		"done",
		"reservation_not_found",
	]);
});

it("an order that loses its units in a batch is held for whatever comes after it in that batch", async () => {
	await begin();
	await together(place("acme"));
	expect(said(await together(quarantine(), { kind: "pick", ...named() }))).toEqual(["done", "wrong_state"]);
	const { rows } = await database.db.query("select status, hold_reason, version from orders where order_id = $1", [
		town.id("order"),
	]);
	expect(rows).toEqual([{ status: "held", hold_reason: "lot_recalled", version: 2 }]);
});

it("a hold that loses its units in a batch is not placed in it, and an order that is placed in it loses them", async () => {
	await begin();
	expect(said(await together(quarantine(), place("acme")))).toEqual(["done", "reservation_empty"]);
	await begin();
	expect(said(await together(place("acme"), quarantine()))).toEqual(["done", "done"]);
	const { rows } = await database.db.query("select status, version from orders where order_id = $1", [
		town.id("order"),
	]);
	expect(rows).toEqual([{ status: "held", version: 2 }]);
});

it("what was reserved under a reference and placed in a batch cannot be reversed in it", async () => {
	await begin();
	const reverse: Command = { kind: "reverse", origin, caller: town.callers.acme, externalRef: "cart" };
	expect(said(await together(reverse, place("acme"), reverse))).toEqual(["not_consumed", "done", "not_reversible"]);
});
