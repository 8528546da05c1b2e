import { type Config, readEnv, toConfig } from "../../../service/src/config.ts";
import { openStore } from "../../../service/src/ground/embedded/store.ts";
import { type Database, openDatabase } from "../../../service/src/ground/pg/connect.ts";
import type { KeyRing } from "../../../service/src/partners/keys/key-ring.ts";
import { exitInterrupted } from "../terminal/failure.ts";
import { complain } from "../terminal/output.ts";

/** The database of a command that opens it itself. */
export interface Context {
	readonly db: Database;
	readonly url: string;
	/** Names of the migrations that were applied when the database was opened. */
	readonly migrated: readonly string[];
	ring(): Promise<KeyRing>;
	/** Sets the message for an interruption; null: the default message. */
	onInterrupt(tell: () => string | null): void;
}

/** Milliseconds that a single statement waits for a locked row. */
const LOCK_WAIT_MS = 15_000;
/** Milliseconds between the ticks of a timer that only keeps the process alive; any value will do. */
const KEEP_ALIVE_MS = 60_000;

export const readConfig = (): Config => toConfig(readEnv());

/**
 * Runs a command on the configured database, whether or not a service runs; if none runs, starts the embedded
 * PostgreSQL and stops it afterwards. Creates a missing embedded database only with `mayMake`.
 */
export async function withStore<T>(
	work: (context: Context) => Promise<T>,
	{ mayMake = false }: { readonly mayMake?: boolean } = {},
): Promise<T> {
	const config = readConfig();
	const store = await openStore(config, { role: "tool", say: complain, mayMake });
	let tell: () => string | null = () => null;
	const interrupt = (): void => {
		exitInterrupted(tell() ?? "unfinished changes are rolled back.", () => store.close());
	};
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
	const db = openDatabase(store.url, {
		name: "holdfast cli",
		max: 2,
		lockTimeoutMs: LOCK_WAIT_MS,
		...durabilityOf(config),
	});
	// waiting for locks or for an unavailable database does not keep the process alive; an unfinished command must
	const alive = setInterval(() => undefined, KEEP_ALIVE_MS);
	try {
		return await work({
			db,
			url: store.url,
			migrated: store.migrated,
			ring: async () =>
				(await import("../../../service/src/partners/keys/require-key-ring.ts")).requireKeyRing(config, db, complain),
			onInterrupt: (line) => {
				tell = line;
			},
		});
	} finally {
		clearInterval(alive);
		await db.close();
		await store.close();
	}
}

/** A command commits as durably as the service, but may read from a server that the service would refuse. */
const durabilityOf = ({ acceptUnsafeDatabase }: Config) =>
	acceptUnsafeDatabase ? {} : ({ durability: "preferred" } as const);
