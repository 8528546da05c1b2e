/**
 * `node bench/src/traffic.ts`: reserves and checks at a service whose log of requests is on, and at one whose log is
 * off, in turn on the same server. With `--requests 10000000` also how long PostgreSQL takes for pages of a log of that
 * many requests, and what its readers notice while a day of it is dropped. With `--profile FOLDER` profiles of both
 * services, as `node --cpu-prof` writes them, and the log's share of the samples: on a busy machine this share is more
 * exact than the two ratios.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openDatabase } from "../../service/src/ground/pg/connect.ts";
import { transaction } from "../../service/src/ground/pg/transaction.ts";
import { insertDay } from "../../service/src/upkeep/traffic/days-sql.ts";
import { dropOldDays } from "../../service/src/upkeep/traffic/drop-old-days.ts";
import {
	type RequestFilters,
	selectErrorGroups,
	selectRequest,
	selectRequests,
} from "../../service/src/upkeep/traffic/list-sql.ts";
import { NO_CURSORS, templatesOf } from "./cells.ts";
import { Generator, HOST, startService } from "./children.ts";
import type { LoadJob } from "./load.ts";
import { family } from "./processes.ts";
import { shareOfProfile } from "./profile-share.ts";
import { Cluster, type World } from "./world.ts";

const { values } = parseArgs({
	options: {
		rounds: { type: "string", default: "5" },
		seconds: { type: "string", default: "6" },
		requests: { type: "string", default: "0" },
		profile: { type: "string" },
	},
});
const ROUNDS = Number(values.rounds);
const MEASURE_MS = Number(values.seconds) * 1_000;
const REQUESTS = Number(values.requests);
const WARM_UP_MS = 2_000;
const CONNECTIONS = 64;
const SKUS = 10_000;
const TARGET = 0.95;
const ASKED = [
	{ asked: "reserve", expectedStatus: 201 },
	{ asked: "check", expectedStatus: 200 },
] as const;
type Asked = (typeof ASKED)[number];

const median = (numbers: readonly number[]): number =>
	numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;

async function measure(
	{ world, port, processes }: Measured,
	load: Generator<LoadJob>,
	{ asked, expectedStatus }: Asked,
): Promise<{ rate: number; p99Ms: number; costUs: readonly number[] }> {
	const job: LoadJob = {
		host: HOST,
		port,
		tokens: world.tokens,
		connections: CONNECTIONS,
		templates: templatesOf({ asked, target: "service" }, NO_CURSORS),
		skuCount: SKUS,
		warmUpMs: WARM_UP_MS,
		measureMs: MEASURE_MS,
		expectedStatus,
	};
	const { answered, seconds, p99Ms, others, cpu } = await load.run(job, processes);
	if (Object.keys(others).length > 0) console.error(`  also answered: ${JSON.stringify(others)}`);
	return { rate: answered / seconds, p99Ms, costUs: cpu.map((spent) => (spent * 1e6) / answered) };
}

const KEPT = ["on", "off"] as const;
type Kept = (typeof KEPT)[number];
interface Measured {
	readonly world: World;
	readonly port: number;
	/** The processes that serve: the service, and PostgreSQL's. */
	readonly processes: () => number[][];
}
type Running = { readonly [kept in Kept]: Measured };

async function compare(services: Running): Promise<void> {
	const load = new Generator<LoadJob>("load.ts");
	try {
		for (const one of ASKED) {
			const rates: number[] = [];
			const costs: number[] = [];
			for (let round = 1; round <= ROUNDS; round++) {
				const found: { [kept in Kept]?: { rate: number; cost: number } } = {};
				// each round begins with the other of the two
				for (const kept of round % 2 === 0 ? KEPT.toReversed() : KEPT) {
					const { rate, p99Ms, costUs } = await measure(services[kept], load, one);
					const [service = 0, postgres = 0] = costUs;
					found[kept] = { rate, cost: service + postgres };
					console.log(
						`${one.asked} round ${round}  log ${kept.padEnd(3)}  ${rate.toFixed(0).padStart(6)}/s  p99 ${p99Ms.toFixed(1)} ms  service ${service.toFixed(1)} us, PostgreSQL ${postgres.toFixed(1)} us`,
					);
				}
				rates.push((found.on?.rate ?? 0) / (found.off?.rate ?? Number.NaN));
				costs.push((found.off?.cost ?? 0) / (found.on?.cost ?? Number.NaN));
			}
			for (const [what, ratio] of [
				["rate with the log / without", median(rates)],
				["processor time without / with", median(costs)],
			] as const) {
				const verdict = ratio >= TARGET ? "met" : "NOT MET";
				console.log(`${one.asked}, ${what} (>= ${TARGET}): ${ratio.toFixed(3)} ${verdict}`);
			}
		}
	} finally {
		await load.stop();
	}
}

/** The options of Node for a profile of the processor's time, by `--profile FOLDER`. */
const profileOf = (kept: Kept): string => `log-${kept}.cpuprofile`;
const profiled = (kept: Kept): string[] =>
	values.profile === undefined
		? []
		: ["--cpu-prof", `--cpu-prof-dir=${path.resolve(values.profile)}`, `--cpu-prof-name=${profileOf(kept)}`];

/** Requests of one chunk: what a busy service writes of one key and operation in half a second. */
const CHUNK = 20;
const DAYS = 10;
const DAY_MS = 86_400_000;
const KEYS = 50;
/** One request in this many is refused. */
const REFUSED_OF = 20;
const READS = 20;

/** Fills the log with requests of the last days, evenly over time, and names one of them. */
async function fill(url: string, today: number): Promise<{ keyId: string; requestId: string }> {
	const db = openDatabase(url, { max: 1 });
	try {
		const perDay = Math.ceil(REQUESTS / DAYS / CHUNK);
		for (let ago = 0; ago < DAYS; ago++) {
			const day = new Date(today - ago * DAY_MS).toISOString().slice(0, 10);
			await transaction(db, (tx) => insertDay(tx, { part: "live", day }));
			await db.query(
				`insert into request_log (last_at, first_at, sandbox, key_id, operation, status, code, count, requests)
				 select t + interval '450 ms', t, false, ('0199f0a0-1111-7000-8000-' || lpad((n % ${KEYS})::text, 12, '0'))::uuid,
				        case when n % 3 = 0 then 'reserve' else 'check' end, case when refused then 409 else 200 end,
				        case when refused then 'no_inventory' end, ${CHUNK},
				        (select json_agg(json_build_object('at', (extract(epoch from t) * 1000)::bigint + i * 20,
				           'request_id', 'req_' || lpad(to_hex(extract(epoch from t)::bigint), 8, '0') || lpad(to_hex(n * 100 + i), 16, '0'),
				           'method', 'POST', 'url', '/api/v1/reserve', 'ms', 4.2, 'bytes_in', 61, 'bytes_out', 420,
				           'date_sent', '2026-09-06', 'date_used', '2026-09-06', 'address', '203.0.113.7', 'user_agent', 'storefront/1.0',
				           'about', array['cart-' || n || '-' || i, gen_random_uuid()::text]))
				           from generate_series(0, ${CHUNK - 1}) i)::text
				   from (select n, $1::date + (n * 86399.0 / $2) * interval '1 second' as t, n % ${REFUSED_OF} = 0 as refused
				           from generate_series(0, $2::int - 1) n) x`,
				[day, perDay],
			);
			console.error(`  ${(ago + 1) * perDay * CHUNK} requests written`);
		}
		await db.query("analyze request_log");
		const { rows } = await db.query<{ id: string; key: string }>(
			"select requests::json -> 0 ->> 'request_id' as id, key_id as key from request_log order by last_at limit 1 offset 5000",
		);
		return { keyId: rows[0]?.key ?? "", requestId: rows[0]?.id ?? "" };
	} finally {
		await db.close();
	}
}

const NO_FILTERS: RequestFilters = {
	keyId: null,
	environment: undefined,
	operation: undefined,
	status: undefined,
	code: undefined,
	from: undefined,
	to: undefined,
	q: undefined,
};

async function readPages(url: string): Promise<void> {
	const today = Date.now() - DAY_MS; // whole days
	const { keyId, requestId } = await fill(url, today);
	const db = openDatabase(url, { max: 2, indexPlansOnly: true });
	const deep = { at: today - 5 * DAY_MS, requestId: "~" };
	const pages: { readonly [name: string]: () => Promise<unknown> } = {
		newest: () => selectRequests(db, NO_FILTERS, null, 100),
		"of one key": () => selectRequests(db, { ...NO_FILTERS, keyId }, null, 100),
		"of one code": () => selectRequests(db, { ...NO_FILTERS, code: "no_inventory" }, null, 100),
		"of one key, days ago": () => selectRequests(db, { ...NO_FILTERS, keyId }, deep, 100),
		"of an operation and a status": () =>
			selectRequests(db, { ...NO_FILTERS, operation: "reserve", status: 409 }, null, 100),
		"by request id": () => selectRequest(db, requestId, null),
		"with a text (looks at 20,000)": () => selectRequests(db, { ...NO_FILTERS, q: "no such text" }, null, 100),
		"errors of a day, counted": () => selectErrorGroups(db, today - DAY_MS, undefined),
	};
	for (const [name, read] of Object.entries(pages)) {
		const times: number[] = [];
		for (let n = 0; n < READS; n++) {
			const began = performance.now();
			await read();
			times.push(performance.now() - began);
		}
		console.log(`page ${name}: ${median(times).toFixed(1)} ms of ${REQUESTS} requests`);
	}
	await dropBesideReads(url, pages["of one key"] ?? (async () => undefined));
	await db.close();
}

/** What readers of the log notice while a day of it is dropped. */
async function dropBesideReads(url: string, read: () => Promise<unknown>): Promise<void> {
	const db = openDatabase(url, { max: 1 });
	const slowest = async (while_: Promise<unknown>): Promise<number> => {
		let [worst, ended] = [0, false];
		void while_.finally(() => {
			ended = true;
		});
		while (!ended) {
			const began = performance.now();
			await read();
			worst = Math.max(worst, performance.now() - began);
		}
		return worst;
	};
	const before = await slowest(new Promise((resolve) => setTimeout(resolve, 2_000)));
	const began = performance.now();
	const kept = { live: DAYS - 1, sandbox: DAYS };
	const beside = await slowest(dropOldDays(db, kept, new AbortController().signal));
	console.log(
		`a day dropped in ${(performance.now() - began).toFixed(0)} ms; slowest page before ${before.toFixed(1)} ms, meanwhile ${beside.toFixed(1)} ms`,
	);
	await db.close();
}

async function main(): Promise<void> {
	const folder = await mkdtemp(path.join(tmpdir(), "holdfast-bench-traffic-"));
	await chmod(folder, 0o711);
	const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
	try {
		const cluster = await Cluster.open(path.join(folder, "data"));
		ends.unshift(() => cluster.close());
		const running: { [kept in Kept]?: Measured } = {};
		for (const kept of ROUNDS > 0 ? KEPT : []) {
			const world = await cluster.create(`log_${kept}`, { skus: SKUS, pastHolds: 0, pastOrders: 0, holdsToPlace: 0 });
			const settings = {
				HOLDFAST_DATABASE_URL: world.url,
				HOLDFAST_SECRET_KEYS: world.secretKeys,
				HOLDFAST_ADMIN_SOCKET: path.join(folder, `${kept}.sock`),
				HOLDFAST_TRAFFIC: kept,
			};
			const service = await startService(settings, path.join(folder, `${kept}.log`), profiled(kept));
			ends.unshift(() => service.stop());
			const processes = (): number[][] => [[service.pid], family(cluster.pid)];
			running[kept] = { world, port: service.port, processes };
		}
		if (ROUNDS > 0) await compare(running as Running);
		if (REQUESTS > 0) {
			const world = await cluster.create("log_large", { skus: 1, pastHolds: 0, pastOrders: 0, holdsToPlace: 0 });
			await readPages(world.url);
		}
	} finally {
		for (const end of ends) await end();
	}
	if (values.profile === undefined || ROUNDS === 0) return;
	const share = await shareOfProfile(path.join(values.profile, profileOf("on")), "/upkeep/traffic/");
	console.log(`of the service's processor time the log took ${(share * 100).toFixed(1)} %, by samples`);
}

await main();
