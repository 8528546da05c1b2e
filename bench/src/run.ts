/**
 * The run: worlds, trials, rounds. Every round measures every cell once, so that a slow moment of the machine affects
 * all rows alike.
 */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { CELLS, type Cell, isOfOneKey, statusOf, templatesOf, type WorldName } from "./cells.ts";
import { Generator, HOST } from "./children.ts";
import type { LoadJob } from "./load.ts";
import { isWanted, type Options } from "./options.ts";
import { family, memoryBytes } from "./processes.ts";
import type { Results, Sample } from "./results.ts";
import { type Stage, serverOf, setStage } from "./stage.ts";
import { measureStarts } from "./starts.ts";
import { measureSending } from "./webhooks.ts";
import type { WireJob, WireStyle } from "./wire.ts";
import { Cluster, SKUS, type World } from "./world.ts";

/** Pool sizes and connection counts to try; the best of each is used. */
const PLAIN_POOLS = [4, 8, 16, 32];
const DATABASE_CONNECTIONS = [4, 8, 16, 32, 64];
/** Lines of `verify`'s output that are shown. */
const VERIFY_LINES = 10;
const CLI = path.join(import.meta.dirname, "../../cli/bin/holdfast.js");

export interface Bench {
	readonly options: Options;
	/** Folder for data and logs. */
	readonly folder: string;
	/** Reports progress. */
	readonly say: (line: string) => void;
	/** Stops the run before its next measurement, and everything it started. */
	readonly stopped: AbortSignal;
	readonly cluster: Cluster;
	readonly load: Generator<LoadJob>;
	readonly wire: Generator<WireJob>;
	readonly results: Results;
}

export async function run(
	options: Options,
	folder: string,
	say: (line: string) => void,
	stopped: AbortSignal,
): Promise<Results> {
	const results: Results = {
		samples: new Map(),
		starts: [],
		sending: [],
		memory: new Map(),
		best: { plainPools: {}, database: new Map() },
		verdicts: new Map(),
	};
	const cells = CELLS.filter(({ id }) => isWanted(id, options));
	if (cells.length > 0) await measureCells({ options, folder, say, stopped, results }, cells);
	if (isWanted("starts", options)) {
		for (let round = 1; round <= options.rounds; round++) {
			stopped.throwIfAborted();
			say(`starts, round ${round}`);
			results.starts.push(await measureStarts(path.join(folder, `starts-${round}`)));
		}
	}
	if (isWanted("webhooks", options)) await measureWebhooks({ options, folder, say, stopped, results });
	return results;
}

/** Measures the sending of events, each round on a fresh world. */
async function measureWebhooks({ options, folder, say, stopped, results }: Omit<Bench, "cluster" | "load" | "wire">) {
	const cluster = await Cluster.open(path.join(folder, "webhooks"));
	const load = new Generator<LoadJob>("load.ts");
	const { warmUpMs, measureMs, events, timedEvents: timed } = options;
	try {
		await cluster.create("webhooks", { skus: SKUS, pastHolds: 0, pastOrders: 0, holdsToPlace: 0 });
		for (let round = 1; round <= options.rounds; round++) {
			stopped.throwIfAborted();
			const world = await cluster.copy("webhooks", `webhooks_${round}`);
			const on = { load, clusterPid: cluster.pid, logs: folder };
			const found = await measureSending(world, on, { events, timed, warmUpMs, measureMs });
			say(
				`round ${round}  webhooks  ${JSON.stringify(found, (_, value) => (typeof value === "number" ? Math.round(value * 10) / 10 : value))}`,
			);
			results.sending.push(found);
			await cluster.drop(`webhooks_${round}`);
		}
	} finally {
		await load.stop();
		await cluster.close();
	}
}

async function measureCells(base: Omit<Bench, "cluster" | "load" | "wire">, cells: readonly Cell[]): Promise<void> {
	const { options, folder } = base;
	const cluster = await Cluster.open(path.join(folder, "data"));
	const load = new Generator<LoadJob>("load.ts");
	const wire = new Generator<WireJob>("wire.ts");
	const bench: Bench = { ...base, cluster, load, wire };
	try {
		const worlds = await makeWorlds(bench, cells);
		await findBest(bench, cells);
		const lasting: Lasting = {};
		try {
			if (worlds.full) lasting.full = await setStage(worlds.full, { gate: false, plainPools: {}, logs: folder });
			if (worlds.orders) lasting.orders = await setStage(worlds.orders, ordersStage(bench));
			for (let round = 1; round <= options.rounds; round++) await measureRound(bench, cells, round, lasting);
			if (lasting.full) await noteMemory(bench, "full world, after the load", lasting.full);
		} finally {
			for (const stage of Object.values(lasting)) await stage.stop();
		}
		for (const name of LASTING) if (worlds[name]) await verify(bench, name, worlds[name]);
	} finally {
		await load.stop();
		await wire.stop();
		await cluster.close();
	}
}

/** Worlds that are used in all rounds. */
const LASTING = ["full", "orders"] as const satisfies readonly WorldName[];
type Lasting = { [name in (typeof LASTING)[number]]?: Stage };

/** Placing is compared with the gate alone and with one transaction per request, all on the same world. */
const ordersStage = ({ folder, options, results }: Bench) => ({
	gate: true,
	plainPools: { spread: results.best.plainPools.spread ?? USUAL_POOL },
	logs: folder,
	nodeOptions: profiling(options),
});
/** Node arguments that make a service write its CPU profile, if requested. */
const profiling = ({ profile }: Options): string[] =>
	profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${path.resolve(profile)}`];
/** Connections of the plain server's pool if no size was tried. */
const USUAL_POOL = 8;

async function makeWorlds(
	{ cluster, options, say }: Bench,
	cells: readonly Cell[],
): Promise<{ [name in (typeof LASTING)[number]]?: World }> {
	say(`fresh world: ${SKUS} SKUs`);
	const nothing = { pastHolds: 0, pastOrders: 0, holdsToPlace: 0 };
	await cluster.create("fresh_template", { ...nothing, skus: SKUS });
	const worlds: { full?: World; orders?: World } = {};
	if (cells.some(({ world }) => world === "full")) {
		const { fullSkus: skus, pastHolds } = options;
		say(`full world: ${skus} SKUs, ${pastHolds} past holds`);
		worlds.full = await cluster.create("full_world", { ...nothing, skus, pastHolds });
	}
	if (cells.some(({ world }) => world === "orders")) {
		const { pastOrders, holdsToPlace } = options;
		say(`world of orders: ${pastOrders} shipped ones, ${holdsToPlace} holds to place`);
		worlds.orders = await cluster.create("orders_world", { ...nothing, skus: SKUS, pastOrders, holdsToPlace });
	}
	return worlds;
}

/** Tries pool sizes of the plain server and connection counts of the database, on a copy that is dropped afterwards. */
async function findBest(bench: Bench, cells: readonly Cell[]): Promise<void> {
	const { cluster, options, results, say, wire } = bench;
	const wireCells = cells.filter(isWire);
	const plain = cells.filter(({ target, asked }) => target === "plain" && asked === "reserve");
	const plainCells = new Map(plain.map((cell) => [cell.spread, cell]));
	if (plainCells.size === 0 && wireCells.length === 0) return;
	const best = async (tries: readonly number[], rate: (connections: number) => Promise<number>): Promise<number> => {
		const rates: [connections: number, rate: number][] = [];
		for (const connections of tries) rates.push([connections, await rate(connections)]);
		say(`  ${rates.map(([connections, found]) => `${connections}: ${Math.round(found)}/s`).join("  ")}`);
		return rates.toSorted((a, b) => b[1] - a[1])[0]![0];
	};
	const world = await cluster.copy("fresh_template", "tries");
	const times = { warmUpMs: options.tryMs / 2, measureMs: options.tryMs };
	for (const cell of wireCells) {
		bench.stopped.throwIfAborted();
		say(`trying connections: ${cell.id}`);
		const found = await best(DATABASE_CONNECTIONS, async (connections) => {
			const { answered, seconds } = await wire.run(wireJob(world, cell, connections, times), () => []);
			return answered / seconds;
		});
		results.best.database.set(cell.id, found);
	}
	for (const [spread, cell] of plainCells) {
		bench.stopped.throwIfAborted();
		say(`trying pool sizes: one transaction per request, ${spread}`);
		results.best.plainPools[spread] = await best(PLAIN_POOLS, async (connections) => {
			const stage = await setStage(world, { gate: false, plainPools: { [spread]: connections }, logs: bench.folder });
			try {
				const sample = await measureHttp(bench, stage, cell, times);
				return sample.answered / sample.seconds;
			} finally {
				await stage.stop();
			}
		});
	}
	await cluster.drop("tries");
}

async function measureRound(bench: Bench, cells: readonly Cell[], round: number, lasting: Lasting): Promise<void> {
	const { cluster, options, results, say } = bench;
	const name = `fresh_${round}`;
	const world = await cluster.copy("fresh_template", name);
	const fresh = await setStage(world, {
		gate: cells.some(({ target }) => target === "gate"),
		plainPools: results.best.plainPools,
		logs: bench.folder,
		nodeOptions: profiling(options),
	});
	try {
		await noteMemory(bench, "fresh world, just started", fresh);
		// Each round begins at another cell, so that no cell always gets the database at the same age.
		const first = Math.floor(((round - 1) * cells.length) / options.rounds);
		for (const cell of [...cells.slice(first), ...cells.slice(0, first)]) {
			bench.stopped.throwIfAborted();
			const stage = cell.world === "fresh" ? fresh : lasting[cell.world]!;
			const sample = isWire(cell)
				? await measureWire(bench, stage, cell)
				: await measureHttp(bench, stage, cell, options);
			results.samples.set(cell.id, [...(results.samples.get(cell.id) ?? []), sample]);
			const others = Object.keys(sample.others).length > 0 ? ` ${JSON.stringify(sample.others)}` : "";
			say(
				`round ${round}  ${cell.id}  ${Math.round(sample.answered / sample.seconds)}/s  p50 ${sample.p50Ms.toFixed(2)} ms${others}`,
			);
		}
		await noteMemory(bench, "fresh world, after the load", fresh);
	} finally {
		await fresh.stop();
	}
	if (round === options.rounds) await verify(bench, "fresh", world);
	await cluster.drop(name);
}

type Times = Pick<LoadJob, "warmUpMs" | "measureMs">;

async function measureHttp(
	{ cluster, load }: Bench,
	stage: Stage,
	cell: Cell,
	{ warmUpMs, measureMs }: Times,
): Promise<Sample> {
	const { world, servers, cursors } = stage;
	const server = servers[serverOf(cell)]!;
	const { asked, connections } = cell;
	const job: LoadJob = {
		host: HOST,
		port: server.port,
		tokens: isOfOneKey(asked) ? world.tokens.slice(0, 1) : world.tokens, // a cursor belongs to one key
		connections,
		templates: templatesOf(cell, cursors),
		skuCount: cell.spread === "hot" ? 1 : world.skus,
		warmUpMs,
		measureMs,
		expectedStatus: statusOf(asked),
	};
	const measured = await load.run(job, () => [[server.pid], family(cluster.pid)]);
	return { ...measured, connections };
}

type WireCell = Cell & { readonly target: WireStyle };
const isWire = (cell: Cell): cell is WireCell => cell.target === "script" || cell.target === "call";

const wireJob = ({ url, skus }: World, { target, spread }: WireCell, connections: number, times: Times): WireJob => {
	return { databaseUrl: url, style: target, connections, skuCount: spread === "hot" ? 1 : skus, ...times };
};

async function measureWire(
	{ cluster, options, results, wire }: Bench,
	{ world }: Stage,
	cell: WireCell,
): Promise<Sample> {
	const connections = results.best.database.get(cell.id)!;
	const { warmUpMs, measureMs } = options;
	const measured = await wire.run(wireJob(world, cell, connections, { warmUpMs, measureMs }), () => [
		[],
		family(cluster.pid),
	]);
	return { ...measured, connections };
}

async function noteMemory({ cluster, results }: Bench, moment: string, { servers }: Stage): Promise<void> {
	const noted = results.memory.get(moment) ?? [];
	const service = memoryBytes([servers.service!.pid]);
	noted.push({ service, postgres: memoryBytes(family(cluster.pid)) });
	results.memory.set(moment, noted);
}

/** Runs `verify` on a world after the load: if it fails, the figures are worthless. */
async function verify({ results, say }: Bench, name: string, { url, secretKeys }: World): Promise<void> {
	const env = { PATH: process.env.PATH, HOLDFAST_DATABASE_URL: url, HOLDFAST_SECRET_KEYS: secretKeys };
	const verdict = await promisify(execFile)(process.execPath, [CLI, "verify"], { env }).then(
		() => "clean",
		(error: { stdout?: string; stderr?: string }) => {
			const said = `${error.stdout ?? ""}${error.stderr ?? ""}`.trim().split("\n");
			return `NOT CLEAN: ${said.slice(0, VERIFY_LINES).join("\n")}`;
		},
	);
	say(`verify, ${name} world: ${verdict}`);
	results.verdicts.set(name, verdict);
}
