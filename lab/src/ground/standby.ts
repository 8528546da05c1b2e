import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { copyTree } from "./copy-tree.ts";
import { withSession } from "./one-session.ts";
import { type PostgresServer, SUPERUSER } from "./postgres-server.ts";

const STANDBY_NAME = "lab_standby";
/** Milliseconds for a standby to catch up, and for its promotion. */
const CATCH_UP_MS = 30_000;
/** Milliseconds after which all processes of the server have read a changed setting. */
const SETTLE_MS = 300;
const LOOK_EVERY_MS = 20;
/** Entries of a running server's folder that a copy must not contain, because the new server creates its own. */
const NOT_COPIED =
	/^(postmaster\.(pid|opts)|backup_label(\.old)?|standby\.signal|pg_(wal|replslot|stat_tmp|subtrans|notify)\/.+)$/;

/** Builds a standby of a running primary and waits until replication is synchronous. */
export async function attachStandby(primary: PostgresServer, standby: PostgresServer): Promise<void> {
	await standby.makeFolder();
	await withSession(primary.url(), (session) => copyRunning(session, primary, standby));
	const connection = `host=127.0.0.1 port=${primary.plan.port} user=${SUPERUSER} password=${primary.plan.password} application_name=${STANDBY_NAME}`;
	// the primary's synchronous_standby_names must not be copied: after its promotion this server has no standby
	await appendFile(
		join(standby.data, "postgresql.auto.conf"),
		`primary_conninfo = '${connection}'\nsynchronous_standby_names = ''\n`,
	);
	await standby.start();
	await withSession(primary.url(), async (session) => {
		await session.query(`alter system set synchronous_standby_names = '${STANDBY_NAME}'`);
		await session.query("select pg_reload_conf()");
		await sleep(SETTLE_MS);
		await untilHoldsEverything(session);
	});
}

/** Promotes the standby; resolves when it accepts writes. The primary must be dead. */
export async function promote(standby: PostgresServer): Promise<void> {
	await withSession(standby.url(), async (session) => {
		const { rows } = await session.query<{ done: boolean }>("select pg_promote(true, $1) as done", [
			CATCH_UP_MS / 1_000,
		]);
		if (rows[0]?.done !== true) throw new Error(`PostgreSQL ${standby.plan.name} was not promoted`);
	});
}

/** Lets the primary commit without a standby. */
export async function detachStandby(primary: PostgresServer): Promise<void> {
	await withSession(primary.url(), async (session) => {
		await session.query("alter system set synchronous_standby_names = ''");
		await session.query("select pg_reload_conf()");
	});
}

/**
 * A file-level base backup: files may change between backup start and stop, and replaying the WAL corrects the copy.
 */
async function copyRunning(session: pg.Client, primary: PostgresServer, standby: PostgresServer): Promise<void> {
	await session.query("select pg_backup_start('lab', true)");
	await copyTree(primary.data, standby.data, standby.plan.account, (path) => NOT_COPIED.test(path));
	const { rows } = await session.query<{ labelfile: string }>("select labelfile from pg_backup_stop(false)");
	await standby.write("backup_label", rows[0]?.labelfile ?? "");
	await standby.write("standby.signal", "");
}

/**
 * Resolves when everything that the primary has acknowledged is on the standby's disk; from then on every commit waits
 * for it.
 */
async function untilHoldsEverything(session: pg.Client): Promise<void> {
	const latest = performance.now() + CATCH_UP_MS;
	const { rows: now } = await session.query<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn");
	for (;;) {
		const { rows } = await session.query<{ caught_up: boolean }>(
			"select flush_lsn >= $1::pg_lsn and sync_state = 'sync' as caught_up from pg_stat_replication where application_name = $2",
			[now[0]?.lsn, STANDBY_NAME],
		);
		if (rows[0]?.caught_up === true) return;
		if (performance.now() > latest) throw new Error("the standby did not catch up");
		await sleep(LOOK_EVERY_MS);
	}
}
