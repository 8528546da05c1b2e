import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/**
 * Milliseconds between two rows: often enough that after a crash the next transaction id is a stranger's as likely as
 * ours.
 */
const PAUSE_MS = 3;
/** Milliseconds before the next try when the server is away. */
const RECONNECT_MS = 50;
const CONNECT_MS = 2_000;
/** Milliseconds after which a row that has no answer is given up, and its connection with it. */
const PATIENCE_MS = 5_000;
const TABLE = "create table if not exists noise (at timestamptz not null default now())";
const ROW = "insert into noise default values";

/**
 * A stranger on the same server: another database that is written all the while, so that transaction ids are taken by
 * others too.
 */
export class ForeignWriter {
	/** Rows committed so far. */
	written = 0;
	#stopped = false;
	readonly #done: Promise<void>;

	/** `url`: of the stranger's database on the server that takes the writes now. */
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
				await sleep(RECONNECT_MS); // faults end connections: there is a next one
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
