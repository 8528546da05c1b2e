import pg from "pg";
import { sleep } from "../lib/clock.ts";
import { streamOf, withTimeout } from "./driver-internals.ts";

/** Milliseconds that a connection may take to be made. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds that the answer to one short statement may take. */
const ANSWER_TIMEOUT_MS = 10_000;
/** Milliseconds that the server may take to close a connection before we do. */
const END_TIMEOUT_MS = 2_000;
/** Milliseconds of silence after which the operating system asks whether the other side is still there. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * The driver checks the server's certificate under every one of these modes, and warns on each start that it will not
 * in a later version. The mode is written as what it means.
 */
export const withVerifiedTls = (url: string): string =>
	url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");

/**
 * A lone connection, not made yet: no wait on it is without a limit, and its death is no event that could end the
 * process.
 */
export function newClient(url: string, name: string, answerTimeoutMs: number = ANSWER_TIMEOUT_MS): pg.Client {
	const client = new pg.Client({
		connectionString: withVerifiedTls(url),
		application_name: name,
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
		query_timeout: answerTimeoutMs,
		keepAlive: true,
		keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
	});
	// an error that nobody hears ends the process; whatever was asked on the connection fails all the same
	client.on("error", () => undefined);
	return client;
}

/** Closes a connection and waits until it is closed; a server that is silent delays it for two seconds at most. */
export async function endClient(client: pg.Client): Promise<void> {
	await Promise.race([client.end().catch(() => undefined), sleep(END_TIMEOUT_MS)]);
	streamOf(client)?.destroy();
}

/** One short conversation on a connection of its own. */
export async function withClient<T>(url: string, name: string, talk: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = newClient(url, name);
	try {
		await client.connect();
		return await talk(client);
	} finally {
		await endClient(client);
	}
}

/** The rows that answer one short statement, on a connection whose other statements may take longer. */
export async function ask<Row extends object>(client: pg.Client, text: string): Promise<Row[]> {
	const { rows } = await client.query<Row>(withTimeout({ text }, ANSWER_TIMEOUT_MS));
	return rows;
}
