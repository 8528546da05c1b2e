import { fork } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import http from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killAtLast } from "../ground/last-resort.ts";
import { identify } from "../ground/processes.ts";
import type { Ground } from "../ground/types.ts";
import { type Answer, ask, saying } from "./ask.ts";
import { ATTACKS, type Attack, type Field } from "./attack-kinds.ts";
import type { AttackCounts, AttackJob } from "./attack-process.ts";
import { quantile, spread, tally } from "./figures.ts";
import { startLoop, timesOf } from "./loop.ts";
import { holdfast, importTown, tokenOf } from "./town.ts";
import { main, type Outcome, type Trial } from "./trial.ts";

const UNITS = 10_000_000;
const CLIENTS = 4;
const PAUSE_MS = 5;
const NEWCOMER_PAUSE_MS = 50;
const SETTLE_MS = 3_000;
/** Maximum milliseconds by which the p99 of other callers may grow, as promised. */
const MOST_MORE_MS = 100;
/** Probes come from this address, which one of the attacks uses too. */
const PROBE_FROM = "127.0.0.9";
/**
 * A name server that never answers: on a machine whose resolv.conf names it, the trial shows the cost of unresolvable
 * names.
 */
const SILENT_NAME_SERVER = "127.0.0.53";

/** What other callers experienced during an interval. */
interface Watched {
	readonly partners: readonly Answer[];
	readonly newcomers: readonly Answer[];
	readonly probes: readonly Answer[];
}

async function watch(field: Field, ms: number): Promise<Watched> {
	const { node, shop } = field;
	const body = { items: [{ sku: "A", qty: 1 }], ttl_minutes: 1 };
	const partners = startLoop(
		CLIENTS,
		(client) =>
			ask(
				node.direct,
				shop,
				"POST",
				client % 2 === 0 ? "/api/v1/reserve" : "/api/v1/check",
				client % 2 === 0 ? body : { items: body.items },
			),
		PAUSE_MS,
	);
	const newcomers = startLoop(
		1,
		() => askOnce(node.plan.port, "127.0.0.8", "/api/v1/inventory?sku=A", shop),
		NEWCOMER_PAUSE_MS,
	);
	const probes = startLoop(1, () => askOnce(node.plan.port, PROBE_FROM, "/readyz"), NEWCOMER_PAUSE_MS);
	await sleep(ms);
	const all = await Promise.all([partners.stop(), newcomers.stop(), probes.stop()]);
	return { partners: all[0], newcomers: all[1], probes: all[2] };
}

/** Sends one request on a connection of its own from this address. */
function askOnce(port: number, localAddress: string, at: string, token?: string): Promise<Answer> {
	const began = performance.now();
	const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
	return new Promise((resolve) => {
		const end = (status: number | null): void => resolve({ status, reply: null, began, ms: performance.now() - began });
		const options = { host: "127.0.0.1", port, path: at, localAddress, agent: false, headers, timeout: 30_000 };
		const asked = http.get(options, (response) => {
			response.resume();
			response.once("end", () => end(response.statusCode ?? null));
			response.once("error", () => end(null));
		});
		asked.once("timeout", () => asked.destroy());
		asked.once("error", () => end(null));
	});
}

/** Starts an attack in a process of its own; the returned function ends it and returns its counts. */
function begin(job: AttackJob): () => Promise<AttackCounts> {
	const child = fork(path.join(import.meta.dirname, "attack-process.ts"), {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	const started = child.pid === undefined ? null : identify(child.pid);
	const forget = started === null ? () => undefined : killAtLast(started);
	child.send({ kind: "attack", job });
	return async () => {
		const told = once(child, "message");
		child.send({ kind: "stop" });
		const [counts] = (await told) as [AttackCounts];
		forget();
		return counts;
	};
}

async function tryOne(
	field: Field,
	attack: Attack,
	ms: number,
): Promise<{ name: string } & Record<"before" | "beside", Watched> & { met: string }> {
	const before = await watch(field, ms);
	const ends = (await attack.jobs(field)).map(begin);
	const beside = watch(field, ms);
	await attack.besides?.(field);
	const watched = await beside;
	const met: Record<string, number> = {};
	for (const end of ends) for (const [what, times] of Object.entries(await end())) met[what] = (met[what] ?? 0) + times;
	await sleep(SETTLE_MS);
	return {
		name: attack.name,
		before,
		beside: watched,
		met: Object.entries(met)
			.map(([what, times]) => `${times} x ${what}`)
			.join(", "),
	};
}

const p99 = ({ partners }: Watched): number => quantile(timesOf(partners), 0.99);
const failed = ({ partners, newcomers }: Watched): number =>
	[...partners, ...newcomers].filter(({ status }) => status === null || status >= 500).length;
const unready = ({ probes }: Watched): number => probes.filter(({ status }) => status !== 200).length;

async function prepare(ground: Ground): Promise<Field> {
	const [node] = ground.works.nodes;
	if (node === undefined) throw new Error("a ground without nodes");
	const tokens = await importTown(ground, [{ sku: "A", lots: 1, units: UNITS }], ["shop"]);
	const mint = async (name: string, scopes: string, perMinute: string): Promise<string> => {
		const args = [
			"--name",
			name,
			"--partner",
			"Attacker",
			"--environment",
			"live",
			"--scopes",
			scopes,
			"--requests-per-minute",
			perMinute,
		];
		const { code, stdout, stderr } = await holdfast(ground, "keys", "mint", ...args, "--json");
		if (code !== 0) throw new Error(stderr);
		return (JSON.parse(stdout) as { token: string }).token;
	};
	return {
		node,
		coaPort: Number(node.plan.env.HOLDFAST_COA_PORT),
		shop: tokenOf(tokens, "shop"),
		limited: await mint("limited", "atp.inventory,atp.reserve_cache", "60"),
		hooks: await mint("hooks", "atp.webhooks", "600"),
	};
}

export const attacks: Trial = {
	name: "attacks",
	says: "one attack after the other tries to make the service unusable for other callers, which reserve, open new connections and send probes meanwhile",
	numbers: { seconds: 8, only: 0 },
	run: async ({ numbers, open, say }): Promise<Outcome> => {
		const { seconds = 0, only = 0 } = numbers;
		const silent = createSocket("udp4").on("error", () => undefined);
		silent.bind(53, SILENT_NAME_SERVER);
		const field = await prepare(await open({ nodes: 1 }));
		await watch(field, SETTLE_MS);
		const tried: Awaited<ReturnType<typeof tryOne>>[] = [];
		for (const attack of only > 0 ? ATTACKS.slice(only - 1, only) : ATTACKS) {
			say(attack.name);
			tried.push(await tryOne(field, attack, seconds * 1_000));
		}
		silent.close();
		return {
			rows: tried.flatMap(({ name, before, beside, met }) => [
				[`${name}: met`, met] as const,
				["  partners without it", spread(timesOf(before.partners))] as const,
				["  partners beside it", spread(timesOf(beside.partners))] as const,
				["  their answers", tally(beside.partners.map(saying))] as const,
				[
					"  on new connections",
					`${spread(timesOf(beside.newcomers))}, ${tally(beside.newcomers.map(saying))}`,
				] as const,
				["  /readyz", tally(beside.probes.map(saying))] as const,
			]),
			promises: tried.flatMap(({ name, before, beside }) => [
				{
					what: `${name}: p99 grows by at most ${MOST_MORE_MS} ms (${(p99(beside) - p99(before)).toFixed(0)})`,
					kept: p99(beside) - p99(before) <= MOST_MORE_MS,
				},
				{
					what: `${name}: every other caller is answered, none with 5xx (${failed(beside)})`,
					kept: failed(beside) === 0,
				},
				{ what: `${name}: /readyz is 200 (${unready(beside)} times not)`, kept: unready(beside) === 0 },
			]),
		};
	},
};

if (import.meta.main) await main(attacks);
