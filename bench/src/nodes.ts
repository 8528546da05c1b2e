/**
 * `node bench/src/nodes.ts`: reserves on one, two and three nodes of one database, by how a balancer distributes them:
 * of random SKUs, of one SKU, and of one SKU of each of two brands. All cells of a round are measured in turn, and only
 * ratios are printed: rate and processor time of each, divided by those of one node in the same round.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { NO_CURSORS, templatesOf } from "./cells.ts";
import { Generator, HOST, type Server, startService } from "./children.ts";
import type { LoadJob } from "./load.ts";
import { family } from "./processes.ts";
import { Cluster, SKUS, type World } from "./world.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "20" },
		seconds: { type: "string", default: "2" },
		nodes: { type: "string", default: "3" },
		skus: { type: "string", default: String(SKUS) },
	},
});
const ROUNDS = Number(values.rounds);
const MEASURE_MS = Number(values.seconds) * 1_000;
/** Short, as the measurements are: cells that take turns often share the slow minutes of a busy machine. */
const WARM_UP_MS = 500;
const CONNECTIONS = 64;
const MOST_NODES = Number(values.nodes);
/** The keys are halved, and each half has a generator. In `brands`, each half belongs to one of two brands. */
const HALVES = 2;

/** What is reserved: random SKUs; one SKU, whose keys are all of one brand; a SKU of each of two brands. */
const LOADS = ["spread", "hot", "brands"] as const;
type Load = (typeof LOADS)[number];
/** The SKU that each half reserves; null: a random one. */
const SKU_OF: { readonly [load in Load]: readonly number[] | null } = {
	spread: null,
	hot: [0, 0],
	brands: [0, 1],
};

/** One connection of a key. */
interface Sender {
	/** The key, and its half. */
	readonly key: number;
	readonly half: number;
	/** The number of this connection among those of its key. */
	readonly turn: number;
}
/** How a balancer finds a node: in turn; by the key, which is even here; by the brand of the key. */
const NODE_OF = {
	"in turn": ({ key, turn }: Sender) => key + turn,
	"by key": ({ key }: Sender) => key,
	"by brand": ({ half }: Sender, load: Load) => (load === "brands" ? half : 0),
};
type Affinity = keyof typeof NODE_OF;
const AFFINITIES = Object.keys(NODE_OF) as Affinity[];

interface Cell {
	readonly load: Load;
	readonly nodes: number;
	readonly affinity: Affinity;
}
/** The first cell of each load is that of one node. */
const CELLS: readonly Cell[] = LOADS.flatMap((load) => [
	{ load, nodes: 1, affinity: "in turn" as const },
	...Array.from({ length: MOST_NODES - 1 }, (_, n) =>
		AFFINITIES
			// all SKUs of one brand on one node is what one node does
			.filter((affinity) => load !== "spread" || affinity !== "by brand")
			.map((affinity) => ({ load, nodes: n + 2, affinity })),
	).flat(),
]);

function jobOf({ load, nodes, affinity }: Cell, half: number, { tokens, skus }: World, services: readonly Server[]) {
	const count = tokens.length / HALVES;
	const ports = Array.from({ length: CONNECTIONS / HALVES }, (_, index) => {
		const sender = { key: half * count + (index % count), half, turn: Math.floor(index / count) };
		const service = services[NODE_OF[affinity](sender, load) % nodes];
		if (service === undefined) throw new Error("bug: there is no such node");
		return service.port;
	});
	const sku = SKU_OF[load]?.[half];
	const job: LoadJob = {
		host: HOST,
		port: 0,
		ports,
		tokens: tokens.slice(half * count, (half + 1) * count),
		connections: ports.length,
		templates: templatesOf({ asked: "reserve", target: "service" }, NO_CURSORS).map((template) =>
			sku === undefined || template.body === undefined
				? template
				: { ...template, body: template.body.replaceAll("{sku}", String(sku).padStart(6, "0")) },
		),
		skuCount: skus,
		warmUpMs: WARM_UP_MS,
		measureMs: MEASURE_MS,
		expectedStatus: 201,
	};
	return job;
}

interface Means {
	readonly world: World;
	readonly services: readonly Server[];
	/** One for each half. */
	readonly loads: readonly Generator<LoadJob>[];
	/** The processes of the nodes and of PostgreSQL. */
	readonly processes: () => number[];
}

interface Measured {
	/** Reserves a second. */
	readonly rate: number;
	/** Seconds of processor time of the nodes and PostgreSQL in a second. */
	readonly load: number;
}

async function measure(cell: Cell, { world, services, loads, processes }: Means): Promise<Measured> {
	const results = await Promise.all(
		loads.map((load, half) => load.run(jobOf(cell, half, world, services), () => [processes()])),
	);
	for (const { others } of results)
		if (Object.keys(others).length > 0) console.error(`  also answered: ${JSON.stringify(others)}`);
	const rate = results.reduce((total, { answered, seconds }) => total + answered / seconds, 0);
	// both generators watched the same processes at the same time
	const spent = results.reduce((total, { cpu, seconds }) => total + (cpu[0] ?? Number.NaN) / seconds, 0);
	return { rate, load: spent / results.length };
}

/** All cells once; each round begins with another one. */
async function round(number: number, means: Means): Promise<Map<Cell, Measured>> {
	const found = new Map<Cell, Measured>();
	for (const cell of [...CELLS.slice(number % CELLS.length), ...CELLS.slice(0, number % CELLS.length)])
		found.set(cell, await measure(cell, means));
	return found;
}

type Rounds = readonly ReadonlyMap<Cell, Measured>[];
const sum = (rounds: Rounds, cell: Cell, of: keyof Measured): number =>
	rounds.reduce((total, one) => total + (one.get(cell)?.[of] ?? Number.NaN), 0);
const rateOf = (rounds: Rounds, cell: Cell): number => sum(rounds, cell, "rate");
const costOf = (rounds: Rounds, cell: Cell): number => sum(rounds, cell, "load") / rateOf(rounds, cell);

/**
 * The ratio of a cell's figure to that of one node, over all rounds, and over each half of them, which shows how far
 * chance reaches.
 */
function ratioOf(rounds: Rounds, cell: Cell, of: typeof rateOf): string {
	const alone = CELLS.find(({ load }) => load === cell.load) ?? cell;
	const ratio = (some: Rounds): string => (of(some, cell) / of(some, alone)).toFixed(2);
	const halves = [0, 1].map((half) => ratio(rounds.filter((_one, n) => n % 2 === half)));
	return `${ratio(rounds)} (${halves.join(", ")})`.padEnd(20);
}

async function compare(means: Means): Promise<void> {
	const rounds: Map<Cell, Measured>[] = [];
	while (rounds.length < ROUNDS) {
		rounds.push(await round(rounds.length, means));
		console.error(`  round ${rounds.length} of ${ROUNDS}`);
	}
	console.log("by those of one node with the same load   reserves a second   processor time of a reserve");
	for (const cell of CELLS.filter(({ nodes }) => nodes > 1)) {
		const name = `${cell.load.padEnd(6)}  ${cell.nodes} nodes, ${cell.affinity}`.padEnd(42);
		console.log(`${name}${ratioOf(rounds, cell, rateOf)}${ratioOf(rounds, cell, costOf).trimEnd()}`);
	}
}

async function main(): Promise<void> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-bench-nodes-"));
	await chmod(folder, 0o711);
	const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
	try {
		const cluster = await Cluster.open(path.join(folder, "data"));
		ends.unshift(() => cluster.close());
		const size = { skus: Number(values.skus), pastHolds: 0, pastOrders: 0, holdsToPlace: 0 };
		const world = await cluster.create("nodes_world", size);
		const services: Server[] = [];
		for (let n = 1; n <= MOST_NODES; n++) {
			const settings = {
				HOLDFAST_DATABASE_URL: world.url,
				HOLDFAST_SECRET_KEYS: world.secretKeys,
				HOLDFAST_ADMIN_SOCKET: path.join(folder, `${n}.sock`),
			};
			const service = await startService(settings, path.join(folder, `${n}.log`));
			ends.unshift(() => service.stop());
			services.push(service);
		}
		const loads = Array.from({ length: HALVES }, () => new Generator<LoadJob>("load.ts"));
		for (const load of loads) ends.unshift(() => load.stop());
		const processes = (): number[] => [...services.map(({ pid }) => pid), ...family(cluster.pid)];
		await compare({ world, services, loads, processes });
	} finally {
		for (const end of ends) await end();
	}
}

await main();
