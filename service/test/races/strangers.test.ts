import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Command } from "../../src/assembly/commands.ts";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { createSteps } from "../../src/assembly/steps.ts";
import { wait } from "../../src/ground/lib/clock.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import type { Query } from "../../src/ground/pg/connect.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import type { Reserved } from "../../src/inventory/holds/reserve.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { audit } from "../model/audit.ts";
import { PORTLAND } from "../model/script-orders.ts";
import { settleTowns } from "../model/settle-town.ts";
import { makeTown, type Town } from "../model/town.ts";

/*
 * A foreign session keeps rows locked: lots, holds, keys. Commands of every kind that need them are answered `retry`,
 * or 429 if the operation has no `retry`; all others are carried out meanwhile.
 */

const origin = { actor: "operator:test", requestId: null };
/** Milliseconds after which a transaction no longer counts as another node's batch. */
const OLD_MS = 300;

let database: TestDatabase;
let town: Town;
let engine: StockEngine;
let stranger: Awaited<ReturnType<TestDatabase["db"]["take"]>>;
const catalog = createCatalogCache();

beforeAll(async () => {
	database = await openTestDatabase();
	town = makeTown("locks");
	await settleTowns(database.db, [town]);
	engine = openStockEngine(database.url, { catalog, timeZone: "UTC", links: LINKS }, { deadlineMs: 700 });
	for (const formula of ["F0", "F1"]) await engine.execute(receive(formula, 100));
});
beforeEach(async () => {
	stranger = await database.db.take();
});
afterEach(async () => {
	await stranger.query("rollback").catch(() => undefined);
	stranger.release();
});
afterAll(async () => {
	await engine.close();
	expect(await audit(database.db)).toEqual([]);
	await database.close();
});

let lots = 0;
const receive = (formula: string, units: number): Extract<Command, { kind: "receive" }> => ({
	kind: "receive",
	origin,
	newFgId: randomUUID(),
	formulaId: town.id(formula),
	poolId: 2,
	batchNumber: `B${++lots}`,
	expiresOn: null,
	receivedOn: null,
	units,
});
const reserve = (sku: string, externalRef: string | null = null): Extract<Command, { kind: "reserve" }> => ({
	kind: "reserve",
	origin,
	caller: town.callers.acme,
	newToken: randomUUID(),
	lines: [{ sku, qty: 1, brandCode: undefined }],
	ttlMinutes: 30,
	externalRef,
});
const release = (token: string): Extract<Command, { kind: "release" }> => ({
	kind: "release",
	origin,
	caller: town.callers.acme,
	token,
});
const consume = (token: string, externalRef: string): Extract<Command, { kind: "consume" }> => ({
	kind: "consume",
	origin,
	caller: town.callers.acme,
	token,
	externalRef,
});
const reverse = (externalRef: string): Extract<Command, { kind: "reverse" }> => ({
	kind: "reverse",
	origin,
	caller: town.callers.acme,
	externalRef,
});

const place = (token: string): Extract<Command, { kind: "place" }> => ({
	kind: "place",
	origin,
	caller: town.callers.acme,
	token,
	ref: `cart of ${token}`,
	newOrderId: randomUUID(),
	newShipmentId: randomUUID(),
	externalOrderId: null,
	customer: { name: "Ada", ship_to: PORTLAND },
	serviceLevel: "standard",
	note: null,
});

async function hold(sku: string): Promise<string> {
	const answer = (await engine.execute(reserve(sku))) as Reserved;
	return answer.hold.reservationToken;
}
const said = async (command: Command): Promise<string> => {
	const answer = await engine.execute(command);
	return isRefusal(answer) ? answer.refusal : "done";
};

const lockLotsOf = async (formula: string): Promise<void> => {
	await stranger.query("begin");
	await stranger.query("select from lot where formula_id = $1 order by fg_id for update", [town.id(formula)]);
	await wait(OLD_MS);
};

describe("lots that a stranger keeps locked", () => {
	it("cost every kind of command on them its deadline, and nobody else anything", async () => {
		const [first, second, third, other] = [
			await hold("locks-one"),
			await hold("locks-one"),
			await hold("locks-one"),
			await hold("locks-pair"),
		];
		await engine.execute(consume(third, "sale 1"));
		await lockLotsOf("F0");
		const blocked = [reserve("locks-one"), release(first), consume(second, "sale 2"), reverse("sale 1")].map(said);
		expect(await Promise.all([said(reserve("locks-pair")), said(release(other))])).toEqual(["done", "done"]);
		expect(await Promise.all(blocked)).toEqual(["retry", "rate_limited", "rate_limited", "rate_limited"]);
		await stranger.query("rollback");
		const after = [reserve("locks-one"), release(first), consume(second, "sale 2"), reverse("sale 1")].map(said);
		expect(await Promise.all(after)).toEqual(["done", "done", "done", "done"]);
	});

	it("are waited for: a command whose lot becomes free before its deadline is carried out", async () => {
		await lockLotsOf("F0");
		const waiting = said(reserve("locks-one"));
		expect(await said(reserve("locks-pair"))).toBe("done");
		await stranger.query("rollback");
		expect(await waiting).toBe("done");
	});
});

describe("a hold that a stranger keeps locked", () => {
	it("costs the commands on it their deadline, and no other hold anything", async () => {
		const [locked, other] = [await hold("locks-one"), await hold("locks-one")];
		await stranger.query("begin");
		await stranger.query("select from hold where reservation_token = $1 for update", [locked]);
		await wait(OLD_MS);
		const blocked = said(release(locked));
		expect(await said(release(other))).toBe("done");
		expect(await blocked).toBe("rate_limited");
	});
});

describe("numbers of receipts that a stranger keeps locked", () => {
	it("cost what receives, recounts and recalls its deadline, and no partner anything", async () => {
		const held = await hold("locks-one");
		await stranger.query("begin");
		await stranger.query("select from receipt_epoch for update");
		await wait(OLD_MS);
		const blocked = said(receive("F0", 1));
		const partners = [reserve("locks-one"), release(held), reserve("locks-pair")].map(said);
		expect(await Promise.all(partners)).toEqual(["done", "done", "done"]);
		expect(await blocked).toBe("rate_limited");
		const waiting = said(receive("F0", 1));
		expect(await said(reserve("locks-one"))).toBe("done");
		await stranger.query("rollback");
		expect(await waiting).toBe("done");
	});
});

describe.each([
	["boxes", "shipment_epoch"],
	["events", "event_epoch"],
])("numbers of %s that a stranger keeps locked", (list, epoch) => {
	it("cost what changes orders its deadline, and nobody else anything", async () => {
		const [placed, placing, held] = [await hold("locks-one"), await hold("locks-one"), await hold("locks-one")];
		const first = place(placed);
		expect(await said(first)).toBe("done");
		const cancel = (): Command => ({ kind: "cancel", origin, reason: null, orderId: first.newOrderId, token: placed });
		const numbered = (): Command => (list === "events" ? cancel() : place(placing));
		await stranger.query("begin");
		await stranger.query(`select from ${epoch} for update`);
		await wait(OLD_MS);
		const blocked = said(numbered());
		const others = [reserve("locks-one"), release(held), reserve("locks-pair")].map(said);
		expect(await Promise.all(others)).toEqual(["done", "done", "done"]);
		expect(await blocked).toBe(list === "events" ? "rate_limited" : "hold_race");
		const waiting = said(numbered());
		expect(await said(reserve("locks-one"))).toBe("done");
		await stranger.query("rollback");
		expect(await waiting).toBe("done");
	});
});

describe("a row that is locked for a moment only", () => {
	it("is not taken for a stranger's: another node's batch is over soon", async () => {
		const commands = [reserve("locks-one"), reserve("locks-pair")];
		const blockedNow = async (): Promise<boolean[]> =>
			await database.db.onOne(async (client: Query) => {
				await client.query("begin");
				const blocked = await createSteps({ catalog, timeZone: "UTC", links: LINKS }).findBlocked(client, commands);
				await client.query("rollback");
				return commands.map((command) => blocked?.(command) ?? false);
			});
		await stranger.query("begin");
		await stranger.query("select from lot where formula_id = $1 order by fg_id for update", [town.id("F0")]);
		expect(await blockedNow()).toEqual([false, false]);
		await wait(OLD_MS);
		expect(await blockedNow()).toEqual([true, false]);
		await stranger.query("rollback");
		expect(await blockedNow()).toEqual([false, false]);
	});
});
