import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, Command } from "../../src/assembly/commands.ts";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { settleTowns } from "../model/settle-town.ts";
import { makeTown, POOLS, type Town } from "../model/town.ts";
import { size } from "../sizes.ts";
import { Actor, interleavings, race } from "./stepping.ts";

/** Look, lock lots, lock holds, lock orders, write, commit. */
const STEPS = 6;
const ORDERS = [...interleavings(STEPS, STEPS)];
/** Interleavings of each pair: the two sequential ones, and others spread over all. */
const RACES = size(250);
const TIME_ZONE = "UTC";
const origin = { actor: "operator:test", requestId: null };

let database: TestDatabase;
let engine: StockEngine;
let actors: readonly [Actor, Actor];

beforeAll(async () => {
	database = await openTestDatabase();
	engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: TIME_ZONE, links: LINKS });
	actors = [new Actor(database.url, TIME_ZONE, database.db), new Actor(database.url, TIME_ZONE, database.db)];
});
afterAll(async () => {
	for (const actor of actors) await actor.close();
	await engine.close();
	await database.close();
});

const receive = (town: Town, batch: string, units: number, expiresOn: string): Command => ({
	kind: "receive",
	origin,
	newFgId: town.id(batch),
	formulaId: town.id("F0"),
	poolId: POOLS.ACME,
	batchNumber: batch,
	expiresOn,
	receivedOn: "2026-01-01",
	units,
});
const reserve = (town: Town, name: string, qty: number): Command => ({
	kind: "reserve",
	origin,
	caller: town.callers.acme,
	newToken: town.id(name),
	ttlMinutes: 30,
	externalRef: null,
	lines: [
		{
			sku: `${town.name}-one`,
			qty,
			brandCode: undefined,
		},
	],
});
const place = (town: Town): Command => ({
	kind: "place",
	origin,
	caller: town.callers.acme,
	token: town.id("hold"),
	ref: `${town.name}-cart`,
	newOrderId: town.id("order"),
	newShipmentId: town.id("box"),
	externalOrderId: null,
	note: null,
	customer: {
		name: "Ada",
		ship_to: {
			line1: "1 Main Street",
			city: "Berlin",
			postal_code: "10115",
			country: "DE",
		},
	},
	serviceLevel: "standard",
});
const ship = (town: Town): Command => ({
	kind: "ship",
	origin,
	orders: [
		{
			orderId: town.id("order"),
			token: town.id("hold"),
		},
	],
	items: null,
	carrierCode: null,
	serviceCode: null,
	trackingNumber: null,
	newShipmentId: town.id("another box"),
});
const recall = (town: Town): Command => ({
	kind: "recall",
	origin,
	fgIds: [town.id("bad")],
	reason: "bad",
	holders: [town.id("hold")],
});
const restore = (town: Town): Command => ({
	kind: "restore",
	origin,
	fgId: town.id("bad"),
	units: "all",
	reason: "fine",
	holders: [town.id("hold")],
	rest: "free",
});
const consume = (town: Town): Command => ({
	kind: "consume",
	origin,
	caller: town.callers.acme,
	token: town.id("hold"),
	externalRef: `${town.name}-sale`,
});
const reverse = (town: Town): Command => ({
	kind: "reverse",
	origin,
	caller: town.callers.acme,
	externalRef: `${town.name}-sale`,
});
const shipConsumed = (town: Town): Command => ({
	kind: "shipConsumed",
	origin,
	keyId: town.callers.acme.keyId,
	externalRef: `${town.name}-sale`,
});

/** The hold has 4 of the 5 units of the bad lot; the good lot has this number of units. */
const past = (town: Town, good: number): Command[] => [
	receive(town, "bad", 5, "2030-01-01"),
	...(good > 0 ? [receive(town, "good", good, "2031-01-01")] : []),
	reserve(town, "hold", 4),
];

/** The commands before, and the two concurrent commands. */
const PAIRS: { readonly [pair: string]: readonly [(town: Town) => Command[], (town: Town) => [Command, Command]] } = {
	"a recall and the place of a hold that can be picked again": [
		(town) => past(town, 9),
		(town) => [recall(town), place(town)],
	],
	"a recall and the place of a hold that cannot": [(town) => past(town, 1), (town) => [recall(town), place(town)]],
	"a recall and the ship of an order that can be picked again": [
		(town) => [...past(town, 9), place(town)],
		(town) => [recall(town), ship(town)],
	],
	"a recall and the ship of an order that cannot": [
		(town) => [...past(town, 1), place(town)],
		(town) => [recall(town), ship(town)],
	],
	"a restore and a reserve of all that is restored": [
		(town) => [...past(town, 0), place(town), recall(town)],
		(town) => [restore(town), reserve(town, "rival", 5)],
	],
	"a restore and a reserve of what nobody lacks": [
		(town) => [...past(town, 0), recall(town)],
		(town) => [restore(town), reserve(town, "rival", 1)],
	],
	"a report that units were shipped and a reverse": [
		(town) => [...past(town, 0), consume(town)],
		(town) => [shipConsumed(town), reverse(town)],
	],
};

describe("two operations on units that are recalled, restored or reported shipped, on two nodes", () => {
	it.each(Object.entries(PAIRS))("%s come to what one after the other would", async (pair, [before, atOnce]) => {
		const every = Math.max(1, Math.floor(ORDERS.length / RACES));
		const orders = ORDERS.filter((_, i) => i % every === 0);
		const towns = ["AB", "BA", ...orders].map((_, i) => makeTown(`${pair.replaceAll(" ", "-")}-${i}`));
		await settleTowns(database.db, towns);
		const seen: string[] = [];
		for (const [i, order] of ["AB", "BA", ...orders].entries()) {
			const town = towns[i] as Town;
			for (const command of before(town)) {
				const answer = (await engine.execute(command as never)) as Answer;
				if (isRefusal(answer)) throw new Error(`${command.kind}: ${answer.message}`);
			}
			const commands = atOnce(town);
			const answers =
				order.length === 2 ? await oneAfterTheOther(commands, order) : await race(actors, commands, order);
			seen.push(JSON.stringify(await outcome(town, answers)));
		}
		const [first, second, ...raced] = seen;
		expect(new Set(raced)).toEqual(new Set([first, second])); // both results occur, and no others
		const differences = (await verify(database.db)).differences.map(({ rule }) => rule);
		expect(differences).toEqual(["hold-without-key"]); // a town has none
	});
});

async function oneAfterTheOther(commands: readonly [Command, Command], order: string): Promise<Answer[]> {
	const run = async (command: Command) => (await engine.execute(command as never)) as Answer;
	if (order === "AB") return [await run(commands[0]), await run(commands[1])];
	const second = await run(commands[1]);
	return [await run(commands[0]), second];
}

/** The result without names of one town: the answers, the units by bucket, and the states of the hold and the order. */
async function outcome(town: Town, answers: readonly Answer[]): Promise<unknown> {
	const { db } = database;
	const { rows: lots } = await db.query(
		`select batch_number, available, held, allocated, consumed, shipped, quarantined, recalled_at is not null as recalled
		   from lot where formula_id = $1 order by 1`,
		[town.id("F0")],
	);
	const { rows: holds } = await db.query(
		`select h.reservation_token = $1 as ours, h.status, h.returned_units, o.status as order, o.hold_reason,
		        (select array_agg(p.units || ' ' || p.state order by p.ordinal) from part_now p
		          where p.reservation_token = h.reservation_token) as parts
		   from hold h left join orders o using (reservation_token)
		  where h.reservation_token = any($2::uuid[]) order by 1`,
		[town.id("hold"), [town.id("hold"), town.id("rival")]],
	);
	return { answers: answers.map(tell), lots, holds };
}

function tell(answer: Answer): unknown {
	if (isRefusal(answer)) return answer.refusal;
	const { moved, replaced, lost, givenBack, shippedUnits, returnedUnits } = answer as Record<string, unknown>;
	return { moved, replaced, lost, givenBack, shippedUnits, returnedUnits };
}
