import { setTimeout as sleep } from "node:timers/promises";
import { withSession } from "../ground/one-session.ts";
import type { Ground } from "../ground/types.ts";
import { ask, saying } from "./ask.ts";
import { most, quantile, spread, tally } from "./figures.ts";
import { startLoop, timesOf } from "./loop.ts";
import { importTown, tokenOf } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const UNITS = 10_000_000;
/** Clients for each SKU, the locked one included. */
const CLIENTS = 4;
/** Milliseconds between two requests of a client: a partner, not a benchmark. */
const PAUSE_MS = 20;
const BEFORE_MS = 5_000;
const LOCK_LOT =
	"select fg_id from lot join formula using (formula_id) where formula.code = $1 order by fg_id limit 1 for update of lot";
/** Milliseconds, as promised for other SKUs and for the locked one. */
const OTHERS_P99_MS = 50;
const LOCKED_MOST_MS = 6_000;

async function lockedFor(ground: Ground, sku: string, ms: number): Promise<void> {
	await withSession(ground.works.url, async (session) => {
		await session.query("begin");
		const { rowCount } = await session.query(LOCK_LOT, [sku]);
		if (rowCount !== 1) throw new Error(`no lot of ${sku} to lock`);
		await sleep(ms);
		await session.query("rollback");
	});
}

export const strangerLock: Trial = {
	name: "stranger-lock",
	says: "a foreign session locks the only lot of a SKU; other SKUs are reserved meanwhile",
	numbers: { seconds: 60 },
	run: async ({ numbers, open }) => {
		const ground = await open();
		const shelves = ["LOCKED", "FREE"].map((sku) => ({ sku, lots: 1, units: UNITS }));
		const tokens = await importTown(ground, shelves, ["shop"]);
		const token = tokenOf(tokens, "shop");
		const reserve = (sku: string) => (client: number) => {
			const node = ground.nodes[client % ground.nodes.length]?.api ?? "";
			return ask(node, token, "POST", "/api/v1/reserve", { items: [{ sku, qty: 1 }] });
		};
		const free = startLoop(CLIENTS, reserve("FREE"), PAUSE_MS);
		await sleep(BEFORE_MS);
		const before = timesOf(free.answers);
		const lockedAt = performance.now();
		const lock = lockedFor(ground, "LOCKED", (numbers.seconds ?? 0) * 1_000);
		await sleep(PAUSE_MS);
		const hot = startLoop(CLIENTS, reserve("LOCKED"), PAUSE_MS);
		await lock;
		const unlockedAt = performance.now();
		const [freeAnswers, hotAnswers] = await Promise.all([free.stop(), hot.stop()]);
		const during = freeAnswers.filter(({ began }) => began > lockedAt && began < unlockedAt);
		// answers after the unlock are included, because these requests waited for the lock
		const hotDuring = hotAnswers.filter(({ began }) => began < unlockedAt - LOCKED_MOST_MS);
		const wrong = hotDuring.filter((answer) => saying(answer) !== "409 retry");
		const p99 = quantile(timesOf(during), 0.99);
		return {
			rows: [
				["another SKU before", spread(before)],
				["another SKU meanwhile", spread(timesOf(during))],
				["its answers", tally(during.map(saying))],
				["the locked SKU", spread(timesOf(hotDuring))],
				["its answers", tally(hotDuring.map(saying))],
			],
			promises: [
				{ what: `another SKU: p99 at most ${OTHERS_P99_MS} ms`, kept: p99 <= OTHERS_P99_MS },
				{ what: "another SKU: every answer 201", kept: during.every(({ status }) => status === 201) },
				{ what: "the locked SKU: every answer 409 retry", kept: hotDuring.length > 0 && wrong.length === 0 },
				{
					what: `the locked SKU: no answer after more than ${LOCKED_MOST_MS} ms`,
					kept: most(timesOf(hotDuring)) <= LOCKED_MOST_MS,
				},
			],
		};
	},
};

if (import.meta.main) await main(strangerLock);
