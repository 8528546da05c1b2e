import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/assembly/commands.ts";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { CHOSEN_EVENT_TYPES } from "../../src/partners/webhooks/endpoint.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { audit } from "../model/audit.ts";
import { PureHouse, plain, TIME_ZONE } from "../model/pure-house.ts";
import { settleTowns } from "../model/settle-town.ts";
import { makeTown, type Town } from "../model/town.ts";
import { sizeOr } from "../sizes.ts";
import { type Before, commandOf, expireOf, OPERATIONS, type Operation, PAIRS, past, tokensOf } from "./order-pairs.ts";
import { Schedules, type StepClass } from "./schedules.ts";
import { Actor, interleavings, race } from "./stepping.ts";

/** Pairs raced side by side, each on connections and in towns of its own. */
const LANES = 3;
const TOWNS_AHEAD = sizeOr(300, 100);
/** Interleavings of one pair in an everyday run. In a full one: all of them. */
const EVERYDAY = 3;

let database: TestDatabase;
let engine: StockEngine;
const lanes: (readonly [Actor, Actor])[] = [];
const towns: Town[] = [];
let settled = 0;
let settling: Promise<void> = Promise.resolve();

beforeAll(async () => {
	database = await openTestDatabase();
	engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: TIME_ZONE, links: LINKS });
	for (let i = 0; i < LANES; i++) {
		lanes.push([new Actor(database.url, TIME_ZONE, database.db), new Actor(database.url, TIME_ZONE, database.db)]);
	}
});
afterAll(async () => {
	for (const actor of lanes.flat()) await actor.close();
	await engine.close();
	await database.close();
});

/** The interleavings of a pair that this run tests: every n-th, different ones for each pair. */
function chosen([a, b]: Pair, index: number): string[] {
	const all = [...interleavings(OPERATIONS[a], OPERATIONS[b])];
	const every = Math.max(1, Math.floor(all.length / sizeOr(all.length, EVERYDAY)));
	return all.filter((_, i) => i % every === index % every);
}

describe("two operations on one order, on two nodes", () => {
	it("come to what one after the other would, in every interleaving of their steps: one winner, no unit lost, rows that agree", async () => {
		const pairs = PAIRS.map((pair, index) => ({ pair, schedules: new Schedules(chosen(pair, index)) }));
		const waiting = [...pairs];
		await Promise.all(
			lanes.map(async (actors) => {
				for (let next = waiting.pop(); next; next = waiting.pop()) {
					const { pair, schedules } = next;
					await schedules.each((order, did) => raceOnce(actors, pair, order, did));
				}
			}),
		);
		expect(await audit(database.db)).toEqual([]);
		for (const { pair, schedules } of pairs) expect(schedules.orders, pair.join()).toBeGreaterThanOrEqual(EVERYDAY);
		if (process.env.GUARANTEES === "full") console.info(summaryOf(pairs));
	}, 3_600_000);
});

type Pair = readonly [Operation, Operation, Before];

const summaryOf = (pairs: readonly { readonly pair: Pair; readonly schedules: Schedules }[]): string =>
	pairs
		.map(({ pair, schedules: { orders, races } }) => `${pair.join(", ")}: ${orders} orders, ${races} schedules`)
		.join("\n");

async function raceOnce(
	actors: readonly [Actor, Actor],
	[a, b, before]: Pair,
	order: string,
	did: (did: readonly (StepClass | null)[]) => void,
): Promise<void> {
	const town = await nextTown();
	for (const command of past(town, before)) await engine.execute(command as never);
	if (before === "a hold past its end") await lapse(town);
	const commands = [commandOf(town, a, "A"), commandOf(town, b, "B")] as const;
	const answers = await race(actors, commands, order, did);
	const seen = JSON.stringify(await outcome(town, answers));
	const allowed = [false, true].map((backwards) => JSON.stringify(serial(town, before, a, b, backwards)));
	if (allowed.includes(seen)) return;
	const logs = actors.map(({ log }) => `  ${log.join(", ")}`).join("\n");
	throw new Error(
		`${a} and ${b} on ${before}, steps ${order}, came to\n  ${seen}\nbut one after the other come to\n  ${allowed.join("\n  ")}\nstatements\n${logs}`,
	);
}

const lapse = (town: Town) =>
	database.db.query(
		"update hold set expires_at = expires_at - interval '31 minutes' where reservation_token = any($1::uuid[])",
		[tokensOf(town)],
	);

/** The result of running one after the other, decided by the pure rules alone. */
function serial(town: Town, before: Before, a: Operation, b: Operation, backwards: boolean): unknown {
	const house = new PureHouse(town);
	for (const command of past(town, before)) house.run(command);
	if (before === "a hold past its end") house.pass({ do: "wait", minutes: 31 });
	const run = (operation: Operation, side: string) =>
		plain(house.run(commandOf(town, operation, side)).answer, house.now);
	const second = backwards ? run(b, "B") : undefined;
	const first = run(a, "A");
	const answers = [first, second ?? run(b, "B")];
	house.open(); // holds past their end are over
	return {
		answers,
		lots: [...house.lots.values()]
			.map((l) => [l.fgId, l.available, l.held, l.allocated, l.consumed, l.shipped, l.quarantined].join(" "))
			.sort(),
		holds: [...house.holds.values()].map(({ reservationToken: token, status }) => `${token} ${status}`).sort(),
		orders: [...house.orders.values()]
			.map((o) =>
				[o.orderId, o.ref, o.status, o.version, o.holdReason ?? "-", o.pickAgain, o.shipmentIds.join("+")].join(" "),
			)
			.sort(),
		boxes: [...house.shipments.values()]
			.map((s) => [s.shipmentId, s.status, s.version, s.orderIds.join("+")].join(" "))
			.sort(),
		events: house.events
			.flatMap(({ eventId, type, orderId }) => (orderId === null ? [] : [`${eventId} ${type}`]))
			.sort(),
	};
}

async function outcome(town: Town, answers: readonly Answer[]): Promise<unknown> {
	for (const token of tokensOf(town))
		await engine.execute({ ...(expireOf(town) as { kind: "expire" }), token } as never);
	const { db } = database;
	const { rows: clock } = await db.query<{ ms: number }>(
		"select floor(extract(epoch from now()) * 1000)::bigint as ms",
	);
	const list = async (text: string, value: unknown): Promise<string[]> => {
		const { rows } = await db.query<{ is: string }>(text, [value]);
		return rows.map(({ is }) => is).sort();
	};
	const key = town.callers.acme.keyId;
	return {
		answers: answers.map((answer) => plain(answer, clock[0]?.ms ?? 0)),
		lots: await list(
			"select concat_ws(' ', fg_id, available, held, allocated, consumed, shipped, quarantined) as is from lot where formula_id = $1",
			town.id("F0"),
		),
		holds: await list("select concat_ws(' ', reservation_token, status) as is from hold where key_id = $1", key),
		orders: await list(
			`select concat_ws(' ', order_id, ref, status, version, coalesce(hold_reason, '-'), pick_again::text, array_to_string(shipment_ids, '+')) as is
			   from orders where key_id = $1`,
			key,
		),
		boxes: await list(
			`select concat_ws(' ', shipment_id, status, version, array_to_string(order_ids, '+')) as is from shipment s
			  where exists (select from orders o where o.order_id = any(s.order_ids) and o.key_id = $1)`,
			key,
		),
		events: await list(
			`select concat_ws(' ', event_id, type) as is from event join orders using (order_id) where key_id = $1`,
			key,
		),
	};
}

/** The partner of each town has an endpoint for every type of event, to which nobody sends. */
const listenIn = async (fresh: readonly Town[]): Promise<void> => {
	await database.db.query(
		`with owner as (
		   insert into partner (partner_id, name) select id, id::text from unnest($1::uuid[]) id returning partner_id)
		 insert into webhook_endpoint (endpoint_id, partner_id, environment, url, event_types, status, api_date, version)
		 select gen_random_uuid(), partner_id, 'live', 'https://shop.example.com/', $2, 'active', '2026-09-06',
		        take_numbers('webhook_endpoint_epoch', 1) from owner`,
		[fresh.map((town) => town.callers.acme.partnerId), CHOSEN_EVENT_TYPES],
	);
};

async function nextTown(): Promise<Town> {
	const index = settled++;
	if (index % TOWNS_AHEAD === 0) {
		const fresh = Array.from({ length: TOWNS_AHEAD }, (_, i) => makeTown(`o${index + i}`));
		settling = settling.then(() => settleTowns(database.db, fresh)).then(() => listenIn(fresh));
		towns.push(...fresh);
	}
	await settling;
	return towns[index] as Town;
}
