import pg from "pg";
import { sleep } from "../lib/clock.ts";
import { streamOf, withTimeout } from "./driver-internals.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds within which one short statement must be answered. */
const ANSWER_TIMEOUT_MS = 10_000;
/** Milliseconds the server has to close a connection before we do. */
const END_TIMEOUT_MS = 2_000;
/** Milliseconds of silence before the operating system probes the other side. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * The driver verifies the server's certificate in all of these modes, but warns at every start that a later version
 * will not. So the URL names the mode that is in force.
 */
export const withVerifiedTls = (url: string): string =>
	url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");

/** A single connection, not yet open. Every wait on it is limited, and its loss cannot end the process. */
export function newClient(url: string, name: string, answerTimeoutMs: number = ANSWER_TIMEOUT_MS): pg.Client {
	const client = new pg.Client({
		connectionString: withVerifiedTls(url),
		application_name: name,
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
		query_timeout: answerTimeoutMs,
		keepAlive: true,
		keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
	});
	// an unhandled error event ends the process; pending statements fail anyway
	client.on("error", () => undefined);
	return client;
}

/** Closes a connection and waits until it is closed, for at most two seconds if the server is silent. */
export async function endClient(client: pg.Client): Promise<void> {
	await Promise.race([client.end().catch(() => undefined), sleep(END_TIMEOUT_MS)]);
	streamOf(client)?.destroy();
}

/** Runs a few short statements on a separate connection. */
export async function withClient<T>(url: string, name: string, talk: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = newClient(url, name);
	try {
		await client.connect();
		return await talk(client);
	} finally {
		await endClient(client);
	}
}

/** Returns the rows of one short statement, on a connection whose other statements may take longer. */
export async function ask<Row extends object>(client: pg.Client, text: string): Promise<Row[]> {
	const { rows } = await client.query<Row>(withTimeout({ text }, ANSWER_TIMEOUT_MS));
	return rows;
}
