/** One run of the lab, from an empty ground to a verdict. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createChance } from "../chance.ts";
import type { Case } from "../check/case.ts";
import { judge, openCase } from "../check/check.ts";
import type { Finding } from "../check/findings.ts";
import { Client } from "../client.ts";
import { openGround } from "../ground/open-ground.ts";
import type { Fault, Ground, Site } from "../ground/types.ts";
import { holdfast, lastLine, printedBy } from "../holdfast.ts";
import { Recorder, readHistory } from "../recorder.ts";
import type { Neighbours } from "../rooms/room.ts";
import { ROOMS } from "../rooms/rooms.ts";
import { type Circumstances, decide, figuresOf, type Verdict } from "../verdict.ts";
import { createRota, liveOperator } from "./operators.ts";
import { liveGuest, livePartner } from "./partners.ts";
import { askAgain } from "./probes.ts";
import type { Pace, Scene } from "./scene.ts";
import { furnish } from "./setup.ts";
import { startTrouble } from "./trouble.ts";
import { watch } from "./watch.ts";

/** A run on any site. */
export interface RunPlan<S extends Site> {
	/** Its duration, or its longest if `most` faults are enough. */
	readonly minutes: number;
	readonly most: number;
	/** Milliseconds without faults at the beginning, so that failures without a fault show. */
	readonly calmMs: number;
	/** Least and most milliseconds without a fault between two. */
	readonly restMs: readonly [least: number, most: number];
	readonly pace: Pace;
	readonly seed: number;
	readonly faults: readonly Fault<S>[];
	/** An empty folder for history and logs. */
	readonly folder: string;
	readonly say: (line: string) => void;
	readonly stopped: AbortSignal;
}

export interface RunOptions
	extends Pick<RunPlan<Ground>, "minutes" | "seed" | "faults" | "folder" | "say" | "stopped"> {
	/** The service under test: `service/`, or a copy of it. */
	readonly serviceFolder: string;
	/** How much partners and operators do; absent: as much as they can. */
	readonly pace?: Pace;
}

const MINUTE_MS = 60_000;
const GUESTS = 2;
const OPERATORS = 3;
/** Share of the run at its beginning without faults. */
const CALM_SHARE = 0.15;
const REST_MS = [200, 1_200] as const;
/** Partners do as much as they can. */
const FULL_PACE: Pace = { crowd: 1, thinkMs: 0, choreMs: 500 };
/** Milliseconds for the ground to recover when the faults are over. */
const WHOLE_MS = 120_000;
/** Milliseconds of quiet before the tables are read, for the sweep to record expired holds. */
const QUIET_MS = 3_000;
/** Maximum number of times that a room's tables are read: a server may restart when one of its processes crashes. */
const MAX_READS = 3;

export const historyOf = (folder: string): string => path.join(folder, "history.jsonl");

export async function run(options: RunOptions): Promise<Verdict> {
	const { faults, folder, say } = options;
	mkdirSync(folder, { recursive: true });
	const ground = await openGround({
		standby: faults.some(({ needsStandby }) => needsStandby === true),
		disk: faults.some(({ name }) => name === "disk-full"),
		clock: faults.some(({ name }) => name === "clock-step"),
		serviceFolder: options.serviceFolder,
		folder,
		say,
	});
	try {
		const calmMs = options.minutes * MINUTE_MS * CALM_SHARE;
		const plan = { pace: FULL_PACE, ...options, most: Number.POSITIVE_INFINITY, calmMs, restMs: REST_MS };
		return await runOn(ground, plan);
	} finally {
		await ground.stop();
	}
}

/** From a site that is ready to a verdict. The caller stops the site. */
export async function runOn<S extends Site>(ground: S, options: RunPlan<S>): Promise<Verdict> {
	const { faults, folder, say, seed, pace } = options;
	const notOffered = Object.fromEntries(
		faults.flatMap((fault) => {
			const why = fault.unavailable?.(ground) ?? null;
			return why === null ? [] : [[fault.name, why]];
		}),
	);
	const offered = faults.filter(({ name }) => !(name in notOffered));
	const recorder = new Recorder(historyOf(folder));
	const clients = new Map(ground.nodes.map(({ name, api }) => [name, new Client(api)]));
	const neighbours: Neighbours[] = [];
	try {
		const { world, partners, knows } = await furnish({ ground, recorder, folder, seed, commit: commitOf() });
		const scene: Scene = {
			ground,
			pace,
			world,
			recorder,
			clients,
			partners,
			folder,
			knows,
			chance: createChance(seed),
			actors: partners.map(({ actor }) => actor),
			over: false,
		};
		for (const { open } of ROOMS) if (open) neighbours.push(await open(scene));
		const amount = Number.isFinite(options.most) ? `${options.most} faults` : `${options.minutes} min of work`;
		say(`the world is set up; ${amount} of ${offered.length} kinds begin`);
		const began = performance.now();
		const broken = await live(scene, ground, { ...options, faults: offered });
		const minutes = Number.isFinite(options.most) ? (performance.now() - began) / MINUTE_MS : options.minutes;
		say("the work is over; everything acknowledged is checked");
		await ground.whole(WHOLE_MS);
		await Promise.all(neighbours.map((neighbour) => neighbour.calm()));
		await sleep(QUIET_MS);
		await closeAll(neighbours); // anything they record from now on would come after the reading
		return await conclude(scene, { ...options, minutes, kinds: offered.map(({ name }) => name), notOffered, broken });
	} finally {
		await closeAll(neighbours);
		for (const client of clients.values()) client.close();
	}
}

/** Closes them and empties the list. */
async function closeAll(neighbours: Neighbours[]): Promise<void> {
	await Promise.all(neighbours.splice(0).map((neighbour) => neighbour.close()));
}

/** Runs partners, operators and faults for the duration of the run. Returns why it ended early; null: it did not. */
async function live<S extends Site>(scene: Scene, ground: S, plan: RunPlan<S>): Promise<string | null> {
	const { chance, partners, pace } = scene;
	const { faults, minutes, stopped } = plan;
	const operations = ROOMS.flatMap((room) => room.operations);
	const chores = ROOMS.flatMap((room) => room.chores);
	const rota = createRota(chores, chance.fork("rota"));
	const trouble = startTrouble(scene, ground, faults, { ...plan, chance: chance.fork("faults") });
	const lives = [
		...partners.flatMap((credential) => {
			const { clients = 1 } = scene.world.keys.find(({ name }) => name === credential.actor.name) ?? {};
			return Array.from({ length: Math.max(1, Math.round(clients * pace.crowd)) }, (_, n) =>
				livePartner(scene, credential, operations, chance.fork(`${credential.actor.name} ${n}`)),
			);
		}),
		...Array.from({ length: GUESTS }, (_, n) => liveGuest(scene, operations, chance.fork(`guest ${n}`))),
		...Array.from({ length: OPERATORS }, (_, n) => liveOperator(scene, rota, chance.fork(`operator ${n}`))),
	];
	const watching = watch(scene);
	let why: string | null = null;
	const working = Promise.all(lives);
	try {
		await Promise.race([
			sleep(minutes * MINUTE_MS, undefined, { signal: stopped }),
			trouble.broken,
			trouble.enough,
			working,
		]);
	} catch (error) {
		why = error instanceof Error ? error.message : String(error);
	}
	await trouble.stop();
	if (why === null) await ground.whole(WHOLE_MS);
	scene.over = true; // requests under way are repeated until their outcome is known
	await working;
	await watching;
	return why;
}

/** Reads the tables, judges the history, sends the probes, and runs the service's own `verify`. */
async function conclude(
	scene: Scene,
	about: Pick<Circumstances, "minutes" | "kinds" | "notOffered" | "broken" | "most">,
): Promise<Verdict> {
	const { ground, recorder, folder } = scene;
	for (const { name, oracle } of ROOMS) {
		const at = performance.now();
		const facts = await lookUp(oracle, ground);
		recorder.write({ kind: "facts", room: name, at, until: performance.now(), facts });
	}
	await recorder.close();
	const on = openCase(await readHistory(historyOf(folder)), ROOMS);
	const asked = await askAgain(on, scene);
	const findings: Finding[] = [...judge(on, ROOMS), ...asked.findings];
	const verify = await verdictOfVerify(ground);
	const circumstances = {
		...about,
		foreignWrites: ground.foreignWrites(),
		probes: asked.probes,
	};
	return decide(figuresOf(on, circumstances), findings, verify, about.broken);
}

async function lookUp({ lookUp: read }: (typeof ROOMS)[number]["oracle"], ground: Site): Promise<unknown> {
	for (let reads = 1; ; reads++) {
		try {
			return await read(ground.admin());
		} catch (error) {
			if (reads === MAX_READS) throw error;
			await ground.whole(WHOLE_MS);
		}
	}
}

async function verdictOfVerify(ground: Site): Promise<string | null> {
	const ran = await holdfast(ground.launcher, ground.operatorEnv(), ["verify", "--json"]);
	const { ok, differences } = (printedBy(ran) ?? {}) as {
		ok?: boolean;
		differences?: { rule: string; count: number; examples: unknown[] }[];
	};
	if (ran.code === 0 && ok === true) return null;
	const rules = (differences ?? []).map(
		({ rule, count, examples }) => `${rule} ${count}, as ${JSON.stringify(examples[0])}`,
	);
	return rules.length > 0 ? rules.join("; ") : `ended with ${ran.code}: ${lastLine(ran.stderr)}`;
}

/** Judges a kept history, without the checks that need a running service. */
export function judgeHistory(on: Case): Finding[] {
	return judge(on, ROOMS);
}

function commitOf(): string {
	try {
		return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8", cwd: import.meta.dirname }).trim();
	} catch {
		return "unknown";
	}
}
