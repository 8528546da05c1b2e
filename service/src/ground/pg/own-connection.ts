import { type Database, openDatabase } from "./connect.ts";
import { streamOf } from "./driver-internals.ts";

interface OwnConnection {
	/** Shown by PostgreSQL beside the connection. */
	readonly name: string;
	/** When it is aborted, the connection is cut; the server then ends its statement within a second. */
	readonly signal?: AbortSignal;
	/** Milliseconds for each answer; absent: there is no limit. */
	readonly answerWithinMs?: number;
}

/** Runs long work on its own connection, so that it occupies none that others need. */
export async function onOwnConnection<T>(
	url: string,
	{ name, signal, answerWithinMs }: OwnConnection,
	work: (db: Database) => Promise<T>,
): Promise<T> {
	const db = openDatabase(url, { max: 1, name, ...(answerWithinMs === undefined ? {} : { answerWithinMs }) });
	db.pool.on("connect", (client) => {
		signal?.addEventListener("abort", () => streamOf(client)?.destroy(), { once: true });
	});
	try {
		return await work(db);
	} finally {
		await db.close();
	}
}
