/**
 * `node bench/src/consoles.ts`: reserves with and without three consoles that are open on live pages. Each follows the
 * stream of changes and reads its page again whenever one arrives, at most twice a second, as the console does. With
 * `--orders 1000000` also the first page of that many orders, beside that of a hundred.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { NO_CURSORS, templatesOf } from "./cells.ts";
import { Generator, HOST, startService } from "./children.ts";
import type { LoadJob } from "./load.ts";
import { Cluster, type World } from "./world.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "5" },
		seconds: { type: "string", default: "6" },
		orders: { type: "string", default: "0" },
	},
});
const ROUNDS = Number(values.rounds);
const MEASURE_MS = Number(values.seconds) * 1_000;
const ORDERS = Number(values.orders);
const FEW_ORDERS = 100;
const WARM_UP_MS = 2_000;
const CONNECTIONS = 64;
const SKUS = 10_000;
/** When changes are read again, as in console/src/api/live.ts. */
const GATHER_MS = 500;
const LARGEST_SHARE = 1 / 20;
const TARGET = 0.95;
/** What the pages of the three consoles read. */
const PAGES = ["overview", "holds?limit=100", "lots?limit=100"] as const;

interface OpenConsole {
	readonly reads: () => number;
	close(): void;
}

/** A console on one page: its stream, and its reads. */
function openConsole(port: number, token: string, page: string): OpenConsole {
	const headers = { authorization: `Bearer ${token}` };
	let [reads, closed, notBefore, isStale] = [0, false, 0, false];
	let timer: NodeJS.Timeout | null = null;
	const plan = (): void => {
		timer ??= setTimeout(() => void readAgain(), Math.max(GATHER_MS, notBefore - performance.now()));
	};
	const readAgain = async (): Promise<void> => {
		isStale = false;
		const began = performance.now();
		const reply = await fetch(`http://${HOST}:${port}/admin/api/v1/${page}`, { headers });
		if (!reply.ok && !closed) throw new Error(`${page} answered ${reply.status}: ${await reply.text()}`);
		await reply.arrayBuffer();
		reads++;
		notBefore = performance.now() + (performance.now() - began) / LARGEST_SHARE;
		timer = null;
		if (isStale && !closed) plan();
	};
	const stream = request({ host: HOST, port, path: "/admin/api/v1/live", headers }, (reply) => {
		if (reply.statusCode !== 200) throw new Error(`/live answered ${reply.statusCode}`);
		reply.on("data", () => {
			isStale = true;
			plan();
		});
	});
	stream.on("error", () => undefined); // closed by us
	stream.end();
	return {
		reads: () => reads,
		close: () => {
			closed = true;
			if (timer !== null) clearTimeout(timer);
			stream.destroy();
		},
	};
}

/** A token of a viewer, made on the socket of the service. */
function mintViewer(socket: string): Promise<string> {
	const body = JSON.stringify({ name: "bench", role: "viewer" });
	const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
	return new Promise((resolve, reject) => {
		const asked = request({ socketPath: socket, path: "/admin/api/v1/tokens", method: "POST", headers }, (reply) => {
			let text = "";
			reply.on("data", (chunk: Buffer) => (text += chunk.toString()));
			reply.on("end", () => resolve((JSON.parse(text) as { data: { token: string } }).data.token));
		});
		asked.on("error", reject);
		asked.end(body);
	});
}

async function measure(world: World, port: number, load: Generator<LoadJob>): Promise<{ rate: number; p99Ms: number }> {
	const templates = templatesOf({ asked: "reserve", target: "service" }, NO_CURSORS);
	const job: LoadJob = {
		host: HOST,
		port,
		tokens: world.tokens,
		connections: CONNECTIONS,
		templates,
		skuCount: SKUS,
		warmUpMs: WARM_UP_MS,
		measureMs: MEASURE_MS,
		expectedStatus: 201,
	};
	const { answered, seconds, p99Ms, others } = await load.run(job, () => []);
	if (Object.keys(others).length > 0) console.error(`  also answered: ${JSON.stringify(others)}`);
	return { rate: answered / seconds, p99Ms };
}

const median = (numbers: readonly number[]): number =>
	numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

/** Runs `work` beside a service on a new world, with the token of a viewer. */
async function onWorld(
	cluster: Cluster,
	folder: string,
	pastOrders: number,
	work: (world: World, port: number, token: string) => Promise<void>,
): Promise<void> {
	const name = `console_world_${pastOrders}`;
	const world = await cluster.create(name, { skus: SKUS, pastHolds: 0, pastOrders, holdsToPlace: 0 });
	const socket = path.join(folder, `${name}.sock`);
	const settings = {
		HOLDFAST_DATABASE_URL: world.url,
		HOLDFAST_SECRET_KEYS: world.secretKeys,
		HOLDFAST_ADMIN_SOCKET: socket,
	};
	const service = await startService(settings, path.join(folder, `${name}.log`));
	try {
		await work(world, service.port, await mintViewer(socket));
	} finally {
		await service.stop();
	}
}

async function compareReserves(world: World, port: number, token: string): Promise<void> {
	const load = new Generator<LoadJob>("load.ts");
	try {
		const ratios: number[] = [];
		for (let round = 1; round <= ROUNDS; round++) {
			const inTurn: Record<string, number> = {};
			// each round begins with the other of the two
			for (const count of round % 2 === 0 ? [PAGES.length, 0] : [0, PAGES.length]) {
				const consoles = PAGES.slice(0, count).map((page) => openConsole(port, token, page));
				const { rate, p99Ms } = await measure(world, port, load);
				const reads = consoles.reduce((sum, one) => sum + one.reads(), 0);
				for (const one of consoles) one.close();
				inTurn[count] = rate;
				console.log(
					`round ${round}  ${count} consoles  ${rate.toFixed(0).padStart(6)}/s  p99 ${p99Ms.toFixed(1)} ms  ${reads} reads`,
				);
			}
			ratios.push((inTurn[PAGES.length] ?? 0) / (inTurn[0] ?? Number.NaN));
		}
		const ratio = median(ratios);
		const verdict = ratio >= TARGET ? "met" : "NOT MET";
		console.log(`reserve with three consoles / without (>= ${TARGET}): ${ratio.toFixed(2)} ${verdict}`);
	} finally {
		await load.stop();
	}
}

/** Reads of each list, of which the median counts, after some that warm up the service. */
const OPENINGS = 40;
const WARM_UPS = 20;
/** What an operator opens of orders. */
const LISTS = ["orders?limit=100", "orders?limit=100&status=shipped", "orders?limit=100&q=ada", "boxes?limit=100"];

interface Opener {
	readonly port: number;
	readonly token: string;
}

/** Milliseconds until the first page of a list is there, as a median for each of these services, which take turns. */
async function openList(list: string, openers: readonly Opener[]): Promise<number[]> {
	const times = openers.map((): number[] => []);
	for (let n = -WARM_UPS; n < OPENINGS; n++) {
		for (const [which, { port, token }] of openers.entries()) {
			const began = performance.now();
			const reply = await fetch(`http://${HOST}:${port}/admin/api/v1/${list}`, {
				headers: { authorization: `Bearer ${token}` },
			});
			if (!reply.ok) throw new Error(`${list} answered ${reply.status}: ${await reply.text()}`);
			await reply.arrayBuffer();
			if (n >= 0) times[which]?.push(performance.now() - began);
		}
	}
	return times.map(median);
}

async function compareLists(few: Opener, many: Opener): Promise<void> {
	for (const list of LISTS) {
		const [ofFew = Number.NaN, ofMany = Number.NaN] = await openList(list, [few, many]);
		const ratio = (ofMany / ofFew).toFixed(2);
		console.log(
			`${list}: ${ofFew.toFixed(1)} ms of ${FEW_ORDERS} orders, ${ofMany.toFixed(1)} ms of ${ORDERS}, ratio ${ratio}`,
		);
	}
}

async function main(): Promise<void> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-bench-consoles-"));
	await chmod(folder, 0o711);
	const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
	try {
		const cluster = await Cluster.open(path.join(folder, "data"));
		ends.unshift(() => cluster.close());
		if (ROUNDS > 0) await onWorld(cluster, folder, 0, compareReserves);
		if (ORDERS === 0) return;
		await onWorld(cluster, folder, FEW_ORDERS, (_few, port, token) =>
			onWorld(cluster, folder, ORDERS, (_many, ...many) =>
				compareLists({ port, token }, { port: many[0], token: many[1] }),
			),
		);
	} finally {
		for (const end of ends) await end();
	}
}

await main();
