import type pg from "pg";
import type { Database, Query } from "./connect.ts";

/** The server did not say COMMIT: the transaction was rolled back, or nobody knows. Never treated as success. */
export class CommitNotConfirmed extends Error {}

export interface TransactionOptions {
	readonly isolation?: "read committed" | "repeatable read";
	readonly readOnly?: boolean;
}

/** Runs `work` in one transaction and returns its value once the server has said COMMIT; any exception rolls back. */
export async function transaction<T>(
	db: Database,
	work: (tx: Query) => Promise<T>,
	options: TransactionOptions = {},
): Promise<T> {
	const client = await db.pool.connect();
	let broken = true;
	try {
		const begun = client.query(beginText(options));
		begun.catch(() => undefined); // its failure also fails what follows
		const value = await work(client as unknown as Query);
		await begun;
		await commit(client);
		broken = false;
		return value;
	} catch (error) {
		broken = !(await rolledBack(client));
		throw error;
	} finally {
		client.release(broken);
	}
}

export function beginText({ isolation = "read committed", readOnly = false }: TransactionOptions): string {
	return `begin isolation level ${isolation}${readOnly ? " read only" : ""}`;
}

/** Sends COMMIT and believes only the answer COMMIT without a warning. */
export async function commit(client: pg.ClientBase): Promise<void> {
	let warning: string | undefined;
	const onNotice = (notice: { severity?: string | undefined; message?: string | undefined }): void => {
		// "canceling wait for synchronous replication": durable here, unknown there
		if (notice.severity === "WARNING") warning = notice.message ?? "warning";
	};
	client.on("notice", onNotice);
	try {
		const { command } = await client.query("commit");
		if (command !== "COMMIT") throw new CommitNotConfirmed(`COMMIT answered ${command}`);
		if (warning !== undefined) throw new CommitNotConfirmed(`COMMIT warned: ${warning}`);
	} finally {
		client.off("notice", onNotice);
	}
}

/** What became of a transaction: `committed`, `aborted`, `in progress`, or null when the server no longer knows. */
export async function transactionStatus(db: Query, xid: string): Promise<string | null> {
	const { rows } = await db.query<{ status: string | null }>("select pg_xact_status($1::xid8) as status", [xid]);
	return rows[0]?.status ?? null;
}

/** Rolls back. False: the connection is gone, and the transaction with it. */
export async function rolledBack(client: pg.ClientBase): Promise<boolean> {
	try {
		await client.query("rollback");
		return true;
	} catch {
		return false;
	}
}
