import { must } from "../lib/assert.ts";
import { OperatorError } from "../lib/operator-error.ts";
import type { Query } from "./connect.ts";

/** The oldest supported major version of PostgreSQL. */
export const OLDEST_MAJOR = 15;

/** Settings that, when off, can cause the loss of an acknowledged hold, and the fix for each. */
const FIXES = {
	fsync: 'set "fsync = on" in postgresql.conf and reload',
	full_page_writes: 'set "full_page_writes = on" in postgresql.conf and reload',
	synchronous_commit:
		'run "alter system reset synchronous_commit", "alter database … reset synchronous_commit" or "alter role … reset synchronous_commit", wherever it was changed, and reload',
} as const;

interface ServerSettings {
	readonly version_num: number;
	readonly encoding: string;
	readonly fsync: string;
	readonly full_page_writes: string;
	readonly synchronous_commit: string;
	readonly standby: boolean;
}

export interface ServerProblems {
	/** Holdfast cannot run on this server. */
	readonly fatal: string[];
	/** Holdfast can run, but may lose acknowledged work; the operator may accept that. */
	readonly unsafe: string[];
}

/** Checks the server from a session like those that commit holds. */
export async function serverProblems(db: Query): Promise<ServerProblems> {
	const { rows } = await db.query<ServerSettings>(
		`select current_setting('server_version_num')::int as version_num, current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
		current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit,
		pg_is_in_recovery() as standby`,
	);
	return judgeServer(must(rows[0], "the server's settings"));
}

/** The rule behind serverProblems. `synchronous_commit = local` is safe: commits are on the local disk. */
export function judgeServer(settings: ServerSettings): ServerProblems {
	const fatal: string[] = [];
	const major = Math.floor(settings.version_num / 10_000);
	if (major < OLDEST_MAJOR) {
		fatal.push(`The database is PostgreSQL ${major}; Holdfast needs ${OLDEST_MAJOR} or newer. Upgrade the server.`);
	}
	if (settings.encoding !== "UTF8") {
		fatal.push(
			`The database has the encoding ${settings.encoding}, in which names could not be stored. Create one with UTF8: create database … encoding 'UTF8' template template0.`,
		);
	}
	if (settings.standby) {
		fatal.push("The database is a standby that accepts no writes. Point HOLDFAST_DATABASE_URL at the primary.");
	}
	return { fatal, unsafe: durabilityProblems(settings) };
}

/** Settings under which the server may lose acknowledged work, one sentence each with the fix. */
export function durabilityProblems(settings: Pick<ServerSettings, keyof typeof FIXES>): string[] {
	return (Object.keys(FIXES) as (keyof typeof FIXES)[])
		.filter((name) => settings[name] === "off")
		.map((name) => `The database runs with ${name} = off and may lose what it acknowledged: ${FIXES[name]}`);
}

/** Throws unless the server is safe to use. Risks that the operator accepted are passed to `say` instead. */
export async function requireDurable(db: Query, acceptUnsafe: boolean, say: (line: string) => void): Promise<void> {
	const { fatal, unsafe } = await serverProblems(db);
	if (fatal.length > 0) throw new OperatorError(fatal.join("\n"));
	if (unsafe.length === 0) return;
	if (!acceptUnsafe) {
		throw new OperatorError(`${unsafe.join("\n")}\nTo accept the risk, set HOLDFAST_ACCEPT_UNSAFE_DATABASE=true.`);
	}
	for (const line of unsafe) say(`Accepted by HOLDFAST_ACCEPT_UNSAFE_DATABASE: ${line}`);
}

export interface ServerFacts {
	/** The database's clock, in epoch milliseconds. */
	readonly nowMs: number;
	readonly version: string;
}

/** Facts that the server reports about itself; null if it returns no row. */
export async function readServerFacts(db: Query): Promise<ServerFacts | null> {
	const { rows } = await db.query<ServerFacts>(
		`select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs", current_setting('server_version') as version`,
	);
	return rows[0] ?? null;
}
