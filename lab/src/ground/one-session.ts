import pg from "pg";

/** Milliseconds to wait for a connection of the lab's own. */
const CONNECT_MS = 2_000;

/**
 * Opens one session, gives it to `work`, and ends it. For what the lab does to a server itself: each time anew, because
 * faults leave no connection alone.
 */
export async function withSession<T>(url: string, work: (session: pg.Client) => Promise<T>): Promise<T> {
	const session = new pg.Client({
		connectionString: url,
		connectionTimeoutMillis: CONNECT_MS,
		application_name: "lab",
		// the lab changes what a fault made read-only
		options: "-c default_transaction_read_only=off",
	});
	session.on("error", () => undefined); // whoever uses it next is told
	try {
		await session.connect();
		return await work(session);
	} finally {
		// a server that is gone does not say goodbye
		await Promise.race([
			session.end().catch(() => undefined),
			new Promise((done) => setTimeout(done, CONNECT_MS).unref()),
		]);
	}
}

export async function canReachDatabase(url: string): Promise<boolean> {
	try {
		return await withSession(url, async (session) => (await session.query("select 1")).rowCount === 1);
	} catch {
		return false;
	}
}
