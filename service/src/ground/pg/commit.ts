import type pg from "pg";
import type { Query } from "./connect.ts";
import { named, timed } from "./query.ts";

/** The server committed, but warned that a standby may not have the transaction. Never treated as success. */
export class CommitNotConfirmed extends Error {
	override readonly name = "CommitNotConfirmed";
}

/** SQLSTATEs of a server that stopped waiting for its standby: cancelled, or terminated by an administrator. */
const CLASS_WARNING = "01";
const TERMINATED = "57P01";

export const COMMIT = named("commit", "commit");

/**
 * Sends COMMIT and accepts only the answer COMMIT without a warning. `withinMs`: a limit of its own, after which the
 * connection is destroyed. @throws CommitNotConfirmed
 */
export async function commit(client: pg.ClientBase, withinMs?: number): Promise<void> {
	let warning: string | undefined;
	const onNotice = (notice: { code?: string | undefined; message?: string | undefined }): void => {
		// "canceling wait for synchronous replication": durable on the primary, unknown on the standby
		if (notice.code?.startsWith(CLASS_WARNING) || notice.code === TERMINATED) warning = notice.message ?? "warning";
	};
	client.on("notice", onNotice);
	try {
		const { command } = await (client as unknown as Query).query(
			withinMs === undefined ? COMMIT : timed("commit", withinMs),
		);
		if (command !== "COMMIT") throw new Error(`COMMIT answered ${command}: the transaction was rolled back`);
		if (warning !== undefined) throw new CommitNotConfirmed(`COMMIT warned: ${warning}`);
	} finally {
		client.off("notice", onNotice);
	}
}

/** Rolls back. False if the connection is gone, and the transaction with it. */
export async function rolledBack(client: Pick<pg.ClientBase, "query"> | Query): Promise<boolean> {
	try {
		await (client as Query).query("rollback");
		return true;
	} catch {
		return false;
	}
}
