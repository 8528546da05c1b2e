import { setTimeout as sleep } from "node:timers/promises";
import type { Ground } from "../ground/types.ts";
import { type Answer, ask, saying } from "./ask.ts";
import { gather } from "./crowd.ts";
import type { CrowdBody } from "./crowd-process.ts";
import { most, spread, tally } from "./figures.ts";
import { startLoop, timesOf } from "./loop.ts";
import { importTown, tokenOf } from "./town.ts";
import { main, type Trial } from "./trial.ts";

const UNITS = 10_000_000;
const PAUSE_MS = 5;
const BEFORE_MS = 2_000;
/** Milliseconds to keep measuring after the burst was answered. */
const AFTER_MS = 500;
/** Maximum milliseconds for a burst; then the trial continues without it. */
const BURST_MS = 120_000;
/** Maximum milliseconds for another key's slowest answer, as promised. */
const SLOWEST_MS = 100;
const MEBIBYTE = 1_048_576;

/** Bodies of just under 1 MiB that end in a refusal. */
const BODIES: readonly { readonly what: string; readonly body: CrowdBody }[] = [
	{ what: "51,000 item objects", body: { kind: "items", item: '{"sku":"A","qty":1}', count: 51_000 } },
	{ what: "520,000 ones", body: { kind: "items", item: "1", count: 520_000 } },
	{ what: "90,000 unknown members", body: { kind: "members", count: 90_000 } },
];

interface Burst {
	readonly what: string;
	readonly bytes: number;
	readonly before: readonly Answer[];
	readonly meanwhile: readonly Answer[];
	readonly statuses: string;
}

async function burst(ground: Ground, tokens: ReadonlyMap<string, string>, count: number, at: number): Promise<Burst> {
	const { what, body } = BODIES[at] ?? { what: "nothing", body: { kind: "text", text: "" } };
	const [node] = ground.works.nodes;
	if (node === undefined) throw new Error("a ground without nodes");
	const small = startLoop(
		1,
		() => ask(node.direct, tokenOf(tokens, "small"), "POST", "/api/v1/reserve", { items: [{ sku: "A", qty: 1 }] }),
		PAUSE_MS,
	);
	const token = tokenOf(tokens, "fat");
	const crowd = await gather({
		port: node.plan.port,
		token,
		path: "/api/v1/check",
		connections: count,
		again: false,
		body,
	});
	await sleep(BEFORE_MS);
	const began = performance.now();
	crowd.go();
	await Promise.race([crowd.answered, sleep(BURST_MS)]);
	await sleep(AFTER_MS);
	const statuses = Object.entries(await crowd.stop()).map(([status, times]) => `${times} x ${status}`);
	const answers = await small.stop();
	const isBefore = ({ began: asked, ms }: Answer): boolean => asked + ms < began;
	return {
		what,
		bytes: crowd.bodyBytes,
		before: answers.filter(isBefore),
		meanwhile: answers.filter((answer) => !isBefore(answer)),
		statuses: statuses.join(", ") || "no answer",
	};
}

export const fatBodies: Trial = {
	name: "fat-bodies",
	says: "a burst of bodies of just under 1 MiB from one key; another key reserves beside it",
	numbers: { bodies: 60 },
	run: async ({ numbers, open }) => {
		const ground = await open({ nodes: 1 });
		const tokens = await importTown(ground, [{ sku: "A", lots: 1, units: UNITS }], ["small", "fat"]);
		const bursts: Burst[] = [];
		for (const at of BODIES.keys()) bursts.push(await burst(ground, tokens, numbers.bodies ?? 0, at));
		return {
			rows: bursts.flatMap(({ what, bytes, before, meanwhile, statuses }) => [
				[`${what} (${bytes} bytes)`, statuses] as const,
				["  another key before", spread(timesOf(before))] as const,
				["  another key meanwhile", spread(timesOf(meanwhile))] as const,
				["  its answers", tally(meanwhile.map(saying))] as const,
			]),
			promises: [
				...bursts.map(({ what, meanwhile }) => ({
					what: `${what}: another key's slowest answer at most ${SLOWEST_MS} ms`,
					kept: most(timesOf(meanwhile)) <= SLOWEST_MS,
				})),
				{ what: "every body was below 1 MiB", kept: bursts.every(({ bytes }) => bytes < MEBIBYTE) },
			],
		};
	},
};

if (import.meta.main) await main(fatBodies);
