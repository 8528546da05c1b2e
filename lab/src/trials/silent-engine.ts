import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, ask, saying } from "./ask.ts";
import { most, spread, tally } from "./figures.ts";
import { startLoop, timesOf } from "./loop.ts";
import { importTown, tokenOf } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const UNITS = 10_000_000;
const CLIENTS = 6;
const PAUSE_MS = 20;
const BEFORE_MS = 1_000;
const LOOK_EVERY_MS = 50;
/** Milliseconds within which every request is answered, as promised. */
const LONGEST_MS = 8_000;

/** Milliseconds that a request may wait while /readyz answers 200. */
const READY_WAIT_MS = 3_000;

/** The answer of /readyz at a moment. */
interface Look {
	readonly at: number;
	readonly status: number | null;
}

export const silentEngine: Trial = {
	name: "silent-engine",
	says: "a node's open connections to PostgreSQL go silent and stay open; new ones work",
	numbers: { seconds: 20 },
	run: async ({ numbers, open }) => {
		const ground = await open({ nodes: 1 });
		const [node] = ground.works.nodes;
		if (node === undefined) throw new Error("a ground without nodes");
		const token = tokenOf(await importTown(ground, [{ sku: "A", lots: 1, units: UNITS }], ["shop"]), "shop");
		const items = [{ sku: "A", qty: 1 }];
		const asked = (client: number): Promise<Answer> =>
			ask(node.api, token, "POST", client % 2 ? "/api/v1/check" : "/api/v1/reserve", { items });
		const partners = startLoop(CLIENTS, asked, PAUSE_MS);
		const looks = startLoop(
			1,
			async (): Promise<Look> => ({
				at: performance.now(),
				status: (await ask(node.direct, "", "GET", "/readyz")).status,
			}),
			LOOK_EVERY_MS,
		);
		await sleep(BEFORE_MS);
		const since = performance.now();
		await node.plan.database.order({ kind: "silence", directions: ["up", "down"], newToo: false });
		await sleep((numbers.seconds ?? 0) * 1_000);
		await node.plan.database.order({ kind: "heal", after: "lost" });
		const answers = (await partners.stop()).filter(({ began, ms }) => began + ms > since);
		const seen = (await looks.stop()).filter(({ at }) => at > since);
		const unready = seen.filter(({ status }) => status === 503);
		const isLate = (at: number): boolean =>
			answers.some(({ began, ms }) => began + READY_WAIT_MS < at && at < began + ms);
		const wronglyReady = seen.filter(({ at, status }) => status === 200 && isLate(at)).length;
		const firstUnready = unready[0] === undefined ? "never" : `${Math.round(unready[0].at - since)} ms`;
		return {
			rows: [
				["answers", tally(answers.map(saying))],
				["times", spread(timesOf(answers))],
				["/readyz", tally(seen.map(({ status }) => String(status)))],
				["first 503 of /readyz after", firstUnready],
				[`/readyz 200 while a request waited ${READY_WAIT_MS} ms`, wronglyReady],
			],
			promises: [
				{ what: `all answered within ${LONGEST_MS} ms`, kept: most(timesOf(answers)) <= LONGEST_MS },
				{ what: "every request is answered", kept: answers.every(({ status }) => status !== null) },
				{ what: "/readyz says 503 meanwhile", kept: unready.length > 0 && wronglyReady === 0 },
			],
		};
	},
};

if (import.meta.main) await main(silentEngine);
