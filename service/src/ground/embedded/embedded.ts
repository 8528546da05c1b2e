import { resolve } from "node:path";
import { monotonicMs, wait } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { throttled } from "../lib/throttled.ts";
import { type Cluster, type ClusterOptions, clusterUrl, prepareCluster } from "./cluster.ts";
import { explainTrouble } from "./folder.ts";
import { createPatience } from "./patience.ts";
import { type Postmaster, runningPostmaster } from "./pid-file.ts";
import { ensurePostmaster, stopIfUnused, stopPostmaster } from "./server.ts";
import { DataFolderTaken, openSession, type Session } from "./session.ts";

const RETRY_EVERY_MS = 50;
/** Milliseconds without an answer after which attaching fails. A server that answers "not yet" gets longer. */
const SILENCE_TIMEOUT_MS = 60_000;
const REVIVE_EVERY_MS = 1_000;

export interface EmbeddedOptions extends ClusterOptions {
	/** One service per data folder, and any number of tools beside it. */
	readonly role: "service" | "tool";
	/** PostgreSQL settings that override all others, even durability: for tests that are not about durability. */
	readonly settings?: Record<string, string>;
	/** Another service took the data folder while the server was away: this one must stop. */
	readonly onEvicted?: (error: Error) => void;
	/** Cancels the opening, which throws the signal's reason within seconds. No effect once open. */
	readonly signal?: AbortSignal | undefined;
}

export interface EmbeddedPostgres {
	/** Constant for the life of this object, even if the server is restarted. */
	readonly url: string;
	readonly pgData: string;
	/** The current process of the server. */
	pid(): number;
	/** Releases the server, and stops it if it has no other user. */
	close(): Promise<void>;
}

interface State {
	readonly cluster: Cluster;
	readonly options: EmbeddedOptions;
	readonly say: (line: string) => void;
	/** Aborted by `close`: ends every wait. */
	readonly off: AbortController;
	postmaster: Postmaster;
	session: Session;
	closing: Promise<void> | null;
	reviving: Promise<void> | null;
}

/**
 * The embedded PostgreSQL of a data folder, running: created if new, adopted if already running, recovered if it was
 * killed, killed and restarted if it hangs. While this object lives, it watches the server and restarts it if it goes
 * away.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
	try {
		return await open(options);
	} catch (error) {
		throw await explainTrouble(resolve(options.dataDir), error);
	}
}

async function open(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
	const say = options.say ?? (() => undefined);
	const cluster = await prepareCluster(options);
	const before = await runningPostmaster(cluster.pgData);
	const off = new AbortController();
	const { postmaster, session, others } = await attach(cluster, options, say, options.signal ?? off.signal);
	if (before?.pid === postmaster.pid && !others) {
		say(`Found PostgreSQL still running (process ${postmaster.pid}) and used by no Holdfast: taking it over.`);
	}
	const state: State = { cluster, options, say, off, postmaster, session, closing: null, reviving: null };
	watch(state);
	return {
		url: clusterUrl(cluster, postmaster.socketDir),
		pgData: cluster.pgData,
		pid: () => state.postmaster.pid,
		close: () => {
			state.closing ??= close(state);
			return state.closing;
		},
	};
}

interface Attachment {
	readonly postmaster: Postmaster;
	readonly session: Session;
	/** Whether another process uses the server too. */
	readonly others: boolean;
}

/** A running server and a session that locks it. Retries while a server is stopping, starting or recovering. */
async function attach(
	cluster: Cluster,
	options: EmbeddedOptions,
	say: (line: string) => void,
	signal: AbortSignal,
): Promise<Attachment> {
	const patience = createPatience(cluster, say, signal);
	let giveUpAt = monotonicMs() + SILENCE_TIMEOUT_MS;
	let started = Number.NaN;
	while (true) {
		const { postmaster, startedHere } = await ensurePostmaster(cluster, { ...options, say, patience });
		if (startedHere) started = postmaster.pid;
		const session = openSession(cluster, postmaster, options.role);
		try {
			return { postmaster, session, others: await session.begin(signal) };
		} catch (error) {
			await session.end();
			if (!signal.aborted && isNotYet(error)) {
				await patience.pause(postmaster);
				giveUpAt = monotonicMs() + SILENCE_TIMEOUT_MS;
			} else if (!signal.aborted && isPassing(error) && monotonicMs() < giveUpAt) {
				await wait(RETRY_EVERY_MS);
			} else {
				// a server that we started only for ourselves must not keep running
				if (started === postmaster.pid) await stopIfUnused(cluster, started);
				signal.throwIfAborted();
				throw isPassing(error) ? silent(cluster, postmaster, error) : error;
			}
		}
	}
}

/** The session ends only when the server goes away; then the server is restarted. */
function watch(state: State): void {
	void state.session.gone.then(() => {
		if (state.closing) return;
		state.say("PostgreSQL stopped: starting it again.");
		state.reviving = revive(state).finally(() => {
			state.reviving = null;
		});
	});
}

async function revive(state: State): Promise<void> {
	const complain = throttled((error) => state.say(`PostgreSQL is not running yet: ${(error as Error).message}`));
	while (!state.closing) {
		try {
			const { postmaster, session } = await attach(state.cluster, state.options, state.say, state.off.signal);
			state.postmaster = postmaster;
			state.session = session;
			if (state.closing) return;
			watch(state);
			state.say(`PostgreSQL is running again (process ${postmaster.pid}).`);
			return;
		} catch (error) {
			if (state.closing) return;
			if (error instanceof DataFolderTaken) {
				state.options.onEvicted?.(error);
				return;
			}
			complain(error);
			await wait(REVIVE_EVERY_MS);
		}
	}
}

async function close(state: State): Promise<void> {
	state.off.abort(new Error("The embedded PostgreSQL is being closed."));
	await state.reviving;
	try {
		// we now hold the lock: new users wait until the stopping server ends their sessions, and then start it again
		if (await state.session.release()) await stopAlone(state);
	} catch {
		await sayLeftAlone(state); // the server went away, or is not back yet
	}
	await state.session.end();
}

async function stopAlone(state: State): Promise<void> {
	const { pid } = state.postmaster;
	if (await stopPostmaster(state.cluster, pid)) return;
	state.say(`PostgreSQL (process ${pid}) is still writing its last checkpoint; it will end afterwards.`);
}

async function sayLeftAlone({ cluster, say }: State): Promise<void> {
	const left = await runningPostmaster(cluster.pgData);
	if (left === null) return;
	say(`PostgreSQL (process ${left.pid}) does not answer yet: it keeps running, and the next start takes it over.`);
}

/**
 * The server runs but does not accept connections yet: it is starting, recovering or stopping (SQLSTATE
 * cannot_connect_now).
 */
const isNotYet = (error: unknown): boolean => (error as { code?: string }).code === "57P03";

/** Errors that a retry can overcome: the server is stopping, was just killed, or is slow to answer. */
function isPassing(error: unknown): boolean {
	if (error instanceof OperatorError) return false;
	const { code = "", message = "" } = error as { code?: string; message?: string };
	return (
		["57P01", "57P02", "ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE"].includes(code) ||
		code.startsWith("08") ||
		/terminated|ended|closed|timeout/i.test(message)
	);
}

function silent({ pgData, logFile }: Cluster, { pid }: Postmaster, cause: unknown): OperatorError {
	return new OperatorError(
		`The embedded PostgreSQL in ${pgData} (process ${pid}) does not answer (${(cause as Error).message}). Look at its log ${logFile}, end that process, and start Holdfast again.`,
		{ cause },
	);
}
