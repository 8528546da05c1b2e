/** `npm run lab -- cluster`: the promise while a cluster fails over. See docs/operator/scale.md. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Fault, FaultRecord } from "../ground/types.ts";
import { readHistory } from "../recorder.ts";
import { reportLines } from "../report.ts";
import { historyOf, runOn } from "../run/run.ts";
import { most, quantile } from "../trials/figures.ts";
import type { Verdict } from "../verdict.ts";
import { WORLD } from "../world.ts";
import { Cluster } from "./cluster.ts";
import { needImage } from "./container.ts";
import { ENCLOSED, runEnclosed, untilStopped } from "./enclosure.ts";
import { CLUSTER_FAULTS } from "./faults.ts";
import { CLUSTER_USAGE, type ClusterOptions, readClusterOptions } from "./options.ts";
import { type Outages, outagesOf } from "./outages.ts";
import { installPrograms } from "./packages.ts";
import { type ClusterSite, openSite } from "./site.ts";

const EXIT = { passed: 0, failed: 1, inconclusive: 2 } as const;
const LAUNCHER = path.resolve(import.meta.dirname, "../../../cli/bin/holdfast.js");
/** Most minutes of one fault, its recovery included: the bound of the whole run. */
const MINUTES_PER_FAULT = 5;
const CALM_MS = 20_000;
const REST_MS = [3_000, 5_000] as const;
/** Clients of partners think, and operators rest: the machine must leave time for the servers of five hosts. */
const THINK_MS = 400;
const CHORE_MS = 2_000;

/** Returns the exit code. */
export async function clusterTrial(program: string, args: readonly string[]): Promise<number> {
	const options = readClusterOptions(args);
	if (options === null) {
		console.log(CLUSTER_USAGE);
		return EXIT.passed;
	}
	const faults = faultsNamed(options.faults);
	const began = performance.now();
	const say = (line: string): void =>
		console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
	if (args.includes(ENCLOSED)) return await playInside(options, faults, say);
	if (options.image !== null) needImage(options.image);
	installPrograms(say);
	return await runEnclosed(program, ["cluster", ...args, "--seed", String(options.seed)]);
}

function faultsNamed(names: readonly string[] | null): readonly Fault<ClusterSite>[] {
	if (names === null) return CLUSTER_FAULTS;
	return names.map((name) => {
		const fault = CLUSTER_FAULTS.find((known) => known.name === name);
		const all = CLUSTER_FAULTS.map((known) => known.name).join(", ");
		if (!fault) throw new Error(`there is no fault "${name}"; the faults are ${all}`);
		return fault;
	});
}

async function playInside(
	options: ClusterOptions,
	faults: readonly Fault<ClusterSite>[],
	say: (line: string) => void,
): Promise<number> {
	const stopped = untilStopped();
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-cluster-"));
	say(`seed ${options.seed}; history and logs: ${folder}`);
	const cluster = new Cluster({ folder, launcher: LAUNCHER, image: options.image, say });
	let site: ClusterSite | null = null;
	try {
		await Promise.race([cluster.start(say), aborted(stopped)]);
		site = await openSite(cluster, LAUNCHER);
		const verdict = await runOn(site, {
			minutes: options.failovers * MINUTES_PER_FAULT,
			most: options.failovers,
			calmMs: CALM_MS,
			restMs: REST_MS,
			pace: { crowd: options.partners / CLIENTS, thinkMs: THINK_MS, choreMs: CHORE_MS },
			seed: options.seed,
			faults: faults.map((fault) => telling(fault, say)),
			folder,
			say,
			stopped,
		});
		const outages = outagesOf(await readHistory(historyOf(folder)));
		const keep = options.keep || verdict.result !== "passed";
		print(options, verdict, outages, keep ? historyOf(folder) : null);
		if (!keep) await rm(folder, { recursive: true, force: true });
		return EXIT[verdict.result];
	} finally {
		await (site ?? cluster).stop();
	}
}

/** Rejects when the run is to end. */
const aborted = (signal: AbortSignal): Promise<never> =>
	new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

const CLIENTS = WORLD.keys.reduce((sum, { clients }) => sum + clients, 0);

/** The same fault, which says on the terminal what it did. */
function telling(fault: Fault<ClusterSite>, say: (line: string) => void): Fault<ClusterSite> {
	return {
		...fault,
		inject: async (context) => {
			const record: FaultRecord = await fault.inject(context);
			say(`${record.fault}: ${record.what}; whole after ${((record.ended - record.began) / 1_000).toFixed(1)} s`);
			return record;
		},
	};
}

function print(options: ClusterOptions, verdict: Verdict, outages: readonly Outages[], history: string | null): void {
	if (options.json) return console.log(JSON.stringify({ ...verdict, outages }, null, 1));
	const { failovers, partners, image } = options;
	const asked = `cluster --failovers ${failovers} --partners ${partners}${image === null ? "" : ` --image ${image}`}`;
	const lines = reportLines(verdict, history, asked);
	const result = lines.at(-1) ?? "";
	console.log([...lines.slice(0, -1), "", ...tableOf(outages), "", result].join("\n"));
}

/** Seconds without an accepted write. */
function tableOf(outages: readonly Outages[]): string[] {
	const inSeconds = (ms: number): string => (ms / 1_000).toFixed(1).padStart(8);
	const width = Math.max(...outages.map(({ kind }) => kind.length), 0);
	return [
		"seconds without an accepted write",
		`${"".padEnd(width)}   times   median    worst   cause lasted (median)`,
		...outages.map(({ kind, withoutMs, lastedMs }) =>
			[
				kind.padEnd(width),
				String(withoutMs.length).padStart(8),
				` ${inSeconds(quantile(withoutMs, 0.5))} ${inSeconds(most(withoutMs))} ${inSeconds(quantile(lastedMs, 0.5))}`,
			].join(""),
		),
	];
}
