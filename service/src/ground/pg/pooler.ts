import type pg from "pg";
import { must } from "../lib/assert.ts";
import { newId } from "../lib/ids.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { endClient, newClient } from "./client.ts";
import { sqlStateOf, understood } from "./faults.ts";

const ANSWER_WITHIN_MS = 2_500;
/**
 * Number of connections of the check. A pooler with fewer sessions is always detected, because marks overwrite each
 * other.
 */
const CONNECTIONS = 4;
/**
 * Number of rounds in which two of the connections have a transaction open at the same time, a different pair each
 * time.
 */
const ROUNDS = 4;

export const POOLER_FOUND =
	"HOLDFAST_DATABASE_URL leads to a pooler that gives each transaction another session of the server";
export const POOLER_ADVICE =
	"Holdfast keeps settings, locks and prepared statements in its sessions: give it the server's own address, or set the pooler to session mode (pgbouncer: pool_mode = session).";

/** @throws OperatorError if the address leads to a pooler in transaction or statement mode */
export async function refusePooler(url: string): Promise<void> {
	if (await sharesSessions(url)) throw new OperatorError(`${POOLER_FOUND}. ${POOLER_ADVICE}`);
}

/**
 * Whether something between us and the server spreads the statements of one connection over several sessions. Some
 * connections each set a mark in their session and look for it again in later transactions: first one connection after
 * another, then with a transaction open on a second one. An idle pooler gives all of them the same session, a busy one
 * a different session each time. On a direct connection, the mark and the server process never change, so it is never
 * mistaken for a pooled one.
 */
export async function sharesSessions(url: string): Promise<boolean> {
	const clients = Array.from({ length: CONNECTIONS }, () => newClient(url, "holdfast pooler check", ANSWER_WITHIN_MS));
	try {
		const connected = await Promise.allSettled(clients.map((client) => heard(client.connect())));
		for (const one of connected) if (one.status === "rejected") throw one.reason;
		const marked: Marked[] = [];
		for (const client of clients) marked.push(await mark(client));
		for (const one of marked) if (!(await isSame(one))) return true;
		for (let round = 0; round < ROUNDS; round++) {
			const first = must(marked[round % CONNECTIONS], "a connection");
			const second = must(marked[(round + 1) % CONNECTIONS], "another connection");
			if (!(await begins(first.client))) return true;
			const same = (await isSame(first)) && (await isSame(second));
			await heard(first.client.query("rollback"));
			if (!same) return true;
		}
		return false;
	} finally {
		await Promise.all(clients.map(endClient));
	}
}

interface Session {
	readonly mark: string | null;
	readonly pid: number;
}
interface Marked {
	readonly client: pg.Client;
	readonly session: Session;
}

async function mark(client: pg.Client): Promise<Marked> {
	const text = "select set_config('holdfast.mark', $1, false) as mark, pg_backend_pid() as pid";
	const { rows } = await heard(client.query<Session>(text, [newId()]));
	return { client, session: must(rows[0], "the session") };
}

async function isSame({ client, session }: Marked): Promise<boolean> {
	const text = "select current_setting('holdfast.mark', true) as mark, pg_backend_pid() as pid";
	const { rows } = await heard(client.query<Session>(text));
	const now = must(rows[0], "the session");
	return now.mark === session.mark && now.pid === session.pid;
}

/** The SQLSTATE with which a pooler in statement mode refuses a transaction; a server never answers `begin` with it. */
const NO_TRANSACTIONS = "08P01";

/** Whether the connection can begin a transaction. A pooler in statement mode allows none. */
const begins = (client: pg.Client): Promise<boolean> =>
	heard(client.query("begin")).then(
		() => true,
		(error: unknown) => {
			if (sqlStateOf(error) === NO_TRANSACTIONS) return false;
			throw error;
		},
	);

/** @throws ConnectionLost if no server reported the error, so that callers waiting for a database try again */
const heard = <T>(answer: Promise<T>): Promise<T> =>
	answer.catch((error: unknown) => {
		throw understood(error);
	});
