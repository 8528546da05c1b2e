import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/assembly/commands.ts";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { openTestDatabase, type TestDatabase } from "../house.ts";
import { LINKS } from "../links.ts";
import { audit } from "../model/audit.ts";
import { settleTowns } from "../model/settle-town.ts";
import { history, Names, type Step, toCommand } from "../model/steps.ts";
import { makeTown, type Town } from "../model/town.ts";
import { sizeOr } from "../sizes.ts";

/**
 * Number of concurrent histories in one town, on two nodes, so that they conflict with each other. Enough for each
 * answer to occur.
 */
const HISTORIES = sizeOr(10_000, 400);
const AT_ONCE = 24;

let database: TestDatabase;
let town: Town;
let nodes: StockEngine[];
let today: string;

beforeAll(async () => {
	database = await openTestDatabase();
	town = makeTown("mixed");
	await settleTowns(database.db, [town]);
	nodes = [0, 1].map(() =>
		openStockEngine(database.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS }),
	);
	const { rows } = await database.db.query<{ day: string }>("select (now() at time zone 'UTC')::date as day");
	today = rows[0]?.day ?? "";
});
afterAll(async () => {
	for (const node of nodes) await node.close();
	await database.close();
});

describe("partners, the operator and time, all in each other's way on two nodes", () => {
	it("fail nobody, meet no deadlock, and leave books that balance", async () => {
		const histories = fc.sample(history, HISTORIES);
		const counts = new Map<string, number>();
		const worker = async (): Promise<void> => {
			for (let index = histories.length; histories.length > 0; index = histories.length) {
				await liveThrough(index, histories.pop() ?? [], counts);
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE }, worker));
		expect([...counts.keys()].filter((answer) => ["retry", "rate_limited by load"].includes(answer))).toEqual([]);
		const met = ["done", "no_inventory", "not_found", "wrong_state", "invalid_input", "not_consumed"];
		expect([...counts.keys()]).toEqual(expect.arrayContaining(met)); // answers that never occur prove nothing
		expect(await audit(database.db)).toEqual([]);
		expect(await deadlocks()).toBe(0);
	}, 900_000);
});

async function liveThrough(index: number, steps: readonly Step[], counts: Map<string, number>): Promise<void> {
	const names = new Names({
		...town,
		id: (what) => town.id(/^(hold|lot|order|box|parcel) /.test(what) ? `${index} ${what}` : what),
	});
	const own = {
		...town,
		id: (what: string) => town.id(/^(hold|lot|order|box|parcel) /.test(what) ? `${index} ${what}` : what),
	};
	for (const [at, step] of steps.entries()) {
		if (step.do === "wait" || step.do === "sleep") await lapse(names);
		const command = toCommand(own, names, at, step, today);
		if (!command) continue;
		const node = nodes[(index + at) % nodes.length] as StockEngine;
		const answer = (await node.execute(command as never)) as Answer;
		const said = isRefusal(answer) ? answer.refusal : "done";
		names.learn(command, answer);
		const busy = said === "rate_limited" && command.kind !== "reserve";
		// a box with other contents than the command names is not a conflict
		const looksAgain = said === "retry" && (command.kind === "ship" || command.kind === "voidShipment");
		const word = looksAgain ? "look again" : busy ? "rate_limited by load" : said;
		counts.set(word, (counts.get(word) ?? 0) + 1);
	}
}

/** The last hold of this history expires while other histories run. */
async function lapse(names: Names): Promise<void> {
	await database.db.query("update hold set expires_at = now() - interval '1 second' where reservation_token = $1", [
		names.tokens.at(-1) ?? names.token(0),
	]);
}

async function deadlocks(): Promise<number> {
	const { rows } = await database.db.query<{ deadlocks: number }>(
		"select deadlocks from pg_stat_database where datname = current_database()",
	);
	return rows[0]?.deadlocks ?? -1;
}
