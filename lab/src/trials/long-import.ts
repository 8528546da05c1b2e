import { setTimeout as sleep } from "node:timers/promises";
import type { Ground } from "../ground/types.ts";
import { type Answer, ask, saying } from "./ask.ts";
import { quantile, spread, tally } from "./figures.ts";
import { startLoop, timesOf } from "./loop.ts";
import { importTown, type Shelf, tokenOf } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const UNITS = 1_000;
const FREE_UNITS = 10_000_000;
const LOTS_OF_A_SHELF = 100;
const SHALLOW_LOTS = 30;
const LONE_RESERVES = 40;
const CLIENTS = 4;
const PAUSE_MS = 10;
const BEFORE_MS = 3_000;
/** Milliseconds, as promised: the untouched SKU's p99; and the extra cost of a reserve on the deep shelf. */
const UNTOUCHED_P99_MS = 100;
const DEEPER_MS = 60;

const reserve = (ground: Ground, token: string, sku: string, client: number): Promise<Answer> => {
	const node = ground.nodes[client % ground.nodes.length]?.api ?? "";
	return ask(node, token, "POST", "/api/v1/reserve", { items: [{ sku, qty: 1 }] });
};

/** Median of sequential reserves of one SKU without other load. */
async function loneMedian(ground: Ground, token: string, sku: string): Promise<number> {
	const times: number[] = [];
	for (let n = 0; n < LONE_RESERVES; n++) {
		const answer = await reserve(ground, token, sku, 0);
		if (answer.status !== 201) throw new Error(`a lone reserve of ${sku} was answered ${saying(answer)}`);
		times.push(answer.ms);
	}
	return quantile(times, 0.5);
}

export const longImport: Trial = {
	name: "long-import",
	says: "an import receives one more unit for each of many lots, beside partners; and a reserve on a shelf of thousands of lots",
	numbers: { lots: 60_000, deep: 9_000 },
	run: async ({ numbers, open, say }) => {
		const { lots = 0, deep = 0 } = numbers;
		const ground = await open();
		const stock = (units: number): Shelf[] =>
			Array.from({ length: Math.ceil(lots / LOTS_OF_A_SHELF) }, (_, n) => ({
				sku: `L-${n}`,
				lots: LOTS_OF_A_SHELF,
				units,
			}));
		const others: Shelf[] = [
			{ sku: "FREE", lots: 3, units: FREE_UNITS },
			{ sku: "SHALLOW", lots: SHALLOW_LOTS, units: UNITS },
			{ sku: "DEEP", lots: deep, units: UNITS },
		];
		const token = tokenOf(await importTown(ground, [...stock(UNITS), ...others], ["shop"]), "shop");
		const shallowMs = await loneMedian(ground, token, "SHALLOW");
		const deepMs = await loneMedian(ground, token, "DEEP");
		say("the shelves are measured; now the import");
		const untouched = startLoop(CLIENTS, (client) => reserve(ground, token, "FREE", client), PAUSE_MS);
		const touched = startLoop(CLIENTS, (client) => reserve(ground, token, `L-${client}`, client), PAUSE_MS);
		await sleep(BEFORE_MS);
		const began = performance.now();
		await importTown(ground, stock(UNITS + 1), []);
		const ended = performance.now();
		const meanwhile = (answers: readonly Answer[]): Answer[] =>
			answers.filter((answer) => answer.began + answer.ms > began && answer.began < ended);
		const [free, met] = (await Promise.all([untouched.stop(), touched.stop()])).map(meanwhile);
		const before = untouched.answers.filter((answer) => answer.began + answer.ms < began);
		const p99 = quantile(timesOf(free ?? []), 0.99);
		return {
			rows: [
				["the import took", `${((ended - began) / 1_000).toFixed(1)} s`],
				["an untouched SKU before", spread(timesOf(before))],
				["an untouched SKU meanwhile", spread(timesOf(free ?? []))],
				["its answers", tally((free ?? []).map(saying))],
				["a SKU that is received", spread(timesOf(met ?? []))],
				["its answers", tally((met ?? []).map(saying))],
				[`a lone reserve, median, ${SHALLOW_LOTS} lots`, `${shallowMs.toFixed(1)} ms`],
				[`a lone reserve, median, ${deep} lots`, `${deepMs.toFixed(1)} ms`],
			],
			promises: [
				{ what: `an untouched SKU: p99 at most ${UNTOUCHED_P99_MS} ms`, kept: p99 <= UNTOUCHED_P99_MS },
				{ what: `the deep shelf costs at most ${DEEPER_MS} ms more`, kept: deepMs - shallowMs <= DEEPER_MS },
				{ what: "every answer of the untouched SKU is 201", kept: (free ?? []).every(({ status }) => status === 201) },
			],
		};
	},
};

if (import.meta.main) await main(longImport);
