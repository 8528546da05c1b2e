import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/assembly/commands.ts";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { size } from "../sizes.ts";
import { audit } from "./audit.ts";
import { describeHistory } from "./describe.ts";
import { PureHouse, plain } from "./pure-house.ts";
import { settleTowns } from "./settle-town.ts";
import { history, Names, type Step, toCommand } from "./steps.ts";
import { makeTown, POOLS, type Town } from "./town.ts";

const HISTORIES = 2_000;
/**
 * Number of concurrent histories, each in a town of its own: their commands share batches, which must not affect them.
 */
const AT_ONCE = 8;
/** Number of towns created at a time. */
const TOWNS_AHEAD = 200;

let database: TestDatabase;
let engine: StockEngine;
let timeZone: string;
let today: string;
const towns: Town[] = [];
let settled = 0;

beforeAll(async () => {
	database = await openTestDatabase();
	timeZone = await noonZone();
	engine = openStockEngine(database.url, { catalog: createCatalogCache(), timeZone, links: LINKS });
});
afterAll(async () => {
	await engine.close();
	await database.close();
});

describe("the service on PostgreSQL", () => {
	it("answers every generated history as the pure decisions do, and its books balance afterwards", async () => {
		const together = fc.array(history, { minLength: AT_ONCE, maxLength: AT_ONCE });
		const property = fc.asyncProperty(together, async (histories) => {
			await Promise.all(histories.map(liveThrough));
		});
		const result = await fc.check(property, {
			numRuns: Math.ceil(size(HISTORIES) / AT_ONCE),
			interruptAfterTimeLimit: 1_500_000,
			markInterruptAsFailure: true,
		});
		if (result.failed) {
			const [histories] = result.counterexample ?? [[]];
			const cause = result.errorInstance instanceof Error ? result.errorInstance.message : "interrupted";
			const lists = histories.map(describeHistory).join("\n  and beside it\n");
			throw new Error(`seed ${result.seed}, path ${result.counterexamplePath}\n${lists}\n${cause}`);
		}
		expect(await audit(database.db)).toEqual([]);
	}, 1_800_000);
});

async function liveThrough(steps: readonly Step[]): Promise<void> {
	const town = await nextTown();
	const house = new PureHouse(town);
	const [names, realNames] = [new Names(town), new Names(town)];
	for (const [at, step] of steps.entries()) {
		const command = toCommand(town, names, at, step, house.today);
		const realCommand = toCommand(town, realNames, at, step, today);
		if (!command || !realCommand) {
			house.pass(step);
			await passReally(town, step);
			continue;
		}
		house.now++; // as in real time: which of two orders came first decides from which one a recall takes units
		const pure = house.run(command).answer;
		names.learn(command, pure);
		const expected = plain(pure, house.now);
		const before = await realNow();
		const answer = (await engine.execute(realCommand as never)) as Answer;
		realNames.learn(realCommand, answer);
		expect(plain(answer, before), `answer of step ${at}`).toEqual(expected);
	}
	house.open(); // the pure house ends due holds by itself; the real one needs a sweep
	for (const token of realNames.tokens) {
		await engine.execute({ kind: "expire", origin: { actor: "system:expiry", requestId: null }, token });
	}
	expect(await realBalances(town)).toEqual(
		[...house.lots.values()]
			.map((lot) =>
				[
					lot.fgId,
					lot.received,
					lot.corrected,
					lot.available,
					lot.held,
					lot.allocated,
					lot.consumed,
					lot.shipped,
					lot.quarantined,
					lot.destroyed,
				].join(" "),
			)
			.sort(),
	);
	expect(await realOrders(town)).toEqual(
		[...house.orders.values()]
			.map((o) => [o.orderId, o.ref, o.status, o.version, o.holdReason ?? "-", ...o.shipmentIds].join(" "))
			.sort(),
	);
	expect(await realBoxes(town)).toEqual(
		[...house.shipments.values()].map((s) => [s.shipmentId, s.status, s.version, ...s.orderIds].join(" ")).sort(),
	);
}

async function nextTown(): Promise<Town> {
	const index = settled++;
	if (index % TOWNS_AHEAD === 0) {
		const fresh = Array.from({ length: TOWNS_AHEAD }, (_, i) => makeTown(`t${index + i}`));
		settling = settling.then(() => settleTowns(database.db, fresh));
		towns.push(...fresh);
	}
	await settling;
	return towns[index] as Town;
}
let settling: Promise<void> = Promise.resolve();

/**
 * Real time cannot be moved, so everything else is: instead of waiting an hour, every hold is made an hour older;
 * instead of waiting a day, every lot gets one day less. The pure house moves its clock; the results must be the same.
 */
async function passReally(town: Town, step: Step): Promise<void> {
	const { db } = database;
	const keys = keyIdsOf(town);
	const past = step.do === "wait" ? `${step.minutes} minutes` : step.do === "sleep" ? `${step.days} days` : null;
	if (past !== null) {
		await db.query(
			`update hold set created_at = created_at - $2::interval, expires_at = expires_at - $2::interval
			  where key_id = any($1::uuid[])`,
			[keys, past],
		);
	}
	if (step.do === "sleep" || step.do === "midnight") {
		await db.query(
			`update lot set expires_on = expires_on - $2::int, received_on = received_on - $2::int,
			        label_digest = label_digest(fg_id, formula_id, pool_id, batch_number, expires_on - $2::int, received_on - $2::int) where formula_id = any($1::uuid[])`,
			[town.formulas.map(({ formulaId }) => formulaId), step.do === "sleep" ? step.days : 1],
		);
	}
	if (step.do === "promise") {
		const shelf = [town.id(step.formula), POOLS[step.pool]];
		await db.query("delete from demand where formula_id = $1 and pool_id = $2", shelf);
		if (step.units > 0) {
			await db.query("insert into demand (formula_id, pool_id, reference, units) values ($1, $2, 'test', $3)", [
				...shelf,
				step.units,
			]);
		}
	}
}

async function realBalances(town: Town): Promise<string[]> {
	const { rows } = await database.db.query<{ balance: string }>(
		`select concat_ws(' ', fg_id, received, corrected, available, held, allocated, consumed, shipped, quarantined, destroyed) as balance
		   from lot where formula_id = any($1::uuid[])`,
		[town.formulas.map(({ formulaId }) => formulaId)],
	);
	return rows.map(({ balance }) => balance).sort();
}

const keyIdsOf = (town: Town): string[] => Object.values(town.callers).map(({ keyId }) => keyId);

async function realOrders(town: Town): Promise<string[]> {
	const { rows } = await database.db.query<{ is: string }>(
		`select concat_ws(' ', order_id, ref, status, version, coalesce(hold_reason, '-'), array_to_string(shipment_ids, ' ')) as is
		   from orders where key_id = any($1::uuid[])`,
		[keyIdsOf(town)],
	);
	return rows.map(({ is }) => is.trim()).sort();
}

async function realBoxes(town: Town): Promise<string[]> {
	const { rows } = await database.db.query<{ is: string }>(
		`select concat_ws(' ', shipment_id, status, version, array_to_string(order_ids, ' ')) as is from shipment s
		  where exists (select from orders o where o.order_id = any(s.order_ids) and o.key_id = any($1::uuid[]))`,
		[keyIdsOf(town)],
	);
	return rows.map(({ is }) => is).sort();
}

async function realNow(): Promise<number> {
	const { rows } = await database.db.query<{ ms: number }>(
		"select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms",
	);
	return rows[0]?.ms ?? 0;
}

/**
 * A time zone in which it is noon now, as in the pure house, so that waits of up to half a day cross no midnight in
 * either.
 */
async function noonZone(): Promise<string> {
	const { rows } = await database.db.query<{ hour: number }>(
		"select extract(hour from now() at time zone 'UTC')::int as hour",
	);
	const ahead = 12 - (rows[0]?.hour ?? 12);
	const zone = ahead === 0 ? "Etc/GMT" : `Etc/GMT${ahead > 0 ? `-${ahead}` : `+${-ahead}`}`; // POSIX signs: west is plus
	const { rows: days } = await database.db.query<{ day: string }>("select (now() at time zone $1)::date as day", [
		zone,
	]);
	today = days[0]?.day ?? "";
	return zone;
}
