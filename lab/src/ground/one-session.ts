import pg from "pg";

/** Milliseconds to wait for a connection of the lab's own. */
const CONNECT_MS = 2_000;

/**
 * Opens a session, passes it to `work`, and ends it. Used for the lab's changes to a server itself, with a new session
 * each time, because faults hit every connection.
 */
export async function withSession<T>(url: string, work: (session: pg.Client) => Promise<T>): Promise<T> {
	const session = new pg.Client({
		connectionString: url,
		connectionTimeoutMillis: CONNECT_MS,
		application_name: "lab",
		// the lab must be able to write what a fault made read-only
		options: "-c default_transaction_read_only=off",
	});
	session.on("error", () => undefined); // the next query fails
	try {
		await session.connect();
		return await work(session);
	} finally {
		// a server that is gone never confirms the end
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
