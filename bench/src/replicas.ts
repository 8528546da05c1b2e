/**
 * `node bench/src/replicas.ts`: the p99 of reserves beside nine times as many reads, without a replica and with one,
 * against reserves alone. Requests are sent at a fixed rate, whether or not earlier ones have been answered.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { HOST, startService } from "./children.ts";
import { openStandby } from "./standby.ts";
import { Cluster, type World } from "./world.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "3" },
		seconds: { type: "string", default: "8" },
		/** Reserves a second; there are nine times as many reads. */
		reserves: { type: "string", default: "20" },
		skus: { type: "string", default: "1000" },
		orders: { type: "string", default: "10000" },
	},
});
const ROUNDS = Number(values.rounds);
const MEASURE_MS = Number(values.seconds) * 1_000;
const RESERVES_PER_SECOND = Number(values.reserves);
const SKUS = Number(values.skus);
const ORDERS = Number(values.orders);
const READS_PER_RESERVE = 9;
const WARM_UP_MS = 2_000;
const NAME = "replica_world";
const LISTS = [
	"products?limit=100",
	"inventory/summary?brand_code=BENCH&limit=100",
	"shipments?brand_code=BENCH&limit=100",
];

interface Cell {
	readonly port: number;
	readonly reads: boolean;
}

/** Sends requests at a fixed rate for a time, and returns how long each took, in milliseconds. */
async function sendAt(perSecond: number, forMs: number, send: (n: number) => Promise<unknown>): Promise<number[]> {
	const times: number[] = [];
	const sent: Promise<unknown>[] = [];
	const began = performance.now();
	for (let n = 0; ; n++) {
		const due = began + (n * 1_000) / perSecond;
		if (due > began + forMs) break;
		await sleep(Math.max(0, due - performance.now()));
		sent.push(send(n).then(() => times.push(performance.now() - due)));
	}
	await Promise.all(sent);
	return times;
}

async function answered(reply: Response, status: number): Promise<void> {
	const text = await reply.text();
	if (reply.status !== status) throw new Error(`${reply.url} answered ${reply.status}: ${text}`);
}

async function measure({ tokens }: World, { port, reads }: Cell): Promise<number> {
	const headersOf = (n: number) => ({
		authorization: `Bearer ${tokens[n % tokens.length]}`,
		"content-type": "application/json",
	});
	const reserve = async (n: number): Promise<void> => {
		const sku = `SKU-${String((n * 7) % SKUS).padStart(6, "0")}`;
		const body = JSON.stringify({ items: [{ sku, qty: 1 }] });
		const at = `http://${HOST}:${port}/api/v1/reserve`;
		await answered(await fetch(at, { method: "POST", headers: headersOf(n), body }), 201);
	};
	const read = async (n: number): Promise<void> => {
		const list = LISTS[n % LISTS.length];
		await answered(await fetch(`http://${HOST}:${port}/api/v1/${list}`, { headers: headersOf(n) }), 200);
	};
	const run = async (forMs: number): Promise<number[]> => {
		const perSecond = RESERVES_PER_SECOND * READS_PER_RESERVE;
		const reading = reads ? sendAt(perSecond, forMs, read) : Promise.resolve([]);
		const [times] = await Promise.all([sendAt(RESERVES_PER_SECOND, forMs, reserve), reading]);
		return times;
	};
	await run(WARM_UP_MS);
	return percentile(await run(MEASURE_MS), 0.99);
}

const percentile = (times: readonly number[], share: number): number =>
	times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

async function report(world: World, cells: Readonly<Record<string, Cell>>): Promise<void> {
	const found = new Map(Object.keys(cells).map((name) => [name, [] as number[]]));
	for (let round = 1; round <= ROUNDS; round++) {
		for (const [name, cell] of Object.entries(cells)) {
			const p99Ms = await measure(world, cell);
			found.get(name)?.push(p99Ms);
			console.log(`round ${round}  ${name.padEnd(26)}  p99 of reserve ${p99Ms.toFixed(1).padStart(7)} ms`);
		}
	}
	const ratio = (name: string): number =>
		median((found.get(name) ?? []).map((p99Ms, at) => p99Ms / (found.get("alone")?.[at] ?? Number.NaN)));
	const [onPrimary, onReplica] = [ratio("beside reads on the primary"), ratio("beside reads on a replica")];
	console.log(`p99 of reserve beside reads on the primary / alone: ${onPrimary.toFixed(2)}`);
	console.log(`p99 of reserve beside reads on a replica / alone: ${onReplica.toFixed(2)}`);
}

/** Reads that the replica answered, and those that the primary answered in its place. */
async function whereRead(metrics: string): Promise<string> {
	const text = await (await fetch(metrics)).text();
	const lines = [...text.matchAll(/^holdfast_replica_reads\{outcome="(\w+)"\} (\d+)/gm)];
	return lines.map(([, outcome, count]) => `${outcome} ${count}`).join(", ");
}

async function main(): Promise<void> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-bench-replicas-"));
	await chmod(folder, 0o711);
	const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
	try {
		const data = path.join(folder, "data");
		const filled = await Cluster.open(data);
		const world = await filled.create(NAME, { skus: SKUS, pastHolds: 0, pastOrders: ORDERS, holdsToPlace: 0 });
		await filled.close(); // a cold copy is the simplest one
		const standby = await openStandby(data, path.join(folder, "replica"));
		ends.unshift(() => standby.close());
		const cluster = await Cluster.open(data);
		ends.unshift(() => cluster.close());
		const settings = { HOLDFAST_DATABASE_URL: world.url, HOLDFAST_SECRET_KEYS: world.secretKeys };
		const ownSocket = (name: string) => ({ HOLDFAST_ADMIN_SOCKET: path.join(folder, `${name}.sock`) });
		const plain = await startService({ ...settings, ...ownSocket("plain") }, path.join(folder, "plain.log"));
		ends.unshift(() => plain.stop());
		const metricsPort = String(plain.port + 1);
		const read = { HOLDFAST_DATABASE_READ_URL: standby.urlOf(NAME), HOLDFAST_METRICS_PORT: metricsPort };
		const beside = await startService({ ...settings, ...ownSocket("r"), ...read }, path.join(folder, "r.log"));
		ends.unshift(() => beside.stop());
		await report(world, {
			alone: { port: plain.port, reads: false },
			"beside reads on the primary": { port: plain.port, reads: true },
			"beside reads on a replica": { port: beside.port, reads: true },
		});
		console.log(`reads by what became of them: ${await whereRead(`http://${HOST}:${metricsPort}/metrics`)}`);
	} finally {
		for (const end of ends) await end();
	}
}

await main();
