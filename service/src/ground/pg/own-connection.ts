import { type Database, openDatabase } from "./connect.ts";
import { streamOf } from "./driver-internals.ts";

/**
 * Runs long work on its own connection, so that it occupies none that others need. When `signal` is aborted, the
 * connection is cut; the server then ends its statement within a second.
 */
export async function onOwnConnection<T>(
	url: string,
	{ name, signal }: { readonly name: string; readonly signal: AbortSignal },
	work: (db: Database) => Promise<T>,
): Promise<T> {
	const db = openDatabase(url, { max: 1, name });
	db.pool.on("connect", (client) => {
		signal.addEventListener("abort", () => streamOf(client)?.destroy(), { once: true });
	});
	try {
		return await work(db);
	} finally {
		await db.close();
	}
}
