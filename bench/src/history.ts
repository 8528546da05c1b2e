/**
 * `node bench/src/history.ts`: a world with years of history beside a young one, in turn on the same server: reserves,
 * checks, lists, `explain`, and `verify` since the seal. Prints ratios, and how the database has grown.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Database, openDatabase } from "../../service/src/ground/pg/connect.ts";
import type { FileStore } from "../../service/src/inventory/certificates/file-store.ts";
import { DIGESTED_KINDS, digestNext } from "../../service/src/upkeep/ledger/digest-sql.ts";
import { explain } from "../../service/src/upkeep/ledger/explain.ts";
import { proveLedger } from "../../service/src/upkeep/ledger/verify.ts";
import { NO_CURSORS, templatesOf } from "./cells.ts";
import { Generator, HOST, type Server, serviceOn } from "./children.ts";
import { cursorAt } from "./cursor-at.ts";
import type { LoadJob } from "./load.ts";
import { family } from "./processes.ts";
import type { RequestTemplate } from "./request.ts";
import { median } from "./results.ts";
import { Cluster, type World } from "./world.ts";

const { values } = parseArgs({
	options: {
		/** Past holds, of two moves each; there are a third as many shipped orders, of three moves each. */
		holds: { type: "string", default: "200000" },
		skus: { type: "string", default: "10000" },
		rounds: { type: "string", default: "5" },
		seconds: { type: "string", default: "4" },
	},
});
const HOLDS = Number(values.holds);
const SKUS = Number(values.skus);
const ROUNDS = Number(values.rounds);
const MEASURE_MS = Number(values.seconds) * 1_000;
const WARM_UP_MS = 2_000;
const CONNECTIONS = 64;
/** Past holds of the young world: enough for full pages of its lists. */
const YOUNG_HOLDS = 3_000;
const HOLDS_PER_ORDER = 3;
/** The worst ratio that is accepted. */
const TARGET = 1.1;
const DIGEST_AT_ONCE = 20_000;
/** Different SKUs that are explained in each world. */
const EXPLAINED = 15;
const PAGE = 100;
const MILLION = 1_000_000;
const MEGABYTE = 1_000_000;
const GROWING = [
	"hold",
	"hold_part",
	"unit_move",
	"orders",
	"shipment",
	"event",
	"history_digest",
	"hold_seal",
	"lot_seal",
];

type Age = "young" | "old";
const AGES: readonly Age[] = ["young", "old"];
interface Measured {
	readonly world: World;
	readonly service: Server;
	readonly processes: () => number[][];
	readonly requests: Readonly<Record<string, Asked>>;
}
interface Asked {
	readonly templates: readonly RequestTemplate[];
	readonly status: number;
}
type Both = Readonly<Record<Age, Measured>>;

/** No certificate has a PDF here. */
const NO_FILES = { open: async () => null } as unknown as FileStore;
const say = (line: string): void => console.error(`  ${line}`);

const withDatabase = async <T>(world: World, work: (db: Database) => Promise<T>): Promise<T> => {
	const db = openDatabase(world.url, { max: 2, name: "bench" });
	try {
		return await work(db);
	} finally {
		await db.close();
	}
};

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	await work();
	return (performance.now() - began) / 1_000;
}

/** Creates the digests of everything and proves it, as the tasks and the runs of its nights would have done. */
async function settle(name: Age, world: World): Promise<void> {
	await withDatabase(world, async (db) => {
		for (const kind of DIGESTED_KINDS) while ((await digestNext(db, kind, DIGEST_AT_ONCE)) === DIGEST_AT_ONCE);
		const seconds = await secondsOf(async () => {
			const { differences, sealed } = await proveLedger(db, NO_FILES, {});
			if (sealed === null) throw new Error(`the ${name} world is not clean: ${JSON.stringify(differences)}`);
		});
		await db.query("vacuum (analyze)");
		await db.query("checkpoint");
		say(`${name}: a whole verify took ${seconds.toFixed(1)} s`);
	});
}

/** The requests that are measured. Past boxes have the numbers from 1 on; the feed begins before the last of them. */
async function requestsOf(world: World): Promise<Measured["requests"]> {
	const tail = await cursorAt(world, Math.max(0, world.pastOrders - PAGE), [
		undefined,
		undefined,
		undefined,
		undefined,
	]);
	const get = (at: string): Asked => ({ templates: [{ method: "GET", path: at }], status: 200 });
	return {
		reserve: { templates: templatesOf({ asked: "reserve", target: "service" }, NO_CURSORS), status: 201 },
		check: { templates: templatesOf({ asked: "check", target: "service" }, NO_CURSORS), status: 200 },
		products: get(`/api/v1/products?limit=${PAGE}`),
		orders: get(`/api/v1/orders?limit=${PAGE}`),
		shipments: get(`/api/v1/shipments?limit=${PAGE}`),
		"shipments, feed": get(`/api/v1/shipments?limit=${PAGE}&cursor=${encodeURIComponent(tail)}`),
	};
}

interface Cost {
	/** Milliseconds between two answers. */
	readonly ms: number;
	readonly p99Ms: number;
	/** Microseconds of processor time of the service and of PostgreSQL. */
	readonly cpuUs: number;
}

async function costOf({ world, service, processes }: Measured, asked: Asked, load: Generator<LoadJob>): Promise<Cost> {
	const { templates, status: expectedStatus } = asked;
	const job = { host: HOST, port: service.port, tokens: world.tokens.slice(0, 1), connections: CONNECTIONS, templates };
	const times = { skuCount: SKUS, warmUpMs: WARM_UP_MS, measureMs: MEASURE_MS, expectedStatus };
	const { answered, seconds, p99Ms, others, cpu } = await load.run({ ...job, ...times }, processes);
	if (Object.keys(others).length > 0) throw new Error(`other answers: ${JSON.stringify(others)}`);
	const spent = cpu.reduce((sum, one) => sum + one, 0);
	return { ms: (seconds * 1e3) / answered, p99Ms, cpuUs: (spent * 1e6) / answered };
}

function judge(what: string, young: readonly number[], old: readonly number[], unit: string): void {
	const ratio = median(old.map((value, round) => value / (young[round] ?? Number.NaN)));
	const verdict = ratio <= TARGET ? "met" : "NOT MET";
	console.log(
		`${what.padEnd(34)} ${median(young).toFixed(2).padStart(9)} ${median(old).toFixed(2).padStart(9)} ${unit.padEnd(3)} ${ratio.toFixed(2)} ${verdict}`,
	);
}

/** Requests of both worlds in turn; each round begins with the other one. */
async function compareRequests(both: Both): Promise<void> {
	const load = new Generator<LoadJob>("load.ts");
	try {
		for (const name of Object.keys(both.young.requests)) {
			const costs: Record<Age, Cost[]> = { young: [], old: [] };
			for (let round = 0; round < ROUNDS; round++)
				for (const age of round % 2 === 0 ? AGES : AGES.toReversed()) {
					const asked = both[age].requests[name];
					if (asked !== undefined) costs[age].push(await costOf(both[age], asked, load));
				}
			const of = (age: Age, value: (cost: Cost) => number): number[] => costs[age].map(value);
			judge(
				`${name}, time`,
				of("young", ({ ms }) => ms),
				of("old", ({ ms }) => ms),
				"ms",
			);
			judge(
				`${name}, processor`,
				of("young", ({ cpuUs }) => cpuUs),
				of("old", ({ cpuUs }) => cpuUs),
				"us",
			);
		}
	} finally {
		await load.stop();
	}
}

/** The same work of an operator in both worlds, in turn. */
async function compareWork(both: Both, what: string, work: (world: World) => Promise<number>): Promise<void> {
	const taken: Record<Age, number[]> = { young: [], old: [] };
	for (let round = 0; round < ROUNDS; round++)
		for (const age of round % 2 === 0 ? AGES : AGES.toReversed()) taken[age].push(await work(both[age].world));
	judge(what, taken.young, taken.old, "s");
}

const explained = (at: Date | null) => (world: World) =>
	withDatabase(world, async (db) => {
		const question = { caller: null, brandCode: undefined, at, certificatesRequired: false };
		return await secondsOf(async () => {
			for (let n = 0; n < EXPLAINED; n++) {
				const sku = `SKU-${String(Math.floor((n * SKUS) / EXPLAINED)).padStart(6, "0")}`;
				await explain(db, "UTC", { ...question, sku });
			}
		});
	});

const provedSince = (world: World) =>
	withDatabase(world, (db) =>
		secondsOf(async () => {
			const { ok, differences, since } = await proveLedger(db, NO_FILES, { sinceSeal: true });
			if (!ok || since === null) throw new Error(`not proved since the seal: ${JSON.stringify(differences)}`);
		}),
	);

/** How much larger the old world is, for each million of its past holds. */
async function growth({ young, old }: Both): Promise<void> {
	const sizes = ({ world }: Measured) =>
		withDatabase(world, async (db) => {
			const { rows } = await db.query<{ name: string; bytes: number }>(
				`select 'database' as name, pg_database_size(current_database()) as bytes
				 union all select relname::text, pg_total_relation_size(oid) from pg_class
				            where relnamespace = current_schema()::regnamespace and relname = any($1)`,
				[GROWING],
			);
			return new Map(rows.map(({ name, bytes }) => [name, bytes]));
		});
	const [before, after] = [await sizes(young), await sizes(old)];
	console.log(`\nMB for each million of past holds, with ${Math.round(MILLION / HOLDS_PER_ORDER)} shipped orders`);
	for (const name of ["database", ...GROWING]) {
		const grown = (after.get(name) ?? 0) - (before.get(name) ?? 0);
		console.log(
			`${name.padEnd(34)} ${((grown / MEGABYTE) * (MILLION / (HOLDS - YOUNG_HOLDS))).toFixed(1).padStart(9)}`,
		);
	}
}

async function main(): Promise<void> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-bench-history-"));
	await chmod(folder, 0o711);
	const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
	try {
		const cluster = await Cluster.open(path.join(folder, "data"));
		ends.unshift(() => cluster.close());
		const both: { [age in Age]?: Measured } = {};
		for (const age of AGES) {
			const pastHolds = age === "young" ? YOUNG_HOLDS : HOLDS;
			const pastOrders = Math.floor(pastHolds / HOLDS_PER_ORDER);
			const world = await cluster.create(age, { skus: SKUS, pastHolds, pastOrders, holdsToPlace: 0 });
			say(`${age}: ${pastHolds} holds and ${pastOrders} orders written`);
			await settle(age, world);
			const service = await serviceOn(world, path.join(folder, `${age}.log`));
			ends.unshift(() => service.stop());
			const processes = (): number[][] => [[service.pid], family(cluster.pid)];
			both[age] = { world, service, processes, requests: await requestsOf(world) };
		}
		await growth(both as Both);
		console.log(`\n${"".padEnd(34)}     young       old     ratio (at most ${TARGET})`);
		await compareRequests(both as Both);
		await compareWork(both as Both, `explain of ${EXPLAINED} SKUs, now`, explained(null));
		await compareWork(
			both as Both,
			`explain of ${EXPLAINED} SKUs, an hour ago`,
			explained(new Date(Date.now() - 3_600_000)),
		);
		await compareWork(both as Both, "verify since the seal", provedSince);
	} finally {
		for (const end of ends) await end();
	}
}

await main();
