import type { AddressInfo } from "node:net";
import { commonSettingsOf } from "./assembly/common-settings.ts";
import { sandboxOf } from "./assembly/execute-in.ts";
import type { Notes } from "./assembly/figures.ts";
import { operatorDepsOf } from "./assembly/operator-deps.ts";
import { createOperatorServers, listenForOperators } from "./assembly/operator-servers.ts";
import { openSurfaces } from "./assembly/surfaces.ts";
import type { Config } from "./config.ts";
import { closeDeps, createDeps, type Deps, LISTED_EPOCHS, type Life } from "./deps.ts";
import { openStore, type Store } from "./ground/embedded/store.ts";
import { JOB_TASKS } from "./ground/jobs/tasks.ts";
import { type JobWorker, startWorker } from "./ground/jobs/worker.ts";
import { settingDifferences } from "./ground/lib/common-settings.ts";
import { mostDescriptors } from "./ground/lib/descriptors.ts";
import { createLog, type Log } from "./ground/lib/log.ts";
import { OperatorError } from "./ground/lib/operator-error.ts";
import { runTasks, type TasksRunning } from "./ground/lib/run-tasks.ts";
import type { Task } from "./ground/lib/task.ts";
import { throttled } from "./ground/lib/throttled.ts";
import { createTurns } from "./ground/lib/turns.ts";
import { createRaiseTimes } from "./ground/pg/epoch.ts";
import { isConnectionLoss } from "./ground/pg/faults.ts";
import { patiently, START_PATIENCE_MS } from "./ground/pg/patience.ts";
import { PG_TASKS } from "./ground/pg/tasks.ts";
import { transaction } from "./ground/pg/transaction.ts";
import { CoaFeed } from "./inventory/certificates/contract.ts";
import { COA_TASKS } from "./inventory/certificates/tasks.ts";
import { createSweep, type Sweep } from "./inventory/holds/sweep.ts";
import { HOLD_TASKS } from "./inventory/holds/tasks.ts";
import type { LabelDeps } from "./inventory/shipping/push-order.ts";
import { LABEL_TASKS } from "./inventory/shipping/tasks.ts";
import { STOCK_TASKS } from "./inventory/stock/tasks.ts";
import { ADMIN_TASKS } from "./partners/admin/tasks.ts";
import { createAddresses } from "./partners/http/address.ts";
import { BodyBudget, FORM_LIMITS } from "./partners/http/body-budget.ts";
import { connectionLimits, createConnections } from "./partners/http/connections.ts";
import { addHealth } from "./partners/http/health.ts";
import { createHelpLinks, type HelpLinks } from "./partners/http/help-links.ts";
import { createKeylessTurns } from "./partners/http/keyless-turns.ts";
import { createMetricsServer, type Metrics } from "./partners/http/metrics.ts";
import { createRateLimit, type RateLimit } from "./partners/http/rate-limit.ts";
import { isEverywhere, reachedAt } from "./partners/http/reached-at.ts";
import { createHttpServer, type ServerOptions } from "./partners/http/server.ts";
import { createAuthenticate } from "./partners/keys/authenticate.ts";
import { createSharedBudget, type SharedBudget } from "./partners/keys/shared-budget.ts";
import { KEY_TASKS } from "./partners/keys/tasks.ts";
import { OPERATOR_TASKS } from "./partners/operators/tasks.ts";
import { configuredAdminUrl, isReadable, READABLE, READABLE_ADVICE } from "./partners/people/admin-url.ts";
import { inviteFirst, linkOf } from "./partners/people/invite.ts";
import { LINK_MINUTES } from "./partners/people/limits.ts";
import { PEOPLE_TASKS } from "./partners/people/tasks.ts";
import type { Runs } from "./partners/runs/carry-out-runs.ts";
import { RUN_TASKS } from "./partners/runs/tasks.ts";
import { WEBHOOK_JOBS } from "./partners/webhooks/jobs.ts";
import type { MailDeps } from "./partners/webhooks/mail-notice.ts";
import { WEBHOOK_TASKS } from "./partners/webhooks/tasks.ts";
import { CONSOLE_TASKS } from "./upkeep/console/tasks.ts";
import { CUSTOMER_TASKS } from "./upkeep/customers/tasks.ts";
import { GOLIVE_TASKS } from "./upkeep/golive/tasks.ts";
import { LEDGER_TASKS } from "./upkeep/ledger/tasks.ts";
import { firstStart, hintWithoutKeys } from "./upkeep/sandbox/first-start.ts";
import { putSamplesIn } from "./upkeep/sandbox/put-samples.ts";
import { restockDueSandboxes } from "./upkeep/sandbox/restock-due-sandboxes.ts";
import type { SandboxSettings } from "./upkeep/sandbox/restock-sandbox.ts";
import { SANDBOX_TASKS } from "./upkeep/sandbox/tasks.ts";
import { SERIES_TASKS } from "./upkeep/series/tasks.ts";
import { TRAFFIC_TASKS } from "./upkeep/traffic/tasks.ts";

/** Milliseconds in which requests under way may finish when the service stops; the remaining shutdown is short. */
const DRAIN_MS = 8_000;
/** The addresses at which the service can be called. */
export interface ListenAddresses {
	readonly api: string;
	readonly coa: string;
	/** Null: HOLDFAST_METRICS_PORT is not set. */
	readonly metrics: string | null;
}

export interface Service {
	readonly deps: Deps;
	/** Starts serving. Throws OperatorError when an address is in use. */
	start(): Promise<ListenAddresses>;
	/**
	 * Called once after start: stocks the sandbox of a new data folder. Returns the lines to print on a first start, or
	 * null.
	 */
	welcome(): Promise<readonly string[] | null>;
	/** Makes `/readyz` answer 503, so that a load balancer sends no more requests; those that still come are served. */
	announceStop(): void;
	/** Finishes the requests under way, then closes everything; the embedded PostgreSQL stops with its last user. */
	dispose(): Promise<void>;
}

export interface ServiceOptions {
	/** Prints one line for the person at the terminal. */
	readonly say?: (line: string) => void;
	/** A store that is already being opened. */
	readonly store?: Promise<Store>;
	readonly log?: Log;
}

/** Builds the service on its database. Nothing is served before `start`. */
export async function createService(config: Config, options: ServiceOptions = {}): Promise<Service> {
	const say = options.say ?? (() => undefined);
	const store = await (options.store ?? openStore(config, { role: "service", say }));
	try {
		const life: Life = { leaving: false, stopping: false };
		const log = options.log ?? createLog(config.logLevel);
		return assemble(store, await createDeps(config, store, log, life, say), life);
	} catch (error) {
		await store.close(); // closing twice is harmless
		throw error;
	}
}

function assemble(store: Store, deps: Deps, life: Life): Service {
	const { config, log, metrics } = deps;
	const readiness = async (): Promise<string | null> =>
		life.leaving || life.stopping ? "it is stopping" : await deps.readiness.obstacle();
	const rateLimit = createRateLimit({ drained: true });
	const help = createHelpLinks(config.url);
	const options = serverOptionsOf(deps, rateLimit, help);
	const budget = createSharedBudget(deps.db, rateLimit);
	const api = createHttpServer(options);
	const coa = createHttpServer(options);
	const operators = createOperatorServers(config, options, api);
	for (const server of [api, coa]) addHealth(server, readiness);
	const turns = { pages: createTurns(), pushes: createTurns(), keylessReads: createTurns() };
	const authenticate = createAuthenticate(deps.keys, deps.ring);
	const sandbox = sandboxOf(deps);
	const coaLinks = { ...deps.links, feedUrl: (query: string) => `${deps.addresses.coa}${CoaFeed.path}?${query}` };
	const asked = { authenticate, rateLimit, sandbox, coaLinks, labels: deps.labels.gate };
	const ofOperators = operatorDepsOf({ ...deps, adminUrl: () => deps.addresses.admin });
	openSurfaces({ api, coa, ...operators }, { ...deps, ...turns, ...asked, ...ofOperators });
	deps.labels.mount(api);
	const metricsServer = createMetricsServer(metrics, help);
	let tasks: TasksRunning | null = null;
	let worker: JobWorker | null = null;
	return {
		deps,
		async start() {
			await patiently(() => readAndEnter(deps, budget), START_PATIENCE_MS);
			const { host, port, coaPort, metricsPort } = config;
			const boundApi = await listen("HOLDFAST_PORT", host, port, api.listen);
			deps.addresses.api = config.url ?? boundApi;
			help.standAt(deps.addresses.api); // before any other server answers
			const bound = {
				api: boundApi,
				coa: await listen("HOLDFAST_COA_PORT", host, coaPort, coa.listen),
				metrics:
					metricsPort === null
						? null
						: await listen("HOLDFAST_METRICS_PORT", host, metricsPort, listenWith(metricsServer)),
			};
			const boundAdmin = await listenForOperators(operators, config, listen, log);
			deps.addresses.admin = configuredAdminUrl(config) ?? boundAdmin ?? bound.api;
			if (isReadable(config)) log.warn(`${READABLE}: ${READABLE_ADVICE}`, { address: deps.addresses.admin });
			deps.addresses.coa = config.coaUrl ?? bound.coa;
			warnOfUnknown(deps);
			log.info("serving", { address: bound.api });
			tasks = startTasks(deps, budget, ofOperators.runs);
			worker = startJobs(deps);
			return bound;
		},
		async welcome() {
			// no keys are created in a database that the operator provides
			if (store.embedded === null) return await hintWithoutKeys(deps.db);
			const first = await firstStart(deps.db, sandboxOf(deps), deps.ring, reachedAt(deps.addresses.api, null));
			if (first === null) return null;
			await transaction(deps.db, (tx) => putSamplesIn(tx, deps.files, deps.links));
			const secret = config.admin ? await transaction(deps.db, inviteFirst) : null;
			return secret === null
				? first.lines
				: [...first.lines, ...setUpLines(linkOf(reachedAt(deps.addresses.admin, null), secret))];
		},
		announceStop() {
			life.leaving = true;
		},
		async dispose() {
			if (life.stopping) return;
			life.stopping = true;
			ofOperators.live.close();
			const closing = [api, coa, operators.socket, operators.own].map((server) => server?.close(DRAIN_MS));
			await Promise.all([...closing, worker?.stop(), ofOperators.runs.stop(), deps.webhooks.stop()]);
			await tasks?.stop();
			await closeDeps(deps);
			await closeAtOnce(metricsServer);
			await store.close();
			log.flush();
		},
	};
}

/** Without waiting for connections that never send anything. */
async function closeAtOnce(server: ReturnType<typeof createMetricsServer>): Promise<void> {
	const closed = new Promise((resolve) => server.close(resolve));
	server.closeAllConnections();
	await closed;
}

/** The service cannot know under which of a machine's addresses others reach it. */
function warnOfUnknown({ addresses, log }: Deps): void {
	const names = { HOLDFAST_URL: addresses.api, HOLDFAST_COA_URL: addresses.coa };
	for (const [variable, address] of Object.entries(names)) {
		if (!isEverywhere(address)) continue;
		log.warn(`${variable} is not set: links and replies name an address that nobody can call from elsewhere`, {
			address,
		});
	}
}

/** What the first start says about the console. */
const setUpLines = (link: string): readonly string[] => [
	"",
	`Open the console, and choose a name and a password. This link works once, within ${LINK_MINUTES} minutes:`,
	"",
	`  ${link}`,
];

/** Reads from and writes to the database before anything is served. Can be repeated. */
async function readAndEnter(deps: Deps, budget: SharedBudget): Promise<void> {
	// the catalogue too, so that the first request does not wait for it
	await stockNewSandboxes(deps);
	await Promise.all([deps.keys.refresh(), budget.join(), deps.catalog.read(deps.readDb), deps.labels.begin()]);
	await enterNode(deps);
}

/**
 * Sandboxes that a migration made are empty. One that cannot be stocked does not prevent the start: its task tries
 * again.
 */
async function stockNewSandboxes(deps: Deps): Promise<void> {
	try {
		await restockDueSandboxes(deps.db, sandboxOf(deps), { onlyNew: true });
	} catch (error) {
		if (isConnectionLoss(error)) throw error;
		deps.log.error("a new sandbox could not be stocked", {}, error);
	}
}

/** Commands compare their settings with those of the node that started last. */
async function enterNode({ node, config, log }: Deps): Promise<void> {
	const others = await node.enter();
	if (others === null) return;
	for (const { variable, theirs, ours } of settingDifferences(others, commonSettingsOf(config))) {
		log.warn(
			`another node on this database runs with ${variable} ${theirs}, and this one with ${ours}: it must be the same on all nodes`,
		);
	}
}

/** Both servers share the same rate limits. */
function serverOptionsOf(
	{ config, log, metrics, requestLog, traces, addresses: urls }: Deps,
	rateLimit: RateLimit,
	help: HelpLinks,
): ServerOptions {
	const addresses = createAddresses(config.trustedProxies);
	const tell = throttled((address, count) => {
		log.warn("too many connections: some were closed", { address: String(address), count });
	});
	const connections = createConnections(addresses, { limits: connectionLimits(mostDescriptors()), onHungUp: tell });
	metrics.gauge("holdfast_http_connections", "Open connections.", () => connections.open);
	const bodies = new BodyBudget();
	const forms = new BodyBudget(FORM_LIMITS);
	const inFlight = () => bodies.inFlight + forms.inFlight;
	metrics.gauge("holdfast_http_body_bytes", "Bytes of large request bodies in flight.", inFlight);
	const shared = { addresses, connections, bodies, forms, keyless: createKeylessTurns() };
	const record = requestLog.record ?? undefined;
	const coaUrl = (): string => urls.coa;
	return { rateLimit, failures: createRateLimit(), ...shared, help, log, metrics, record, traces, coaUrl };
}

interface TaskDeps extends Deps, Notes {
	readonly budget: SharedBudget;
	readonly runs: Runs;
	readonly sweep: Sweep;
	readonly sandbox: SandboxSettings;
	readonly noteJobs: Metrics["jobs"]["note"];
	readonly raiseTimes: ReturnType<typeof createRaiseTimes>;
}

const TASKS: readonly Task<TaskDeps>[] = [
	...KEY_TASKS,
	...ADMIN_TASKS,
	...OPERATOR_TASKS,
	...PEOPLE_TASKS,
	...RUN_TASKS,
	...STOCK_TASKS,
	...HOLD_TASKS,
	...SANDBOX_TASKS,
	...PG_TASKS,
	...JOB_TASKS,
	...LABEL_TASKS,
	...COA_TASKS,
	...WEBHOOK_TASKS,
	...LEDGER_TASKS,
	...SERIES_TASKS,
	...TRAFFIC_TASKS,
	...CUSTOMER_TASKS,
	...GOLIVE_TASKS,
	...CONSOLE_TASKS,
];

function startTasks(deps: Deps, budget: SharedBudget, runs: Runs): TasksRunning {
	const { db, readDb, engine, log, metrics } = deps;
	const sweep = createSweep({ reads: readDb, db }, engine);
	const noteJobs = metrics.jobs.note;
	const raiseTimes = createRaiseTimes(LISTED_EPOCHS);
	return runTasks(
		TASKS,
		{ ...deps, ...deps.notes, budget, runs, sweep, noteJobs, raiseTimes, sandbox: sandboxOf(deps) },
		{ log, counterOf: metrics.task },
	);
}

/** Runs the jobs of all rooms in use: there are none if neither a label platform nor a mail server is configured. */
const startJobs = ({ jobDb: db, labels, webhooks: { mail }, log, metrics }: Deps): JobWorker =>
	startWorker<LabelDeps & MailDeps>({
		db,
		jobs: [...labels.jobs, ...(mail === null ? [] : WEBHOOK_JOBS)],
		deps: { ...labels.deps, mail },
		log,
		counterOf: metrics.jobs.counterOf,
	});

type Listen = (port: number, host: string) => Promise<number>;

async function listen(variable: string, host: string, port: number, open: Listen): Promise<string> {
	try {
		const bound = await open(port, host);
		return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
	} catch (error) {
		const { code, message } = error as { code?: string; message: string };
		const why = code === "EADDRINUSE" ? "another program is using this port" : message;
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
