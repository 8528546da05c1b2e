import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/**
 * Milliseconds between two rows: after a crash the next transaction id is as likely to be the foreign writer's as ours.
 */
const PAUSE_MS = 3;
/** Milliseconds before the next try when the server is unavailable. */
const RECONNECT_MS = 50;
const CONNECT_MS = 2_000;
/** Milliseconds without an answer after which a row and its connection are given up. */
const PATIENCE_MS = 5_000;
const TABLE = "create table if not exists noise (at timestamptz not null default now())";
const ROW = "insert into noise default values";

/**
 * Writes to another database on the same server throughout the run, so that other transactions use transaction ids too.
 */
export class ForeignWriter {
	/** Rows committed so far. */
	written = 0;
	#stopped = false;
	readonly #done: Promise<void>;

	/** `url`: returns the foreign database's address on the server that currently accepts writes. */
	constructor(url: () => string) {
		this.#done = this.#run(url);
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		await this.#done;
	}

	async #run(url: () => string): Promise<void> {
		while (!this.#stopped) {
			const client = new pg.Client({
				connectionString: url(),
				connectionTimeoutMillis: CONNECT_MS,
				query_timeout: PATIENCE_MS,
				application_name: "stranger",
			});
			client.on("error", () => undefined); // the next row fails
			try {
				await client.connect();
				await this.#write(client);
			} catch {
				await sleep(RECONNECT_MS); // faults end connections; the loop opens another
			} finally {
				await Promise.race([client.end().catch(() => undefined), sleep(RECONNECT_MS)]);
			}
		}
	}

	async #write(client: pg.Client): Promise<void> {
		await client.query(TABLE);
		while (!this.#stopped) {
			await client.query(ROW);
			this.written++;
			await sleep(PAUSE_MS);
		}
	}
}
