import type pg from "pg";
import { monotonicMs, sleep, wait } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { ask, withClient } from "./client.ts";

/** node-pg-migrate's own advisory lock, so that builds that leave the locking to it wait as well. */
const LOCK_ID = "7241865325823964";
const TRY_EVERY_MS = 250;
/** Milliseconds until a message at the terminal names the holder of the lock, and between later messages. */
const TELL_AFTER_MS = 3_000;
const TELL_EVERY_MS = 15_000;
/** Milliseconds between two checks for blockers; the first start on a new database finishes before the first check. */
const WATCH_EVERY_MS = 1_000;

/** How a migration waits, and reports that it does. */
export interface MigrationWait {
	/** Prints one line for the user at the terminal. */
	readonly say: (line: string) => void;
	/** Milliseconds until the start fails. */
	readonly limitMs: number;
	readonly signal?: AbortSignal | undefined;
}

/**
 * Waits for the right to migrate: one node migrates, and the others then find nothing left to do. The lock ends with
 * its connection. @throws OperatorError naming the holder after `limitMs`
 */
export async function takeMigrationLock(client: pg.Client, { say, limitMs, signal }: MigrationWait): Promise<void> {
	const beganAt = monotonicMs();
	let tellAt = beganAt + TELL_AFTER_MS;
	while (!(await tryLock(client))) {
		signal?.throwIfAborted();
		const now = monotonicMs();
		if (now - beganAt > limitMs) {
			throw new OperatorError(
				`The database was not migrated: ${await holder(client)} has held the migration lock for ${Math.round(limitMs / 1_000)} s. If that session is a Holdfast that is migrating, start again when it has finished; otherwise end the session: select pg_terminate_backend(<process>).`,
			);
		}
		if (now > tellAt) {
			tellAt = now + TELL_EVERY_MS;
			say(`Waiting for the migration lock, which ${await holder(client)} holds.`);
		}
		await wait(TRY_EVERY_MS);
	}
}

async function tryLock(client: pg.Client): Promise<boolean> {
	const [row] = await ask<{ taken: boolean }>(client, `select pg_try_advisory_lock(${LOCK_ID}) as taken`);
	return row?.taken === true;
}

async function holder(client: pg.Client): Promise<string> {
	const [row] = await ask<Session>(
		client,
		`select ${SESSION} from pg_locks l join pg_stat_activity a using (pid)
		where l.locktype = 'advisory' and l.granted and l.objsubid = 1
		and l.database = (select oid from pg_database where datname = current_database())
		and (l.classid::bigint << 32) | l.objid::bigint = ${LOCK_ID}`,
	);
	return row ? describe(row) : "a session that has just released it";
}

/** Watches who blocks a connection's statement. */
export interface BlockerWatch {
	/** The last blocker seen, or null. */
	last(): string | null;
	stop(): Promise<void>;
}

/** Polls for blockers of the connection `pid`, through separate connections. */
export function watchBlockers(url: string, pid: number): BlockerWatch {
	let last: string | null = null;
	const stopping = new AbortController();
	const watching = (async () => {
		while (!stopping.signal.aborted) {
			await sleep(WATCH_EVERY_MS, stopping.signal);
			if (!stopping.signal.aborted) last = (await blockerOf(url, pid).catch(() => null)) ?? last;
		}
	})();
	return {
		last: () => last,
		stop: async () => {
			stopping.abort();
			await watching;
		},
	};
}

async function blockerOf(url: string, pid: number): Promise<string | null> {
	return await withClient(url, "holdfast migrate, watching", async (client) => {
		const { rows } = await client.query<Session>(
			`select ${SESSION} from pg_stat_activity a where a.pid = any(pg_blocking_pids($1)) limit 1`,
			[pid],
		);
		return rows[0] ? describe(rows[0]) : null;
	});
}

interface Session {
	readonly pid: number;
	readonly name: string;
	readonly account: string;
	readonly state: string;
}

const SESSION =
	"a.pid, coalesce(a.application_name, '') as name, coalesce(a.usename, '?') as account, coalesce(a.state, 'unknown') as state";

const describe = ({ pid, name, account, state }: Session): string =>
	`"${name || "a program without a name"}" of ${account} (server process ${pid}, ${state})`;
