import { commonSettingsOf } from "./assembly/common-settings.ts";
import { openStockEngine, type StockEngine, type StockEngineOptions } from "./assembly/engine.ts";
import { drawInOf } from "./assembly/execute-in.ts";
import { addReplicaFigures, type Notes, openFigures } from "./assembly/figures.ts";
import { type GoLiveOutlets, openGoLive } from "./assembly/golive.ts";
import { holdOutcome, keyOf } from "./assembly/hold-outcome.ts";
import { handsOver, type Labels, openLabels, ordersSide } from "./assembly/labels.ts";
import { coaUrlOf, createLinks } from "./assembly/links.ts";
import { openTraces } from "./assembly/trace-work.ts";
import { openWebhooks, WEBHOOK_CONNECTIONS, type Webhooks } from "./assembly/webhooks.ts";
import type { Config } from "./config.ts";
import type { Store } from "./ground/embedded/store.ts";
import { JOB_CONNECTIONS } from "./ground/jobs/worker.ts";
import { PROCESS_TIMERS } from "./ground/lib/clock.ts";
import { type Cursors, createCursors } from "./ground/lib/cursor.ts";
import type { Log } from "./ground/lib/log.ts";
import { throttled } from "./ground/lib/throttled.ts";
import type { Traces } from "./ground/lib/traces.ts";
import { type Database, type DatabaseOptions, openDatabase, type Query } from "./ground/pg/connect.ts";
import type { Epoch } from "./ground/pg/epoch.ts";
import { createPrimary, type Primary } from "./ground/pg/primary.ts";
import { readsOfPrimary } from "./ground/pg/primary-reads.ts";
import { isOnReplica, type Reads } from "./ground/pg/reads.ts";
import { createReadiness, type Readiness } from "./ground/pg/ready.ts";
import { openReads } from "./ground/pg/replica-reads.ts";
import { type NodeEntry, openNodeEntry } from "./ground/pg/running-nodes.ts";
import type { SessionOptions } from "./ground/pg/session.ts";
import { type CatalogCache, createCatalogCache } from "./inventory/catalog/cache.ts";
import { createFeedReader, FEED_READS_IN_FLIGHT, type FeedReader } from "./inventory/certificates/feed-reader.ts";
import { type FileStore, openFileStore } from "./inventory/certificates/file-store.ts";
import type { CoaLinks } from "./inventory/certificates/record.ts";
import { createHoldReader, HOLD_READS_IN_FLIGHT, type HoldReader } from "./inventory/holds/hold-reader.ts";
import type { Links } from "./inventory/orders/order-book.ts";
import { createListReader, createStockReader, READS_IN_FLIGHT, type StockReader } from "./inventory/stock/reader.ts";
import { createMetrics, type Metrics } from "./partners/http/metrics.ts";
import { createKeyCache, type KeyCache } from "./partners/keys/key-cache.ts";
import type { KeyRing } from "./partners/keys/key-ring.ts";
import { requireKeyRing } from "./partners/keys/require-key-ring.ts";
import { adminUrlOf } from "./partners/people/admin-url.ts";
import { RUN_CONNECTIONS } from "./partners/runs/limits.ts";
import { Tally } from "./upkeep/series/tally.ts";
import { type RequestLog, recordRequests } from "./upkeep/traffic/record-requests.ts";

/** Connections for work outside the hot path. */
const TASK_CONNECTIONS = 2;
/** Milliseconds within which the database must answer a read; then its connection is closed. */
const READ_ANSWER_WITHIN_MS = 2_500;
/** The same for work outside the hot path. */
const TASK_ANSWER_WITHIN_MS = 15_000;
/** Milliseconds that work outside the hot path waits for a locked row. */
const TASK_LOCK_WAIT_MS = 5_000;

/** Milliseconds within which a stopping node must record that it has stopped; the database may be away. */
const LEAVE_WITHIN_MS = 1_000;

/** Connections to a replica for lists of stock, of certificates, for pages of the others, and some for operators. */
const REPLICA_READS = READS_IN_FLIGHT + FEED_READS_IN_FLIGHT + 1 + 3;
/** The epochs of all lists. */
export const LISTED_EPOCHS: readonly Epoch[] = [
	"catalog_epoch",
	"certificate_epoch",
	"receipt_epoch",
	"shipment_epoch",
	"event_epoch",
	"webhook_endpoint_epoch",
];

/** Everything that the rooms are built on: a plain object, created here and passed down. */
export interface Deps {
	readonly config: Config;
	/** Address of the database. */
	readonly databaseUrl: string;
	/** For work outside the hot path: imports, restocks. */
	readonly db: Database;
	/** For long work that operators started. */
	readonly runDb: Database;
	/** For short reads by index. */
	readonly readDb: Database;
	/** For reads that decide nothing: a replica may answer them. */
	readonly reads: Reads;
	/** For the jobs; must not go through a pooler. */
	readonly jobDb: Database;
	readonly labels: Labels;
	/** For sending events. */
	readonly webhookDb: Database;
	readonly webhooks: Webhooks;
	readonly goLive: GoLiveOutlets;
	/** Only for polling the keys, so that this never waits behind other work. */
	readonly keyDb: Database;
	readonly ring: KeyRing;
	readonly keys: KeyCache;
	readonly catalog: CatalogCache;
	readonly engine: StockEngine;
	readonly reader: StockReader;
	/** For lists, which a replica may answer. */
	readonly listReader: StockReader;
	/** The catalogue as the server of this connection has it: the primary or the replica. */
	readonly catalogOf: (on: Query) => CatalogCache;
	readonly holdReader: HoldReader;
	readonly cursors: Cursors;
	readonly feed: FeedReader;
	/** The PDFs of certificates. */
	readonly files: FileStore;
	readonly log: Log;
	readonly metrics: Metrics;
	readonly readiness: Readiness;
	/** Receivers of the metrics that tasks query. */
	readonly notes: Notes;
	readonly links: Links & CoaLinks;
	/** This node's entry among the nodes that run on the database. */
	readonly node: NodeEntry;
	/** What this node counts for figures over time. */
	readonly tally: Tally;
	/** Null: nothing is traced. */
	readonly traces: Traces | null;
	readonly requestLog: RequestLog;
	/** Public addresses; known once the service listens. */
	readonly addresses: { api: string; coa: string; admin: string };
}

/** The state of a service's life cycle. */
export interface Life {
	/** The stop has been announced: not ready, but still serving. */
	leaving: boolean;
	stopping: boolean;
}

/** Connection pools by purpose, so that one kind of work never waits behind another. The engine has its own. */
function openConnections(
	databaseUrl: string,
	durable: Pick<SessionOptions, "durability">,
	hasReplica: boolean,
	onError: (error: Error) => void,
): Pick<Deps, "keyDb" | "readDb" | "db" | "runDb" | "jobDb" | "webhookDb"> {
	const keyDb = openDatabase(databaseUrl, {
		max: 1,
		name: "holdfast keys",
		answerWithinMs: READ_ANSWER_WITHIN_MS,
		onError,
	});
	const readDb = openDatabase(databaseUrl, {
		// one more each for pages of lists, for orders and for requests without a key, and one for the readiness check
		// and the sweep's query together; with a replica as many more, because the primary also answers its reads of
		// stock
		max: READS_IN_FLIGHT + HOLD_READS_IN_FLIGHT + FEED_READS_IN_FLIGHT + 4 + (hasReplica ? READS_IN_FLIGHT : 0),
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
	const runDb = openDatabase(databaseUrl, {
		max: RUN_CONNECTIONS,
		name: "holdfast runs",
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
	return { keyDb, readDb, db, runDb, jobDb, webhookDb };
}

/** Opens connections and creates the dependencies of the rooms. Nothing is served yet. */
export async function createDeps(
	config: Config,
	{ url: databaseUrl, embedded }: Store,
	log: Log,
	life: Life,
	say: (line: string) => void,
): Promise<Deps> {
	const onError = (error: Error): void => {
		// while we are stopping, the server may close a connection before we do
		if (!life.stopping) log.warn("a database connection was lost", {}, error);
	};
	const durable = durabilityOf(config);
	const connections = openConnections(databaseUrl, durable, config.databaseReadUrl !== null, onError);
	const { keyDb, readDb, db, runDb, jobDb, webhookDb } = connections;
	const ring = await requireKeyRing(config, keyDb, say).catch(async (error: unknown) => {
		life.stopping = true;
		await keyDb.close();
		throw error;
	});
	const catalog = createCatalogCache();
	const addresses = { api: config.url ?? "", coa: coaUrlOf(config), admin: adminUrlOf(config) };
	const links = createLinks(() => addresses.coa, config);
	const metrics = createMetrics();
	const tally = new Tally();
	const { traces, ...traced } = openTraces(config, log, metrics);
	const stock = {
		catalog,
		timeZone: config.timeZone,
		links,
		certificatesRequired: config.coa.required,
		handsOver: handsOver(config),
		...durable,
		...traced,
	};
	const primary = watchPrimary(log, metrics);
	const hooks = { ...engineHooks({ log, metrics, tally, life, primary }, () => readiness), ...traced };
	const engine = openStockEngine(databaseUrl, stock, hooks);
	metrics.gauge("holdfast_engine_waiting_commands", "Commands waiting for a batch.", () => engine.waiting);
	const notes = openFigures(metrics, {
		connections: {
			engine: engine.db,
			reads: readDb,
			keys: keyDb,
			tasks: db,
			runs: runDb,
			jobs: jobDb,
			webhooks: webhookDb,
		},
		dataDir: embedded?.pgData ?? null,
	});
	const readers = openReaders(config, readDb, { log, metrics, stock });
	const keys = createKeyCache(keyDb, { primary, maxHeldUnits: config.maxHeldUnitsPerKey });
	const readiness = createReadiness({
		engineDb: engine.db,
		silentForMs: engine.silentForMs,
		readDb,
		taskDb: db,
		refreshKeys: () => keys.refresh(),
		dataDir: embedded?.pgData ?? null,
	});
	const webhooks = openWebhooks(config, { db: webhookDb, ring, log, metrics, tally, traces });
	return {
		notes,
		config,
		databaseUrl,
		...connections,
		labels: openLabels(config, {
			db: jobDb,
			log,
			orders: ordersSide({ db, engine, catalog }),
			demand: { drawIn: drawInOf({ config, links }) },
		}),
		webhooks,
		goLive: openGoLive(webhooks.urls, ring),
		ring,
		keys,
		catalog,
		engine,
		log,
		metrics,
		readiness,
		links,
		addresses,
		tally,
		traces,
		requestLog: openRequestLog(databaseUrl, { config, log, metrics, tally }),
		node: openNodeEntry(db, commonSettingsOf(config), { alone: embedded !== null }),
		...readers,
		holdReader: createHoldReader(readDb),
		cursors: createCursors(ring.peppers.map(({ key }) => key)),
		feed: createFeedReader(readers.reads),
		files: openFileStore(config.coa.store),
	};
}

/** The readers of stock and of lists; those of lists read on the replica if there is one. */
function openReaders(
	{ databaseReadUrl: url }: Config,
	primary: Database,
	{ log, metrics, stock }: Pick<Deps, "log" | "metrics"> & { readonly stock: Parameters<typeof createStockReader>[1] },
): Pick<Deps, "reader" | "reads" | "listReader" | "catalogOf"> {
	const reader = createStockReader(primary, stock);
	const { catalog } = stock;
	if (url === null) return { reader, reads: readsOfPrimary(primary), listReader: reader, catalogOf: () => catalog };
	const reads = openReads({ primary, url, max: REPLICA_READS, epochs: LISTED_EPOCHS, log });
	addReplicaFigures(metrics, reads);
	// that of the primary serves reserves too
	const replicaCatalog = createCatalogCache();
	return {
		reader,
		reads,
		listReader: createListReader(reads, { ...stock, replicaCatalog }),
		catalogOf: (on) => (isOnReplica(on) ? replicaCatalog : catalog),
	};
}

function openRequestLog(
	url: string,
	{ config, log, metrics, tally }: Pick<Deps, "config" | "log" | "metrics" | "tally">,
): RequestLog {
	const requestLog = recordRequests(url, { kept: config.traffic, log, tally });
	const figures = {
		name: "holdfast_logged_requests",
		help: "Requests for the log of requests, by outcome.",
	};
	metrics.figure({ ...figures, labelNames: ["outcome"] }, () =>
		Object.entries(requestLog.counts()).map(([outcome, value]) => ({ labels: { outcome }, value })),
	);
	return requestLog;
}

const durabilityOf = ({ acceptUnsafeDatabase }: Config): Pick<SessionOptions, "durability"> =>
	acceptUnsafeDatabase ? {} : { durability: "required" };

/** Passes the engine's reports about batches and answers to the log, the metrics and the readiness check. */
const engineHooks = (
	{
		log,
		metrics,
		tally,
		life,
		primary,
	}: Pick<Deps, "log" | "metrics" | "tally"> & { readonly life: Life; readonly primary: Primary },
	readiness: () => Readiness,
): StockEngineOptions => {
	const told = throttled((error, count) => log.warn("batch failed, retrying", { count }, error));
	return {
		lacksPrimary: primary.isMissing,
		onTrouble: (_what, error) => {
			readiness().noteTrouble(error);
			if (!life.stopping) told(error);
		},
		onBatch: (commands, ms) => {
			readiness().noteSuccess();
			primary.noteCommit();
			metrics.work.batch(commands, ms);
		},
		onAnswer: (command, answer) => {
			const outcome = holdOutcome(command, answer);
			if (outcome === null) return;
			metrics.work.hold(outcome);
			tally.add("holds", outcome, keyOf(command, answer));
		},
	};
};

/** The log and the metrics tell whether a primary is missing. */
function watchPrimary(log: Log, metrics: Metrics): Primary {
	const primary = createPrimary({
		onChange: (isMissing) =>
			isMissing
				? log.warn("no database that takes writes was found for some seconds: requests are refused until one is")
				: log.info("the database takes writes again"),
	});
	const help = "1: no server that takes writes is known, and requests are refused at once; 0: there is one.";
	metrics.gauge("holdfast_db_primary_missing", help, () => Number(primary.isMissing()));
	return primary;
}

const openJobDb = (url: string, options: DatabaseOptions): Database =>
	openDatabase(url, {
		max: JOB_CONNECTIONS,
		name: "holdfast jobs",
		answerWithinMs: TASK_ANSWER_WITHIN_MS,
		lockTimeoutMs: TASK_LOCK_WAIT_MS,
		...options,
	});

/** Records that the node has stopped. A node that fails to do so counts as running for another minute. */
async function leave(node: NodeEntry): Promise<void> {
	let forget = (): void => undefined;
	const late = new Promise<void>((resolve) => {
		forget = PROCESS_TIMERS.after(LEAVE_WITHIN_MS, resolve);
	});
	await Promise.race([node.leave().catch(() => undefined), late]);
	forget();
}

/** Closes everything that `createDeps` opened. */
export async function closeDeps({ engine, reader, holdReader, feed, files, labels, ...deps }: Deps): Promise<void> {
	await Promise.all([leave(deps.node), deps.requestLog.stop(), deps.goLive.close()]);
	const { db, runDb, readDb, keyDb, jobDb, webhookDb, listReader, reads } = deps;
	const readers = [reader, listReader, holdReader, feed];
	await Promise.all([engine.close(), ...readers.map((one) => one.drain()), labels.close()]);
	files.close();
	await deps.traces?.stop(); // after the last span
	await Promise.all([
		reads.close(),
		db.close(),
		runDb.close(),
		readDb.close(),
		keyDb.close(),
		jobDb.close(),
		webhookDb.close(),
	]);
}
