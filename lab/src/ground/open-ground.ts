import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { holdfast, printedBy } from "../holdfast.ts";
import { serverAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { openDisk } from "./disk.ts";
import { ForeignWriter } from "./foreign-writer.ts";
import { atLast } from "./last-resort.ts";
import { withSession } from "./one-session.ts";
import { freePort } from "./ports.ts";
import { newPassword, PostgresServer, type ServerPlan } from "./postgres-server.ts";
import { type Proxies, type ProxyControl, startProxies } from "./proxy/proxies.ts";
import { openServerClock } from "./server-clock.ts";
import { ServiceNode } from "./service-node.ts";
import type { Ground, GroundOptions } from "./types.ts";
import { type Berth, Works } from "./works.ts";

const SERVICE_DATABASE = "holdfast";
const FOREIGN_DATABASE = "stranger";
const DEFAULT_NODES = 2;
/** The address of the lab's webhook receivers: not public, so it must be allowed explicitly. */
const RECEIVERS = "127.0.0.1";
/** Milliseconds for the first start: migrations and two nodes, on a busy machine. */
const FIRST_START_MS = 120_000;
/** Connections of the lab's own pool. */
const ADMIN_CONNECTIONS = 4;
const CONNECT_MS = 5_000;

/** Opens the ground of a run. When it resolves, servers and nodes are ready, with the schema and without stock. */
export async function openGround(options: GroundOptions): Promise<Ground> {
	const undo: (() => Promise<void> | void)[] = [];
	const stop = async (): Promise<void> => {
		for (const step of undo.splice(0).reverse()) await step();
	};
	try {
		return await build(options, undo, stop);
	} catch (error) {
		await stop();
		throw error;
	}
}

type Undo = (() => Promise<void> | void)[];

async function build(options: GroundOptions, undo: Undo, stop: () => Promise<void>): Promise<Ground> {
	await mkdir(options.folder, { recursive: true });
	const home = openHome(undo);
	const berths = await openBerths(options, home, undo);
	const server = berths.primary.server;
	undo.push(() => server.stop());
	await server.create();
	await server.start();
	for (const database of [SERVICE_DATABASE, FOREIGN_DATABASE]) {
		await withSession(server.url(), (session) => session.query(`create database ${database}`));
	}
	const proxies = startProxies();
	undo.push(() => proxies.stop());
	const environment = {
		...baseEnvironment(),
		HOLDFAST_COA_STORE: join(home, "coa"),
		HOLDFAST_COA_URL: "https://coa.example.com", // each node listens on a port of its own
		HOLDFAST_WEBHOOK_ALLOW: `${RECEIVERS}/32`,
	};
	const launcher = join(options.serviceFolder, "../cli/bin/holdfast.js");
	const names = Array.from({ length: options.nodes ?? DEFAULT_NODES }, (_, at) => `n${at + 1}`);
	const nodes: ServiceNode[] = [];
	for (const name of names) nodes.push(await planNode(name, { options, proxies, server, environment, launcher, home }));
	const works = new Works({
		...berths,
		nodes,
		clock: berths.clock,
		serviceDatabase: SERVICE_DATABASE,
		say: options.say,
	});
	undo.push(() => works.server.stop());
	const foreign = new ForeignWriter(() => works.server.url(FOREIGN_DATABASE));
	undo.push(() => foreign.stop());
	undo.push(async () => {
		await Promise.all(nodes.map((node) => node.stop()));
	});
	for (const node of nodes) node.start();
	await works.whole(FIRST_START_MS);
	const admin = createAdmin(works);
	undo.push(() => admin.close());
	const token = await mintOperatorToken(launcher, nodes);
	return {
		nodes,
		works,
		launcher,
		receivers: RECEIVERS,
		admin: admin.pool,
		operatorEnv: operatorsOf(nodes, token),
		openDatabase: async (name) => {
			await withSession(works.server.url(), (session) => session.query(`create database ${name}`));
			const { server: now } = works;
			return {
				...environment,
				HOLDFAST_DATABASE_URL: now.url(name),
				HOLDFAST_COA_STORE: join(home, `coa-${name}`),
				HOLDFAST_ADMIN_SOCKET: join(home, `${name}.sock`), // no service runs on it
			};
		},
		dropDatabase: async (name) => {
			await withSession(works.server.url(), (session) => session.query(`drop database ${name} with (force)`));
		},
		foreignWrites: () => foreign.written,
		whole: (withinMs) => works.whole(withinMs),
		stop,
	};
}

/** A folder that PostgreSQL's account can reach. */
function openHome(undo: Undo): string {
	const home = mkdtempSync(join(tmpdir(), "holdfast-lab-"));
	chmodSync(home, 0o755);
	const forget = atLast(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
	undo.push(async () => {
		await rm(home, { recursive: true, force: true, maxRetries: 5 });
		forget();
	});
	return home;
}

async function openBerths(options: GroundOptions, home: string, undo: Undo) {
	const account = serverAccount();
	const binaries = options.postgres?.binaries ?? (await findBinaries(account, home));
	await chmod(home, 0o755);
	const clock = options.clock === true ? openServerClock(join(home, "clock")) : null;
	const password = newPassword();
	const openBerth = async (name: string): Promise<Berth> => {
		const folder = join(home, name);
		const disk = options.disk === true ? await openDisk(folder) : "this ground has no disk of its own";
		if (typeof disk !== "string") undo.push(() => disk.remove());
		const log = join(options.folder, `postgres-${name}.log`);
		const settings = options.postgres?.settings ?? "";
		const port = await freePort();
		const plan: ServerPlan = { name, folder, port, password, binaries, account, log, clock, settings };
		return { server: new PostgresServer(plan), disk };
	};
	const primary = await openBerth("a");
	const spare = options.standby ? await openBerth("b") : null;
	if (spare !== null) undo.push(() => spare.server.stop());
	return { primary, spare, clock };
}

/** The variables of this process without any settings of a service; every node and command gets the same key ring. */
function baseEnvironment(): NodeJS.ProcessEnv {
	const ours = Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"));
	return { ...Object.fromEntries(ours), HOLDFAST_SECRET_KEYS: `lab:${randomBytes(32).toString("base64")}` };
}

const throughProxy = (server: PostgresServer, proxy: ProxyControl): string => {
	const url = new URL(server.url(SERVICE_DATABASE));
	url.port = String(proxy.port);
	return url.href;
};

interface Surroundings {
	readonly options: GroundOptions;
	readonly proxies: Proxies;
	readonly server: PostgresServer;
	readonly environment: NodeJS.ProcessEnv;
	readonly launcher: string;
	readonly home: string;
}

/** A token that may do everything, made on the socket of a node. */
async function mintOperatorToken(launcher: string, [node]: readonly ServiceNode[]): Promise<string> {
	const args = ["operators", "token", "lab", "--role", "admin", "--json"];
	const ran = await holdfast(launcher, node?.plan.env ?? {}, args);
	const { token } = (printedBy(ran) ?? {}) as { token?: string };
	if (token === undefined) throw new Error(`no token for operators was made: ${ran.stderr}`);
	return token;
}

/** Environments of operators' commands, for each node in turn; see `Ground`. */
function operatorsOf(nodes: readonly ServiceNode[], token: string): () => NodeJS.ProcessEnv {
	const ours = Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_"));
	let commands = 0;
	return () => {
		const node = nodes[commands++ % nodes.length];
		return { ...Object.fromEntries(ours), HOLDFAST_URL: node?.api, HOLDFAST_OPERATOR_TOKEN: token };
	};
}

async function planNode(
	name: string,
	{ options, proxies, server, environment, launcher, home }: Surroundings,
): Promise<ServiceNode> {
	const port = await freePort();
	const coaPort = await freePort();
	const database = await proxies.open(server.plan.port);
	const clients = await proxies.open(port);
	const env = {
		...environment,
		...options.settings,
		HOLDFAST_DATABASE_URL: throughProxy(server, database),
		HOLDFAST_PORT: String(port),
		HOLDFAST_COA_PORT: String(coaPort),
		HOLDFAST_ADMIN_SOCKET: join(home, `${name}.sock`),
	};
	const log = join(options.folder, `node-${name}.log`);
	return new ServiceNode({ name, launcher, env, port, coaPort, log, database, clients });
}

/** A pool on the server that currently accepts writes; after a promotion the next query opens another. */
function createAdmin(works: Works): { pool: () => pg.Pool; close: () => Promise<void> } {
	const pools = new Map<string, pg.Pool>();
	return {
		pool: () => {
			const { url } = works;
			const known = pools.get(url);
			if (known !== undefined) return known;
			const pool = new pg.Pool({
				connectionString: url,
				max: ADMIN_CONNECTIONS,
				connectionTimeoutMillis: CONNECT_MS,
				application_name: "lab",
				options: "-c default_transaction_read_only=off",
			});
			pool.on("error", () => undefined); // an idle connection ended with its server; the next query opens another
			pool.on("connect", (client) => client.on("error", () => undefined));
			pools.set(url, pool);
			return pool;
		},
		close: async () => {
			await Promise.all([...pools.values()].map((pool) => pool.end().catch(() => undefined)));
		},
	};
}
