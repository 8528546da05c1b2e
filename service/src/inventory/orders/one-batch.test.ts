import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { LINKS } from "../../../test/links.ts";
import { PORTLAND } from "../../../test/model/script-orders.ts";
import { settleTowns } from "../../../test/model/settle-town.ts";
import { type KeyName, makeTown, POOLS, type Town } from "../../../test/model/town.ts";
import type { Answer, Command } from "../../assembly/commands.ts";
import { executeStockIn } from "../../assembly/engine.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { createCatalogCache } from "../catalog/cache.ts";

/* Commands that share a batch get the same answers as if they were carried out one after the other. */

const origin = { actor: "operator:test", requestId: null };

const catalog = createCatalogCache();
let database: TestDatabase;
let town: Town;
let towns = 0;

beforeAll(async () => {
	database = await openTestDatabase();
});
afterAll(() => database.close());

/** A town with a lot of two units, and a hold on both or one on each. */
async function begin(holds: readonly string[] = ["hold"]): Promise<void> {
	town = makeTown(`b${++towns}`);
	await settleTowns(database.db, [town]);
	await together(
		{
			kind: "receive",
			origin,
			newFgId: town.id("lot"),
			formulaId: town.id("F0"),
			poolId: POOLS.ACME,
			batchNumber: "b",
			expiresOn: null,
			receivedOn: null,
			units: 2,
		},
		...holds.map(
			(hold): Command => ({
				kind: "reserve",
				origin,
				caller: town.callers.acme,
				newToken: town.id(hold),
				ttlMinutes: 30,
				lines: [
					{
						sku: `${town.name}-one`,
						qty: 2 / holds.length,
						brandCode: undefined,
					},
				],
				externalRef: holds.length === 1 ? "cart" : hold,
			}),
		),
	);
}

const together = (...commands: Command[]): Promise<readonly Answer[]> =>
	transaction(database.db, async (tx) => {
		await catalog.read(tx);
		return executeStockIn({ catalog, timeZone: "UTC", links: LINKS })(tx, commands);
	});
const said = (answers: readonly Answer[]): string[] =>
	answers.map((answer) => (isRefusal(answer) ? answer.refusal : "done"));

const place = (key: KeyName, { hold, order, box } = FIRST): Command => ({
	kind: "place",
	origin,
	caller: town.callers[key],
	token: town.id(hold),
	ref: `${hold} of ${key}`,
	newOrderId: town.id(order),
	newShipmentId: town.id(box),
	externalOrderId: null,
	note: null,
	customer: {
		name: "Ada",
		ship_to: PORTLAND,
	},
	serviceLevel: "standard",
});
const FIRST = { hold: "hold", order: "order", box: "box" };
const SECOND = { hold: "hold 2", order: "order 2", box: "box 2" };
const named = () => ({ orderId: town.id("order"), token: town.id("hold") });
const quarantine = (): Command => ({
	kind: "quarantine",
	origin,
	fgId: town.id("lot"),
	units: "all",
	reason: "test",
	holders: [town.id("hold")],
});

const replay = (newToken = "replayed"): Command => ({
	kind: "reserve",
	origin,
	caller: town.callers.acme,
	newToken: town.id(newToken),
	ttlMinutes: 30,
	lines: [
		{
			sku: `${town.name}-one`,
			qty: 2,
			brandCode: undefined,
		},
	],
	externalRef: "cart",
});

it("a replay is answered whole, and an overdue hold is freed whole, when a stranger names the hold in the same batch", async () => {
	await begin();
	const [alone] = await together(replay());
	for (const commands of [
		[replay(), place("bolt")],
		[place("bolt"), replay()],
		[replay(), place("acme2")],
	])
		expect(await together(...commands)).toContainEqual(alone);
	await database.db.query("update hold set expires_at = now() - interval '1 second' where reservation_token = $1", [
		town.id("hold"),
	]);
	expect(said(await together(replay("again"), place("bolt")))).toEqual(["done", "reservation_not_found"]);
	const { rows } = await database.db.query("select available, held from lot where fg_id = $1", [town.id("lot")]);
	expect(rows).toEqual([{ available: 0, held: 2 }]);
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

it("an order that is placed and shipped in part in one batch is written whole, with the box that left and the box that waits", async () => {
	await begin();
	const ship: Command = {
		kind: "ship",
		origin,
		orders: [named()],
		items: [
			{
				sku: `${town.name}-one`,
				qty: 1,
			},
		],
		newShipmentId: town.id("parcel"),
		carrierCode: "ups",
		serviceCode: null,
		trackingNumber: "1Z",
	};
	expect(said(await together(place("acme"), ship))).toEqual(["done", "done"]);
	expect(await written("order")).toEqual({
		status: "partially_shipped",
		version: 2,
		was_held: false,
		shipment_ids: [town.id("box"), town.id("parcel")],
	});
	expect(await writtenBox("box")).toMatchObject({
		status: "awaiting_shipment",
		version: 2,
		tracking_number: null,
		items: null,
	});
	expect(await writtenBox("parcel")).toMatchObject({
		status: "shipped",
		version: 1,
		tracking_number: "1Z",
		items: [
			{
				order_id: town.id("order"),
				qty: 1,
			},
		],
	});
});

it("an order that is placed and held in one batch was held, and one that is held and released in it is as it was placed", async () => {
	await begin();
	const hold: Command = { kind: "holdOrder", ...named(), reason: "operator", detail: "a call" };
	expect(said(await together(place("acme"), hold))).toEqual(["done", "done"]);
	expect(await written("order")).toMatchObject({ status: "held", version: 2, was_held: true });
	expect(await writtenBox("box")).toMatchObject({ status: "on_hold", version: 2 });
	await begin();
	const release: Command = { kind: "releaseOrder", origin, ...named(), shelves: new Map() };
	expect(said(await together(place("acme"), { ...hold, ...named() }, release))).toEqual(["done", "done", "done"]);
	expect(await written("order")).toMatchObject({ status: "placed", version: 3 });
	expect(await writtenBox("box")).toMatchObject({ status: "awaiting_shipment", version: 3 });
});

it("orders that are placed, combined and cancelled in one batch are written as if that had been several", async () => {
	const both = () => [town.id("order"), town.id("order 2")];
	const cancel = ({ order, hold }: typeof FIRST): Command => ({
		kind: "cancel",
		origin,
		orderId: town.id(order),
		token: town.id(hold),
		reason: null,
	});
	const seen: unknown[] = [];
	for (const inOne of [true, false]) {
		for (const which of [FIRST, SECOND]) {
			await begin([FIRST.hold, SECOND.hold]);
			const commands: Command[] = [
				place("acme"),
				place("acme", SECOND),
				{
					kind: "combine",
					orderIds: both(),
				} as const,
				cancel(which),
			];
			if (inOne) expect(said(await together(...commands))).toEqual(["done", "done", "done", "done"]);
			else for (const command of commands) expect(said(await together(command))).toEqual(["done"]);
			const rows = [
				await written("order"),
				await written("order 2"),
				await writtenBox("box"),
				await writtenBox("box 2"),
			];
			seen.push(JSON.parse(JSON.stringify(rows).replaceAll(/[0-9a-f-]{36}/g, (id) => nameOf(id))));
		}
	}
	expect(seen.slice(0, 2)).toEqual(seen.slice(2));
});

const nameOf = (id: string): string =>
	["order", "order 2", "box", "box 2"].find((name) => town.id(name) === id) ?? "another";

async function written(order: string): Promise<unknown> {
	const { rows } = await database.db.query(
		"select status, version, shipment_ids, was_held from orders where order_id = $1",
		[town.id(order)],
	);
	return rows[0];
}

async function writtenBox(box: string): Promise<unknown> {
	const { rows } = await database.db.query(
		"select status, version, order_ids, tracking_number, items from shipment where shipment_id = $1",
		[town.id(box)],
	);
	return rows[0];
}
