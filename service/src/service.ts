import type { AddressInfo } from "node:net";
import { executeStockIn, openStockEngine, type StockEngine } from "./assembly/engine.ts";
import { type Notes, openFigures } from "./assembly/figures.ts";
import { holdOutcome } from "./assembly/hold-outcome.ts";
import { handsOver, type Labels, openLabels, ordersSide } from "./assembly/labels.ts";
import { coaUrlOf, createLinks } from "./assembly/links.ts";
import { openSurfaces } from "./assembly/surfaces.ts";
import { openWebhooks, WEBHOOK_CONNECTIONS, type Webhooks } from "./assembly/webhooks.ts";
import { type CatalogCache, createCatalogCache } from "./catalog/cache.ts";
import { CoaFeed } from "./certificates/contract.ts";
import { createFeedReader, FEED_READS_IN_FLIGHT, type FeedReader } from "./certificates/feed-reader.ts";
import { type FileStore, openFileStore } from "./certificates/file-store.ts";
import type { CoaLinks } from "./certificates/record.ts";
import { COA_TASKS } from "./certificates/tasks.ts";
import type { Config } from "./config.ts";
import type { DrawIn } from "./demand/draw-units.ts";
import { createHoldReader, HOLD_READS_IN_FLIGHT, type HoldReader } from "./holds/hold-reader.ts";
import { createSweep, type Sweep } from "./holds/sweep.ts";
import { HOLD_TASKS } from "./holds/tasks.ts";
import { createAddresses } from "./http/address.ts";
import { BodyBudget } from "./http/body-budget.ts";
import { connectionLimits, createConnections } from "./http/connections.ts";
import { addHealth } from "./http/health.ts";
import { createHelpLinks, type HelpLinks } from "./http/help-links.ts";
import { createMetrics, createMetricsServer, type Metrics } from "./http/metrics.ts";
import { createHttpServer, type ServerOptions } from "./http/server.ts";
import { JOB_TASKS } from "./jobs/tasks.ts";
import { JOB_CONNECTIONS, type JobWorker, startWorker } from "./jobs/worker.ts";
import { createAuthenticate } from "./keys/authenticate.ts";
import { createKeyCache, type KeyCache } from "./keys/key-cache.ts";
import type { KeyRing } from "./keys/key-ring.ts";
import { createRateLimit, type RateLimit } from "./keys/rate-limit.ts";
import { requireKeyRing } from "./keys/require-key-ring.ts";
import { createSharedBudget, type SharedBudget } from "./keys/shared-budget.ts";
import { KEY_TASKS } from "./keys/tasks.ts";
import { mostDescriptors } from "./lib/descriptors.ts";
import { createLog, type Log } from "./lib/log.ts";
import { OperatorError } from "./lib/operator-error.ts";
import { runTasks, type TasksRunning } from "./lib/run-tasks.ts";
import { sparing } from "./lib/sparing.ts";
import type { Task } from "./lib/task.ts";
import { createTurns } from "./lib/turns.ts";
import type { Links } from "./orders/order-book.ts";
import { type Database, type DatabaseOptions, openDatabase } from "./pg/connect.ts";
import { createReadiness, type Readiness } from "./pg/ready.ts";
import type { SessionOptions } from "./pg/session.ts";
import { openStore, type Store } from "./pg/store.ts";
import { PG_TASKS } from "./pg/tasks.ts";
import { firstStart, hintWithoutKeys } from "./sandbox/first-start.ts";
import { putSamples } from "./sandbox/put-samples.ts";
import type { SandboxSettings } from "./sandbox/restock-sandbox.ts";
import { SANDBOX_TASKS } from "./sandbox/tasks.ts";
import { LABEL_TASKS } from "./shipping/tasks.ts";
import { createStockReader, READS_IN_FLIGHT, type StockReader } from "./stock/reader.ts";
import { STOCK_TASKS } from "./stock/tasks.ts";
import { WEBHOOK_TASKS } from "./webhooks/tasks.ts";

/** Milliseconds that requests under way get to end when the service stops; what follows takes little. */
const DRAIN_MS = 8_000;

/** Connections for work outside the hot path. */
const TASK_CONNECTIONS = 2;
/** Milliseconds within which the database must answer a read; then its connection is given up. */
const READ_ANSWER_WITHIN_MS = 2_500;
/** The same for work outside the hot path. */
const TASK_ANSWER_WITHIN_MS = 15_000;
/** Milliseconds that such work waits for a locked row. */
const TASK_LOCK_WAIT_MS = 5_000;

/** Where the service listens, as addresses to call. */
export interface ListenAddresses {
	readonly api: string;
	readonly coa: string;
	/** Null: HOLDFAST_METRICS_PORT is not set. */
	readonly metrics: string | null;
}

/** Everything the rooms are built on; a plain object, made here and handed down. */
export interface Deps {
	readonly config: Config;
	/** Of the database. */
	readonly databaseUrl: string;
	/** For work outside the hot path: imports, restocks. */
	readonly db: Database;
	/** For short reads by index. */
	readonly readDb: Database;
	/** For the jobs; not through a pooler. */
	readonly jobDb: Database;
	readonly labels: Labels;
	/** For sending events. */
	readonly webhookDb: Database;
	readonly webhooks: Webhooks;
	/** For looks at the keys alone, so that none waits behind the work of the service. */
	readonly keyDb: Database;
	readonly ring: KeyRing;
	readonly keys: KeyCache;
	readonly catalog: CatalogCache;
	readonly engine: StockEngine;
	readonly reader: StockReader;
	readonly holdReader: HoldReader;
	readonly feed: FeedReader;
	/** The PDFs of certificates. */
	readonly files: FileStore;
	readonly log: Log;
	readonly metrics: Metrics;
	readonly readiness: Readiness;
	/** Take what tasks look up for the metrics. */
	readonly notes: Notes;
	readonly links: Links & CoaLinks;
	/** Public ones; known when it listens. */
	readonly addresses: { coa: string };
}

export interface Service {
	readonly deps: Deps;
	/** Begins to serve. Throws OperatorError when an address is taken. */
	start(): Promise<ListenAddresses>;
	/** Call once after start: stocks the sandbox of a new data folder. What to tell whoever starts it for the first time, or null. */
	welcome(): Promise<readonly string[] | null>;
	/** From now on `/readyz` answers 503, so that a balancer sends no more; requests are served as before. */
	announceStop(): void;
	/** Finishes the requests under way, then lets go of everything; the embedded PostgreSQL stops with its last user. */
	dispose(): Promise<void>;
}

export interface ServiceOptions {
	/** One line for the person at the terminal. */
	readonly say?: (line: string) => void;
	/** A store that is being opened already. */
	readonly store?: Promise<Store>;
	readonly log?: Log;
}

/** Builds the service on its database; nothing is served before `start`. */
export async function createService(config: Config, options: ServiceOptions = {}): Promise<Service> {
	const say = options.say ?? (() => undefined);
	const store = await (options.store ?? openStore(config, { role: "service", say }));
	try {
		const life: Life = { leaving: false, stopping: false };
		const log = options.log ?? createLog(config.logLevel);
		return assemble(store, await createDeps(config, store, log, life, say), life);
	} catch (error) {
		await store.close(); // closing it twice does no harm
		throw error;
	}
}

interface Life {
	/** The stop is announced: not ready, and serving. */
	leaving: boolean;
	stopping: boolean;
}

/** Connections by what they are for, so that no kind of work waits behind another. The engine has its own. */
function openConnections(
	databaseUrl: string,
	durable: Pick<SessionOptions, "durability">,
	onError: (error: Error) => void,
): Pick<Deps, "keyDb" | "readDb" | "db" | "jobDb" | "webhookDb"> {
	const keyDb = openDatabase(databaseUrl, {
		max: 1,
		name: "holdfast keys",
		answerWithinMs: READ_ANSWER_WITHIN_MS,
		onError,
	});
	const readDb = openDatabase(databaseUrl, {
		// one more for pages of lists, one for orders, one for the question of readiness and for the sweep's look
		max: READS_IN_FLIGHT + HOLD_READS_IN_FLIGHT + FEED_READS_IN_FLIGHT + 3,
		name: "holdfast reads",
		indexPlansOnly: true,
		answerWithinMs: READ_ANSWER_WITHIN_MS,
		onError,
	});
	const db = openDatabase(databaseUrl, {
		max: TASK_CONNECTIONS,
		name: "holdfast tasks",
		answerWithinMs: TASK_ANSWER_WITHIN_MS,
		lockTimeoutMs: TASK_LOCK_WAIT_MS,
		...durable,
		onError,
	});
	const jobDb = openJobDb(databaseUrl, { ...durable, onError });
	const webhookDb = openJobDb(databaseUrl, {
		max: WEBHOOK_CONNECTIONS,
		name: "holdfast webhooks",
		indexPlansOnly: true,
		...durable,
		onError,
	});
	return { keyDb, readDb, db, jobDb, webhookDb };
}

async function createDeps(
	config: Config,
	store: Store,
	log: Log,
	life: Life,
	say: (line: string) => void,
): Promise<Deps> {
	const databaseUrl = store.url;
	const onError = (error: Error): void => {
		// a connection we are closing may hear of the server's stop first
		if (!life.stopping) log.warn("a database connection was lost", {}, error);
	};
	const durable = config.acceptUnsafeDatabase ? {} : ({ durability: "required" } as const);
	const { keyDb, readDb, db, jobDb, webhookDb } = openConnections(databaseUrl, durable, onError);
	const ring = await requireKeyRing(config, keyDb, say).catch(async (error) => {
		life.stopping = true;
		await keyDb.close();
		throw error;
	});
	const catalog = createCatalogCache();
	const addresses = { coa: coaUrlOf(config) };
	const links = createLinks(() => addresses.coa, config);
	const rules = { certificatesRequired: config.coa.required, handsOver: handsOver(config) };
	const stock = { catalog, timeZone: config.timeZone, links, ...rules, ...durable };
	const metrics = createMetrics();
	const told = sparing((error, count) => log.warn("the engine met trouble", { count }, error));
	const engine = openStockEngine(databaseUrl, stock, {
		onTrouble: (_what, error) => {
			readiness.noteTrouble(error);
			if (!life.stopping) told(error);
		},
		onBatch: (commands, ms) => {
			readiness.noteSuccess();
			metrics.work.batch(commands, ms);
		},
		onAnswer: (command, answer) => {
			const outcome = holdOutcome(command, answer);
			if (outcome !== null) metrics.work.hold(outcome);
		},
	});
	metrics.gauge("holdfast_engine_waiting_commands", "Commands waiting for a batch.", () => engine.waiting);
	const dataDir = store.embedded?.pgData ?? null;
	const notes = openFigures(metrics, {
		connections: { engine: engine.db, reads: readDb, keys: keyDb, tasks: db, jobs: jobDb },
		dataDir,
	});
	const keys = createKeyCache(keyDb, { maxHeldUnits: config.maxHeldUnitsPerKey });
	const readiness = createReadiness({
		engineDb: engine.db,
		silentForMs: engine.silentForMs,
		readDb,
		taskDb: db,
		refreshKeys: () => keys.refresh(),
		dataDir,
	});
	return {
		notes,
		config,
		databaseUrl,
		db,
		readDb,
		keyDb,
		jobDb,
		// not the jobs' own connections: they ask the orders while they keep one
		labels: openLabels(config, {
			...{ db: jobDb, log, orders: ordersSide({ db, engine, catalog }) },
			demand: { drawIn: drawInOf({ config, links }) },
		}),
		webhookDb,
		webhooks: openWebhooks(config, { db: webhookDb, ring, log, metrics }),
		ring,
		keys,
		catalog,
		engine,
		reader: createStockReader(readDb, stock),
		holdReader: createHoldReader(readDb),
		feed: createFeedReader(readDb),
		files: openFileStore(config.coa.store),
		log,
		metrics,
		readiness,
		links,
		addresses,
	};
}

const openJobDb = (url: string, options: DatabaseOptions): Database =>
	openDatabase(url, {
		max: JOB_CONNECTIONS,
		name: "holdfast jobs",
		answerWithinMs: TASK_ANSWER_WITHIN_MS,
		lockTimeoutMs: TASK_LOCK_WAIT_MS,
		...options,
	});

function assemble(store: Store, deps: Deps, life: Life): Service {
	const { config, log, metrics, keys } = deps;
	let apiUrl = "";
	const readiness = async (): Promise<string | null> =>
		life.leaving || life.stopping ? "it is stopping" : await deps.readiness.obstacle();
	const rateLimit = createRateLimit();
	const help = createHelpLinks(config.url);
	const options = serverOptionsOf(deps, rateLimit, help);
	const budget = createSharedBudget(deps.db, rateLimit);
	const api = createHttpServer(options);
	const coa = createHttpServer(options);
	for (const server of [api, coa]) addHealth(server, readiness);
	const turns = { pages: createTurns(), pushes: createTurns() };
	const authenticate = createAuthenticate(deps.keys, deps.ring);
	const sandbox = sandboxOf(deps);
	const coaLinks = { ...deps.links, feedUrl: (query: string) => `${deps.addresses.coa}${CoaFeed.path}?${query}` };
	const asked = { authenticate, rateLimit, sandbox, coaLinks, labels: deps.labels.gate };
	openSurfaces({ api, coa }, { ...deps, ...turns, ...asked });
	deps.labels.mount(api);
	const metricsServer = createMetricsServer(metrics, help);
	let tasks: TasksRunning | null = null;
	let worker: JobWorker | null = null;
	return {
		deps,
		async start() {
			// the catalogue too, so that the first request does not wait for it
			await Promise.all([keys.refresh(), budget.join(), deps.catalog.read(deps.readDb), deps.labels.begin()]);
			const { host, port, coaPort, metricsPort } = config;
			const boundApi = await listen("HOLDFAST_PORT", host, port, api.listen);
			apiUrl = config.url ?? boundApi;
			help.standAt(apiUrl); // before any other address answers
			const bound = {
				api: boundApi,
				coa: await listen("HOLDFAST_COA_PORT", host, coaPort, coa.listen),
				metrics:
					metricsPort === null
						? null
						: await listen("HOLDFAST_METRICS_PORT", host, metricsPort, listenWith(metricsServer)),
			};
			log.info("serving", { address: bound.api });
			tasks = startTasks(deps, budget);
			worker = startJobs(deps);
			deps.webhooks.begin();
			apiUrl = config.url ?? bound.api;
			deps.addresses.coa = config.coaUrl ?? bound.coa;
			return bound;
		},
		async welcome() {
			// a database of the operator's own is not ours to put keys into
			if (store.embedded === null) return await hintWithoutKeys(deps.db);
			const first = await firstStart(deps.db, sandboxOf(deps), deps.ring, apiUrl);
			if (first !== null) await putSamples(deps.db, deps.files);
			return first?.lines ?? null;
		},
		announceStop() {
			life.leaving = true;
		},
		async dispose() {
			if (life.stopping) return;
			life.stopping = true;
			await Promise.all([api.close(DRAIN_MS), coa.close(DRAIN_MS), worker?.stop(), deps.webhooks.stop()]);
			await tasks?.stop();
			await closeDeps(deps);
			await new Promise((resolve) => metricsServer.close(resolve));
			await store.close();
			log.flush();
		},
	};
}

/** Both addresses draw on the same budgets. */
function serverOptionsOf({ config, log, metrics }: Deps, rateLimit: RateLimit, help: HelpLinks): ServerOptions {
	const addresses = createAddresses(config.trustedProxies);
	const tell = sparing((address, count) => {
		log.warn("there are too many connections: some were hung up", { address: String(address), count });
	});
	const connections = createConnections(addresses, { limits: connectionLimits(mostDescriptors()), onHungUp: tell });
	metrics.gauge("holdfast_http_connections", "Open connections.", () => connections.open);
	const bodies = new BodyBudget();
	metrics.gauge("holdfast_http_body_bytes", "Bytes of large request bodies in flight.", () => bodies.inFlight);
	return { rateLimit, failures: createRateLimit(), addresses, connections, bodies, help, log, metrics };
}

/** What tasks work on, beside what everybody does. */
interface TaskDeps extends Deps, Notes {
	readonly budget: SharedBudget;
	readonly sweep: Sweep;
	readonly sandbox: SandboxSettings;
	readonly noteJobs: Metrics["jobs"]["note"];
}

/** Every task of every room. */
const TASKS: readonly Task<TaskDeps>[] = [
	...KEY_TASKS,
	...STOCK_TASKS,
	...HOLD_TASKS,
	...SANDBOX_TASKS,
	...PG_TASKS,
	...JOB_TASKS,
	...LABEL_TASKS,
	...COA_TASKS,
	...WEBHOOK_TASKS,
];

function startTasks(deps: Deps, budget: SharedBudget): TasksRunning {
	const { db, readDb, engine, log, metrics } = deps;
	const sweep = createSweep({ reads: readDb, db }, engine);
	const noteJobs = metrics.jobs.note;
	return runTasks(
		TASKS,
		{ ...deps, ...deps.notes, budget, sweep, noteJobs, sandbox: sandboxOf(deps) },
		{ log, counterOf: metrics.task },
	);
}

/** Runs the jobs of all rooms. */
const startJobs = ({ jobDb: db, labels: { jobs, deps }, log, metrics }: Deps): JobWorker =>
	startWorker({ db, jobs, deps, log, counterOf: metrics.jobs.counterOf });

const sandboxOf = ({ config: { timeZone }, links }: Deps): SandboxSettings => ({
	timeZone,
	// a cache of its own each time: what it reads is not committed yet
	executeIn: (tx, commands, numbered) =>
		executeStockIn(tx, { catalog: createCatalogCache(), timeZone, links }, commands, numbered),
});

const drawInOf =
	({ config: { timeZone }, links }: Pick<Deps, "config" | "links">): DrawIn =>
	(tx, commands) =>
		executeStockIn(tx, { catalog: createCatalogCache(), timeZone, links }, commands);

async function closeDeps({ engine, reader, holdReader, feed, files, labels, ...deps }: Deps): Promise<void> {
	const { db, readDb, keyDb, jobDb, webhookDb } = deps;
	await Promise.all([engine.close(), reader.drain(), holdReader.drain(), feed.drain(), labels.close()]);
	files.close();
	await Promise.all([db.close(), readDb.close(), keyDb.close(), jobDb.close(), webhookDb.close()]);
}

type Listen = (port: number, host: string) => Promise<number>;

async function listen(variable: string, host: string, port: number, open: Listen): Promise<string> {
	try {
		const bound = await open(port, host);
		return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
	} catch (error) {
		const { code, message } = error as { code?: string; message: string };
		const why = code === "EADDRINUSE" ? "another program listens there" : message;
		const named = ["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"].includes(code ?? "") ? "HOLDFAST_HOST" : variable;
		throw new OperatorError(`${named}: cannot listen on ${host} port ${port}: ${why}.`, { cause: error });
	}
}

const listenWith =
	(server: ReturnType<typeof createMetricsServer>): Listen =>
	(port, host) =>
		new Promise((resolve, reject) => {
			server.once("error", reject);
			server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
		});
