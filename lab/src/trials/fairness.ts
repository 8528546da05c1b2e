import { setTimeout as sleep } from "node:timers/promises";
import { ask, saying } from "./ask.ts";
import { gather } from "./crowd.ts";
import { quantile, spread, tally } from "./figures.ts";
import { loopFor, timesOf } from "./loop.ts";
import { importTown, tokenOf } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const UNITS = 100_000_000;
/** Lines in a reserve of the big key: the maximum that the contract allows. */
const LINES = 100;
const CLIENTS = 2;
const PAUSE_MS = 5;
const WARM_UP_MS = 2_000;
const SETTLE_MS = 1_000;
/** Maximum factor by which another key's p99 may grow, as promised. */
const MOST_RATIO = 3;

export const fairness: Trial = {
	name: "fairness",
	says: "one key with many of the largest allowed reserves in parallel; another key reserves beside it",
	numbers: { parallel: 64, seconds: 15 },
	run: async ({ numbers, open }) => {
		const { parallel = 0, seconds = 0 } = numbers;
		const ground = await open({ nodes: 1 });
		const [node] = ground.works.nodes;
		if (node === undefined) throw new Error("a ground without nodes");
		const wanted = Array.from({ length: LINES }, (_, n) => ({ sku: `BIG-${n}`, lots: 1, units: UNITS }));
		const tokens = await importTown(ground, [...wanted, { sku: "SMALL", lots: 1, units: UNITS }], ["small", "big"]);
		const small = (): Promise<Awaited<ReturnType<typeof ask>>> =>
			ask(node.direct, tokenOf(tokens, "small"), "POST", "/api/v1/reserve", { items: [{ sku: "SMALL", qty: 1 }] });
		await loopFor(WARM_UP_MS, CLIENTS, small, PAUSE_MS);
		const alone = await loopFor(seconds * 1_000, CLIENTS, small, PAUSE_MS);
		const text = JSON.stringify({ items: wanted.map(({ sku }) => ({ sku, qty: 1 })), ttl_minutes: 1 });
		const crowd = await gather({
			port: node.plan.port,
			token: tokenOf(tokens, "big"),
			path: "/api/v1/reserve",
			connections: parallel,
			again: true,
			body: { kind: "text", text },
		});
		crowd.go();
		await sleep(SETTLE_MS);
		const beside = await loopFor(seconds * 1_000, CLIENTS, small, PAUSE_MS);
		const big = Object.entries(await crowd.stop()).map(([status, times]) => `${times} x ${status}`);
		const ratio = quantile(timesOf(beside), 0.99) / quantile(timesOf(alone), 0.99);
		return {
			rows: [
				["the small key alone", spread(timesOf(alone))],
				["the small key beside the big one", spread(timesOf(beside))],
				["its answers", tally(beside.map(saying))],
				["answers of the big key", big.join(", ")],
				["p99 beside / alone", ratio.toFixed(1)],
			],
			promises: [
				{ what: `the small key's p99 moves by less than ${MOST_RATIO} x`, kept: ratio < MOST_RATIO },
				{ what: "every answer of the small key is 201", kept: beside.every(({ status }) => status === 201) },
				{ what: "the big key was served", kept: big.some((line) => line.endsWith("201")) },
			],
		};
	},
};

if (import.meta.main) await main(fairness);
