/** The cluster as partners, operators and the checker use it. */
import pg from "pg";
import { ForeignWriter } from "../ground/foreign-writer.ts";
import { withSession } from "../ground/one-session.ts";
import type { Site } from "../ground/types.ts";
import { holdfast, printedBy } from "../holdfast.ts";
import { type Cluster, FOREIGN_DATABASE, SERVICE_DATABASE } from "./cluster.ts";
import { LAB_ADDRESS } from "./network.ts";

const ADMIN_CONNECTIONS = 4;
const CONNECT_MS = 5_000;
/** Milliseconds for a statement of the lab: a primary that hangs must not stop the lab. */
const STATEMENT_MS = 60_000;

export interface ClusterSite extends Site {
	readonly cluster: Cluster;
}

/** Opens the site of a cluster that has started. */
export async function openSite(cluster: Cluster, launcher: string): Promise<ClusterSite> {
	const ours = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_")));
	const foreign = new ForeignWriter(() => cluster.url(FOREIGN_DATABASE));
	const pool = new pg.Pool({
		connectionString: cluster.url(SERVICE_DATABASE),
		max: ADMIN_CONNECTIONS,
		connectionTimeoutMillis: CONNECT_MS,
		query_timeout: STATEMENT_MS,
		application_name: "lab",
	});
	pool.on("error", () => undefined); // an idle connection ended with its server; the next query opens another
	pool.on("connect", (client) => client.on("error", () => undefined));
	const token = await mintOperatorToken(cluster, launcher, ours);
	let commands = 0;
	return {
		cluster,
		nodes: cluster.services,
		admin: () => pool,
		operatorEnv: () => {
			const node = cluster.services[commands++ % cluster.services.length];
			return { ...ours, HOLDFAST_URL: node?.api, HOLDFAST_OPERATOR_TOKEN: token };
		},
		openDatabase: async (name) => {
			const url = cluster.serviceUrl(name);
			const owner = new URL(url).username;
			await withSession(cluster.url("postgres"), (session) => session.query(`create database ${name} owner ${owner}`));
			return {
				...ours,
				...cluster.services[0]?.env,
				HOLDFAST_DATABASE_URL: url,
				HOLDFAST_COA_STORE: `/srv/holdfast/coa-${name}`,
				HOLDFAST_ADMIN_SOCKET: `/srv/${name}.sock`, // no service runs on it
			};
		},
		dropDatabase: async (name) => {
			await withSession(cluster.url("postgres"), (session) => session.query(`drop database ${name} with (force)`));
		},
		launcher,
		receivers: LAB_ADDRESS,
		foreignWrites: () => foreign.written,
		whole: (withinMs) => cluster.whole(withinMs),
		stop: async () => {
			await foreign.stop();
			await pool.end();
			await cluster.stop();
		},
	};
}

/** A token that may do everything, made on the socket of a node. */
async function mintOperatorToken(cluster: Cluster, launcher: string, ours: NodeJS.ProcessEnv): Promise<string> {
	const args = ["operators", "token", "lab", "--role", "admin", "--json"];
	const ran = await holdfast(launcher, { ...ours, ...cluster.services[0]?.env }, args);
	const { token } = (printedBy(ran) ?? {}) as { token?: string };
	if (token === undefined) throw new Error(`no token for operators was made: ${ran.stderr}`);
	return token;
}
