import { setTimeout as sleep } from "node:timers/promises";
import { withSession } from "../ground/one-session.ts";
import type { Ground } from "../ground/types.ts";
import { type Answer, ask, saying } from "./ask.ts";
import { most, spread, tally } from "./figures.ts";
import { startLoop, timesOf } from "./loop.ts";
import { importTown, tokenOf } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const UNITS = 10_000_000;
const CLIENTS = 4;
const PAUSE_MS = 10;
const BEFORE_MS = 1_000;
/** Maximum milliseconds for the other node's slowest answer, as promised. */
const LONGEST_MS = 6_000;
/** Sessions of a node in a transaction that has locked a lot: a table lock for writing implies locked rows. */
const HOLDING = `
	select count(distinct a.pid)::int as holding from pg_stat_activity a join pg_locks l using (pid)
	 where a.datname = $1 and a.client_port = any($2::int[]) and a.xact_start is not null
	   and l.relation = 'lot'::regclass and l.mode in ('RowShareLock', 'RowExclusiveLock')`;

async function sessionsHoldingLots(ground: Ground, ports: readonly number[]): Promise<number> {
	return await withSession(ground.works.url, async (session) => {
		const { rows } = await session.query<{ holding: number }>(HOLDING, [ground.works.serviceDatabase, ports]);
		return rows[0]?.holding ?? 0;
	});
}

export const vanishedNode: Trial = {
	name: "vanished-node",
	says: "a node's host vanishes in the middle of a batch: its COMMIT does not arrive, and PostgreSQL gets nothing more from it, not even the end of the connection",
	numbers: { seconds: 20 },
	run: async ({ numbers, open }) => {
		const ground = await open();
		const shelves = ["SHARED", "OTHER"].map((sku) => ({ sku, lots: 1, units: UNITS }));
		const token = tokenOf(await importTown(ground, shelves, ["shop"]), "shop");
		const [lost, left] = ground.works.nodes;
		if (lost === undefined || left === undefined) throw new Error("this trial needs two nodes");
		const reserve =
			(base: string) =>
			(client: number): Promise<Answer> =>
				ask(base, token, "POST", "/api/v1/reserve", { items: [{ sku: client % 2 ? "OTHER" : "SHARED", qty: 1 }] });
		const here = startLoop(CLIENTS, reserve(left.api), PAUSE_MS);
		await sleep(BEFORE_MS);
		// a single request is this node's only batch, and it locks the lot that the other node's partners want
		const gone = lost.plan.database.order({ kind: "silence-at-commit" });
		const unanswered = reserve(lost.api)(0);
		const { upstreamPorts } = await gone;
		const holding = await sessionsHoldingLots(ground, upstreamPorts);
		const since = performance.now();
		await sleep((numbers.seconds ?? 0) * 1_000);
		await lost.plan.database.order({ kind: "heal", after: "lost" });
		const answers = (await here.stop()).filter(({ began, ms }) => began + ms > since);
		await unanswered;
		return {
			rows: [
				["sessions of the lost node that held lots", holding],
				["the other node's answers", tally(answers.map(saying))],
				["the other node's times", spread(timesOf(answers))],
			],
			promises: [
				{ what: "the lost node held a lot (otherwise the trial proves nothing)", kept: holding > 0 },
				{
					what: `the other node's longest answer at most ${LONGEST_MS} ms`,
					kept: answers.length > 0 && most(timesOf(answers)) <= LONGEST_MS,
				},
				{ what: "the other node answers no 500", kept: answers.every(({ status }) => status !== null && status < 500) },
			],
		};
	},
};

if (import.meta.main) await main(vanishedNode);
