import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, Command } from "../../src/assembly/commands.ts";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { audit } from "../model/audit.ts";
import { PureHouse, plain, TIME_ZONE } from "../model/pure-house.ts";
import { settleTowns } from "../model/settle-town.ts";
import { makeTown, type Town } from "../model/town.ts";
import { sizeOr } from "../sizes.ts";
import { Schedules, type StepClass } from "./schedules.ts";
import { Actor, interleavings, race } from "./stepping.ts";

/** Look, lock lots, lock holds, read, write, commit. */
const STEPS = 6;
const ORDERS = [...interleavings(STEPS, STEPS)];
/** Pairs raced side by side, each on connections and in towns of its own. */
const LANES = 3;
const TOWNS_AHEAD = sizeOr(500, 100);
const HELD_KITS = 5;
/** Orders of turns of one pair in an everyday run. In a full one: all of them. */
const EVERYDAY = 6;

const OPERATIONS = ["reserve", "rival", "release", "consume", "reverse", "expire", "quarantine", "drawDown"] as const;
type Operation = (typeof OPERATIONS)[number];
/** The state of the hold when the two commands begin. */
type Before = "active" | "past its end" | "consumed";
type Pair = readonly [Operation, Operation, Before];

const PAIRS = OPERATIONS.flatMap((a, i) =>
	OPERATIONS.slice(i).flatMap((b) => startsOf(a, b).map((before): Pair => [a, b, before])),
);

function startsOf(...pair: readonly [Operation, Operation]): Before[] {
	const starts: Before[] = [];
	if (!pair.includes("expire")) starts.push("active");
	if (pair.includes("expire") || pair.includes("reserve")) starts.push("past its end");
	if (pair.includes("reverse")) starts.push("consumed");
	return starts;
}

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

describe("two operations on one hold, on two nodes", () => {
	it("come to what one after the other would, in every interleaving of their steps: no unit lost, none twice, one winner", async () => {
		const every = Math.floor(ORDERS.length / sizeOr(ORDERS.length, EVERYDAY));
		const waiting = PAIRS.map((pair, p) => {
			return { pair, schedules: new Schedules(ORDERS.filter((_, i) => i % every === p % every)) };
		});
		await Promise.all(
			lanes.map(async (actors) => {
				for (let next = waiting.pop(); next; next = waiting.pop()) {
					const { pair, schedules } = next;
					await schedules.each((order, did) => raceOnce(actors, pair, order, did));
				}
			}),
		);
		expect(await audit(database.db)).toEqual([]);
	}, 1_800_000);
});

async function raceOnce(
	actors: readonly [Actor, Actor],
	[a, b, before]: Pair,
	order: string,
	did: (did: readonly (StepClass | null)[]) => void,
): Promise<void> {
	const town = await nextTown();
	await prepare(town, before);
	const commands = [commandOf(town, a, "A"), commandOf(town, b, "B")] as const;
	const answers = await race(actors, commands, order, did);
	const seen = JSON.stringify(await outcome(town, answers));
	const allowed = [serial(town, before, a, b, false), serial(town, before, a, b, true)].map((one) =>
		JSON.stringify(one),
	);
	if (allowed.includes(seen)) return;
	const logs = actors.map(({ log }) => `  ${log.join(", ")}`).join("\n");
	throw new Error(
		`${a} and ${b} on a hold that is ${before}, steps ${order}, came to\n  ${seen}\nbut one after the other come to\n  ${allowed.join("\n  ")}\nstatements\n${logs}`,
	);
}

const origin = { actor: "operator:test", requestId: null };
const REF = "the order";

function commandOf(town: Town, operation: Operation, side: "A" | "B"): Command {
	const caller = town.callers.acme;
	const token = town.id("hold");
	const newToken = town.id(`hold of ${side}`);
	const line = (qty: number) => [{ sku: `${town.name}-one`, qty, brandCode: undefined }];
	switch (operation) {
		case "reserve":
			return { kind: "reserve", origin, caller, newToken, lines: line(HELD_KITS), ttlMinutes: 30, externalRef: REF };
		case "rival":
			return {
				kind: "reserve",
				origin,
				caller: town.callers.acme2,
				newToken,
				lines: line(2),
				ttlMinutes: 30,
				externalRef: null,
			};
		case "release":
			return { kind: "release", origin, caller, token };
		case "consume":
			return { kind: "consume", origin, caller, token, externalRef: REF };
		case "reverse":
			return { kind: "reverse", origin, caller, externalRef: REF };
		case "expire":
			return { kind: "expire", origin, token };
		case "drawDown": {
			const wants = [{ formulaId: town.id("F0"), units: 4, pools: [2] }];
			return { kind: "drawDown", origin, reference: `label:${side}`, wants };
		}
		case "quarantine":
			return {
				kind: "quarantine",
				origin,
				fgId: town.id("lot 0"),
				units: "all",
				reason: "recall",
				holders: ["hold", "hold of A", "hold of B"].map((name) => town.id(name)),
			};
	}
}

/**
 * Two lots of 5 and 2 units; the hold has all of the first. A recall picks its units again from the second lot, from
 * which the hold had none.
 */
function past(town: Town, before: Before): Command[] {
	const lot = (n: number, units: number): Command => ({
		kind: "receive",
		origin,
		newFgId: town.id(`lot ${n}`),
		formulaId: town.id("F0"),
		poolId: 2,
		batchNumber: `b${n}`,
		expiresOn: `203${n}-01-01`,
		receivedOn: "2026-01-01",
		units,
	});
	const reserve = { ...commandOf(town, "reserve", "A"), newToken: town.id("hold") } as Command;
	const consume = commandOf(town, "consume", "A");
	return [lot(0, 5), lot(1, 2), reserve, ...(before === "consumed" ? [consume] : [])];
}

async function prepare(town: Town, before: Before): Promise<void> {
	for (const command of past(town, before)) await engine.execute(command as never);
	if (before !== "past its end") return;
	await database.db.query(
		"update hold set expires_at = expires_at - interval '31 minutes' where reservation_token = $1",
		[town.id("hold")],
	);
}

/** The result of running one after the other, decided by the pure rules alone. */
function serial(town: Town, before: Before, a: Operation, b: Operation, backwards: boolean): unknown {
	const house = new PureHouse(town);
	for (const command of past(town, before)) house.run(command);
	if (before === "past its end") house.pass({ do: "wait", minutes: 31 });
	const run = (operation: Operation, side: "A" | "B") =>
		plain(house.run(commandOf(town, operation, side)).answer, house.now);
	const second = backwards ? run(b, "B") : undefined;
	const first = run(a, "A");
	const answers = [first, second ?? run(b, "B")];
	// one sweep afterwards on both sides, because it does not matter when the row of an expired hold is written
	house.open();
	const holds = [...house.holds.values()].map(({ reservationToken: token, status, parts }) => {
		const held = parts.filter(({ state }) => state === "held" || state === "consumed");
		return [token, status, held.reduce((sum, { units }) => sum + units, 0)].join(" ");
	});
	const lots = [...house.lots.values()].map((lot) =>
		[lot.fgId, lot.available, lot.held, lot.consumed, lot.shipped, lot.quarantined].join(" "),
	);
	return { answers, holds: holds.sort(), lots: lots.sort() };
}

async function outcome(town: Town, answers: readonly Answer[]): Promise<unknown> {
	await engine.execute({ kind: "expire", origin, token: town.id("hold") });
	const { db } = database;
	const { rows: clock } = await db.query<{ ms: number }>(
		"select floor(extract(epoch from now()) * 1000)::bigint as ms",
	);
	const { rows: holds } = await db.query<{ is: string }>(
		`select concat_ws(' ', h.reservation_token, h.status, (select coalesce(sum(p.units), 0) from part_now p
		    where p.reservation_token = h.reservation_token and p.state in ('held', 'consumed'))) as is
		   from hold h where h.reservation_token = any($1::uuid[])`,
		[["hold", "hold of A", "hold of B"].map((name) => town.id(name))], // there can be no others
	);
	const { rows: lots } = await db.query<{ is: string }>(
		"select concat_ws(' ', fg_id, available, held, consumed, shipped, quarantined) as is from lot where formula_id = $1",
		[town.id("F0")],
	);
	return {
		answers: answers.map((answer) => plain(answer, clock[0]?.ms ?? 0)),
		holds: holds.map((row) => row.is).sort(),
		lots: lots.map((row) => row.is).sort(),
	};
}

async function nextTown(): Promise<Town> {
	const index = settled++;
	if (index % TOWNS_AHEAD === 0) {
		const fresh = Array.from({ length: TOWNS_AHEAD }, (_, i) => makeTown(`p${index + i}`));
		settling = settling.then(() => settleTowns(database.db, fresh));
		towns.push(...fresh);
	}
	await settling;
	return towns[index] as Town;
}
