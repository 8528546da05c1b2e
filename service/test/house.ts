import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { readEnv, toConfig } from "../src/config.ts";
import type { Deps } from "../src/deps.ts";
import { must } from "../src/ground/lib/assert.ts";
import { createLog } from "../src/ground/lib/log.ts";
import { type Database, openDatabase } from "../src/ground/pg/connect.ts";
import { type KeyRing, newKeyRingEntry, parseKeyRing } from "../src/partners/keys/key-ring.ts";
import type { MintRequest } from "../src/partners/keys/key-rules.ts";
import type { MintedKey } from "../src/partners/keys/mint-key.ts";
import { emptyWorld } from "../src/upkeep/import/entries.ts";
import { checkReply } from "./check-reply.ts";
import { mint } from "./doors.ts";
import { databaseUrl, TEMPLATE_DATABASE } from "./global-setup.ts";
import type { ImportOptions, importWorld } from "./import-world.ts";
import { leaksInFolder } from "./leaks/find-in-files.ts";
import { finderOfKnown, keepSecretsOf, keepSecretsOfSettings, knowsSecrets } from "./leaks/secrets.ts";
import { keepWritten } from "./leaks/written.ts";
import { type Child, LAUNCHER, shellWith, start, until } from "./processes/child.ts";
import { onServer } from "./server-connection.ts";
import { sizeOr } from "./sizes.ts";

/**
 * The share of databases that are searched for secrets before they are dropped: different ones in each normal run, all
 * of them in a full run.
 */
const SEARCHED_SHARE = sizeOr(1, 0.1);

/**
 * Connections of a test's own pool, because some tests do a dozen things at once, and milliseconds to wait for one, on
 * a machine that is busy with other tests.
 */
const MOST_CONNECTIONS = 16;
const CONNECT_WITHIN_MS = 30_000;

export interface TestDatabase {
	readonly name: string;
	readonly url: string;
	readonly db: Database;
	/** Ends `db`: others may be copies of a database that nobody is connected to. */
	leave(): Promise<void>;
	/** Drops the database. */
	close(): Promise<void>;
}

let databases = 0;

/**
 * A new database of the run's one PostgreSQL, in some 20 ms where there is room for it in memory: a copy of one that
 * nobody is connected to, unless told otherwise of the one that is migrated and empty.
 */
export async function openTestDatabase(original = TEMPLATE_DATABASE): Promise<TestDatabase> {
	const name = `test_${process.pid}_${++databases}`;
	await onServer(`create database ${name} template ${original} strategy file_copy`);
	const url = databaseUrl(inject("testServerUrl"), name);
	const db = openDatabase(url, { name: "test", max: MOST_CONNECTIONS, connectWithinMs: CONNECT_WITHIN_MS });
	let left: Promise<void> | undefined;
	const leave = (): Promise<void> => (left ??= db.close());
	return {
		name,
		url,
		db,
		leave,
		close: async () => {
			await leave();
			const isSearched = knowsSecrets() && Math.random() < SEARCHED_SHARE;
			const leaks = isSearched ? leaksInFolder(finderOfKnown(), await folderOf(name)) : [];
			await onServer(`drop database ${name} with (force)`);
			if (leaks.length > 0) throw new Error(leaks.join("\n"));
		},
	};
}

/** The folder of a database's files, after everything was written to them. */
async function folderOf(name: string): Promise<string> {
	await onServer("checkpoint");
	const [row] = await onServer(
		`select current_setting('data_directory') || '/base/' || oid as folder from pg_database where datname = '${name}'`,
	);
	return must(row, name).folder as string;
}

/** One running service. */
export interface Node {
	readonly api: string;
	readonly coa: string;
	readonly metrics: string;
	/** The Unix socket of the operator's API. */
	readonly socket: string;
	/** Its parts, if it runs in this process. */
	readonly deps: Deps | null;
	/** Its process, if it has one of its own. */
	readonly child: Child | null;
	/** As SIGTERM does. */
	stop(): Promise<void>;
}

export interface HouseOptions {
	/** Number of services on the database. */
	readonly nodes?: number;
	/** HOLDFAST_* variables in addition to those that the house sets. */
	readonly env?: Record<string, string>;
	/** Whether to start real processes, as an operator does, instead of services in this process. */
	readonly processes?: boolean;
	/** A migrated database of its own, which the house closes; one of the run's server by default. */
	readonly database?: TestDatabase;
}

export interface CallOptions {
	readonly body?: unknown;
	readonly headers?: Record<string, string>;
	/** The node to call; the first by default. */
	readonly node?: number;
}

export interface Answer {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** The parsed text, without a type, because tests read replies of every shape. */
	// oxlint-disable-next-line typescript/no-explicit-any -- every shape there is
	readonly json: any;
}

/** A whole world in one call: a database, services on it, and the actions of an operator and a partner. */
export interface House {
	readonly url: string;
	readonly db: Database;
	readonly ring: KeyRing;
	readonly nodes: readonly Node[];
	/** Addresses of the first node, and its parts, if it runs in this process. */
	readonly api: string;
	readonly coa: string;
	readonly metrics: string;
	/** The Unix socket of its operator's API: a house may be given to `operate`. */
	readonly socket: string;
	readonly deps: Deps;
	/**
	 * A live, unbound key with shared access and a rate limit that no test reaches, unless the request says otherwise.
	 */
	mint(request?: Partial<MintRequest>): Promise<MintedKey>;
	/** The document of `holdfast import`: see settlements, section 11. */
	importWorld(world: object, options?: ImportOptions): ReturnType<typeof importWorld>;
	/** Single SKUs, one formula each (`F-<sku>`), with this number of units in the shared pool, batch `B1`. */
	stock(units: Record<string, number>): ReturnType<typeof importWorld>;
	/** One request with `token`, whose reply must match the OpenAPI document; the method is POST if there is a body. */
	call(token: string | null, path: string, options?: CallOptions & { method?: string }): Promise<Answer>;
	close(): Promise<void>;
}

export async function openHouse(options: HouseOptions = {}): Promise<House> {
	const database = options.database ?? (await openTestDatabase());
	const entry = newKeyRingEntry();
	const env = {
		HOLDFAST_DATABASE_URL: database.url,
		HOLDFAST_SECRET_KEYS: entry,
		HOLDFAST_ACCEPT_UNSAFE_DATABASE: "true", // the server of the test run is fast, not durable
		HOLDFAST_PORT: "0",
		HOLDFAST_COA_PORT: "0",
		HOLDFAST_METRICS_PORT: "0",
		...options.env,
	};
	keepSecretsOfSettings(env);
	const open = options.processes ? startProcess : startHere;
	const one = (): Promise<Node> =>
		open({ ...env, HOLDFAST_ADMIN_SOCKET: options.env?.HOLDFAST_ADMIN_SOCKET ?? socketPath() });
	const nodes = await Promise.all(Array.from({ length: options.nodes ?? 1 }, one));
	const [first] = nodes;
	if (!first) throw new Error("a house has at least one node");
	const ring = parseKeyRing(entry);
	const bring = (world: object, options?: ImportOptions) => bringWorld(database.db, ring, world, options);
	return {
		url: database.url,
		db: database.db,
		ring,
		nodes,
		api: first.api,
		coa: first.coa,
		metrics: first.metrics,
		socket: first.socket,
		get deps() {
			return must(first.deps, "a service of this process");
		},
		mint: (request) => mint(database.db, ring, request),
		importWorld: bring,
		stock: (units) => bring(shelf(units)),
		call: (token, path, init = {}) => call((nodes[init.node ?? 0] ?? first).api + path, token, init),
		close: async () => {
			await Promise.all(nodes.map(keepMetrics));
			await Promise.all(nodes.map((node) => node.stop()));
			await database.close();
		},
	};
}

let sockets = 0;
/** The path of the operator's socket of one more node. It must be short: at most 107 bytes. */
const socketPath = (): string => join(tmpdir(), `holdfast-${process.pid}-${++sockets}.sock`);

async function startHere(env: Record<string, string>): Promise<Node> {
	const { createService } = await import("../src/service.ts"); // most tests need only a database
	const lines: string[] = [];
	keepWritten("the log of a service", () => lines.join(""));
	const log = createLog("debug", { write: (line) => void lines.push(line) });
	const service = await createService(toConfig(readEnv(env)), { log });
	const { api, coa, metrics } = await service.start();
	const socket = service.deps.config.adminSocket;
	return { api, coa, metrics: metrics ?? "", socket, deps: service.deps, child: null, stop: () => service.dispose() };
}

/** A node's metrics, as shown before it stops; empty if it was killed before. */
async function keepMetrics({ metrics }: Node): Promise<void> {
	if (metrics === "") return;
	const text = await fetch(`${metrics}/metrics`).then(
		(reply) => reply.text(),
		() => "",
	);
	keepWritten("the metrics of a service", () => text);
}

/** Starts `holdfast start`, of this or of another build, in a process of its own and waits until it serves. */
export async function startProcess(env: Record<string, string>, launcher = LAUNCHER): Promise<Node> {
	const child = start(process.execPath, [launcher, "start"], { env: shellWith(env) });
	const [, api = "", coa = "", metrics = ""] = await until("the service to serve", () => {
		if (child.process.exitCode !== null) throw new Error(`the service ended: ${child.errors.join("\n")}`);
		const line = child.errors.find((text) => text.startsWith("Holdfast serves "));
		return line && /API at (\S+), the COA feed at ([^\s,]+?)(?:, metrics at (\S+))?\.$/.exec(line);
	});
	const stop = async (): Promise<void> => {
		await child.stop();
	};
	return { api, coa, metrics, socket: env.HOLDFAST_ADMIN_SOCKET ?? "", deps: null, child, stop };
}

async function bringWorld(
	db: Database,
	ring: KeyRing,
	file: object,
	options: ImportOptions = {},
): ReturnType<typeof importWorld> {
	const [{ executeIn }, { openSandbox }, { importWorld }, { takeJson }] = await Promise.all([
		import("./execute-in.ts"),
		import("./open-sandbox.ts"),
		import("./import-world.ts"),
		import("../src/upkeep/import/read-world.ts"),
	]);
	const world = emptyWorld();
	const problems = takeJson(world, "world.json", JSON.stringify(file));
	if (problems.length > 0) throw new Error(problems.map(({ at, message }) => `${at}: ${message}`).join("\n"));
	const settings = { executeIn, openSandbox, ring, actor: "operator:test", newBatches: true };
	const report = await importWorld(db, settings, world, options);
	keepSecretsOf(JSON.stringify(report));
	return report;
}

function shelf(units: Record<string, number>): object {
	const skus = Object.keys(units);
	return {
		formulas: skus.map((sku) => ({ code: `F-${sku}`, name: sku, status: "active" })),
		skus: skus.map((sku) => ({ sku, name: sku, kind: "single", components: [{ formula: `F-${sku}`, per_kit: 1 }] })),
		lots: skus.map((sku) => ({ formula: `F-${sku}`, brand_code: null, batch_number: "B1", units: units[sku] })),
	};
}

async function call(
	url: string,
	token: string | null,
	{ method, body, headers }: CallOptions & { method?: string },
): Promise<Answer> {
	const response = await fetch(url, {
		method: method ?? (body === undefined ? "GET" : "POST"),
		headers: {
			...(token === null ? {} : { authorization: `Bearer ${token}` }),
			...(body === undefined ? {} : { "content-type": "application/json" }),
			...headers,
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	const answer = {
		status: response.status,
		headers: response.headers,
		text,
		json: text === "" ? null : JSON.parse(text),
	};
	const { pathname } = new URL(url);
	if (pathname.startsWith("/api/")) {
		checkReply({
			...answer,
			method: method ?? (body === undefined ? "GET" : "POST"),
			path: pathname,
			body: answer.json,
		});
	}
	return answer;
}
