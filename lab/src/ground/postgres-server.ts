import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Account } from "./account.ts";
import type { Binaries } from "./binaries.ts";
import { atLast } from "./last-resort.ts";
import { canReachDatabase } from "./one-session.ts";
import { childrenOf, childWithPid, ended, endedSync, identify, type Process, signal } from "./processes.ts";
import type { ServerClock } from "./server-clock.ts";
import { giveBack, segmentOf } from "./shared-memory.ts";

const run = promisify(execFile);

export const SUPERUSER = "lab";
/** The database that initdb creates; the lab's own sessions use it. */
export const HOME_DATABASE = "postgres";
/** Milliseconds for a server to accept connections: after a crash it recovers first. */
const READY_MS = 60_000;
/** Milliseconds without an answer after which a server that should recover by itself is killed and restarted. */
const WEDGED_MS = 20_000;
/** Milliseconds for the processes of a killed server to end by themselves. */
const LEFTOVERS_MS = 5_000;
/** Milliseconds for a fast shutdown. */
const STOP_MS = 20_000;
/** Milliseconds for a server to end while the lab's process exits. */
const LAST_STOP_MS = 2_000;
/** Milliseconds between two polls. */
const LOOK_EVERY_MS = 25;

/**
 * Settings of every server of the lab: durable, small, and with enough WAL for building a standby. Dynamic shared
 * memory is in the data folder, because a crash leaves some behind, and the whole folder is removed.
 */
const SETTINGS = `
fsync = on
synchronous_commit = on
full_page_writes = on
max_connections = 200
shared_buffers = 128MB
dynamic_shared_memory_type = mmap
max_wal_size = 256MB
min_wal_size = 80MB
wal_keep_size = 128MB
checkpoint_timeout = 2min
autovacuum_naptime = 10s
wal_retrieve_retry_interval = 200ms
log_checkpoints = off
log_line_prefix = '%m [%p] %a '
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
`;

/** Properties of a server that do not change while it runs. */
export interface ServerPlan {
	readonly name: string;
	/** Its own folder, with data and socket; may be on a disk of its own. */
	readonly folder: string;
	readonly port: number;
	readonly password: string;
	readonly binaries: Binaries;
	readonly account: Account | null;
	readonly log: string;
	readonly clock: Pick<ServerClock, "env"> | null;
	/** Further lines of `postgresql.conf`. */
	readonly settings?: string;
}

export const newPassword = (): string => randomBytes(18).toString("hex");

/** A PostgreSQL server of the lab: real, durable, on 127.0.0.1 and on a unix socket. */
export class PostgresServer {
	readonly plan: ServerPlan;
	/** How often it had to be killed because it did not recover by itself. */
	wedged = 0;
	#child: ChildProcess | null = null;
	#process: Process | null = null;
	#starting: Promise<void> | null = null;
	#forget: () => void = () => undefined;

	constructor(plan: ServerPlan) {
		this.plan = plan;
	}

	get data(): string {
		return join(this.plan.folder, "data");
	}

	url(database: string = HOME_DATABASE): string {
		return `postgresql://${SUPERUSER}:${this.plan.password}@127.0.0.1:${this.plan.port}/${database}`;
	}

	/** The postmaster; null if none runs. */
	get postmaster(): Process | null {
		const ended = this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
		return ended ? null : this.#process;
	}

	/** Creates an empty cluster. */
	async create(): Promise<void> {
		await this.makeFolder();
		const passwordFile = join(this.plan.folder, "password");
		await writeFile(passwordFile, `${this.plan.password}\n`, { mode: 0o600 });
		await this.#own(passwordFile);
		await run(
			this.plan.binaries.initdb,
			[
				`--pgdata=${this.data}`,
				`--username=${SUPERUSER}`,
				`--pwfile=${passwordFile}`,
				"--auth=scram-sha-256",
				"--encoding=UTF8",
				"--no-sync", // only the following start must be durable
				...this.plan.binaries.locale,
			],
			{ cwd: "/", env: { LC_ALL: "C", TZ: "UTC" }, ...this.plan.account },
		);
		await unlink(passwordFile);
		await appendFile(join(this.data, "postgresql.conf"), `${SETTINGS}${this.plan.settings ?? ""}`);
	}

	/** Creates an empty data folder that belongs to the server's account. */
	async makeFolder(): Promise<void> {
		await mkdir(this.plan.folder, { recursive: true });
		await chmod(this.plan.folder, 0o755);
		await this.#own(this.plan.folder);
		await rm(this.data, { recursive: true, force: true });
		await mkdir(this.data, { mode: 0o700 });
		await this.#own(this.data);
	}

	/** Writes a file in its data folder. */
	async write(name: string, text: string): Promise<void> {
		const file = join(this.data, name);
		await writeFile(file, text, { mode: 0o600 });
		await this.#own(file);
	}

	/** Starts it unless it runs, and waits until it accepts connections. May be called concurrently. */
	async start(): Promise<void> {
		this.#starting ??= this.#start().finally(() => {
			this.#starting = null;
		});
		await this.#starting;
	}

	async #start(): Promise<void> {
		if (this.postmaster !== null) return await this.untilReady(READY_MS);
		const { binaries, port, folder, log, account, clock } = this.plan;
		// we know that its process is gone; the file is left over from a killed server
		await rm(join(this.data, "postmaster.pid"), { force: true });
		const out = openSync(log, "a");
		const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`];
		this.#child = spawn(binaries.postgres, ["-D", this.data, ...settings.flatMap((setting) => ["-c", setting])], {
			detached: true, // a Ctrl-C at the terminal is for the lab, which stops its servers regularly
			stdio: ["ignore", out, out],
			cwd: "/",
			env: { LC_ALL: "C", TZ: "UTC", ...clock?.env },
			...account,
		});
		closeSync(out);
		this.#child.once("error", () => undefined); // shows as a server that does not run
		this.#process = this.#child.pid === undefined ? null : identify(this.#child.pid);
		this.#forget();
		this.#forget = this.#process === null ? () => undefined : this.#endFamilyAtLast(this.#process);
		await this.untilReady(READY_MS);
	}

	/** Resolves when it accepts connections; throws if its process ends first, or after `withinMs`. */
	async untilReady(withinMs: number): Promise<void> {
		const latest = performance.now() + withinMs;
		while (!(await canReachDatabase(this.url()))) {
			if (this.postmaster === null) throw new Error(`PostgreSQL ${this.plan.name} ended; its log is ${this.plan.log}`);
			if (performance.now() > latest)
				throw new Error(`PostgreSQL ${this.plan.name} does not accept connections; its log is ${this.plan.log}`);
			await sleep(LOOK_EVERY_MS);
		}
	}

	/**
	 * Restores it from any state: starts a server that ended, and first kills one that does not finish its recovery.
	 */
	async revive(): Promise<void> {
		if (this.postmaster !== null) {
			try {
				return await this.untilReady(WEDGED_MS);
			} catch {
				if (this.postmaster !== null) this.wedged++;
				await this.kill();
			}
		}
		await this.start();
	}

	/** The backend with this process id; null unless it is a child of our postmaster. */
	backend(pid: number): Process | null {
		return this.postmaster === null ? null : childWithPid(this.postmaster, pid);
	}

	/**
	 * Kills all its processes at once and waits until they are gone, so that nothing more is written. Frees its shared
	 * memory.
	 */
	async kill(): Promise<void> {
		const { postmaster } = this;
		const child = this.#child;
		if (postmaster === null || child === null) return;
		const gone = once(child, "exit"); // before any await: it may end by itself meanwhile
		const segment = await segmentOf(this.data);
		const children = childrenOf(postmaster);
		signal(postmaster, "SIGKILL");
		for (const orphan of children) signal(orphan, "SIGKILL");
		await gone;
		await ended(children, LEFTOVERS_MS);
		await giveBack(segment);
		this.#forget();
	}

	/** Kills only the postmaster. Its children notice and exit; those that do not are killed. */
	async killPostmaster(): Promise<void> {
		const { postmaster } = this;
		const child = this.#child;
		if (postmaster === null || child === null) return;
		const children = childrenOf(postmaster);
		const gone = once(child, "exit");
		signal(postmaster, "SIGKILL");
		await gone;
		for (const orphan of await ended(children, LEFTOVERS_MS)) signal(orphan, "SIGKILL");
		await ended(children, LEFTOVERS_MS);
		this.#forget();
	}

	/** Stops the postmaster and its children with SIGSTOP; the returned function continues them. */
	freeze(): () => void {
		const { postmaster } = this;
		if (postmaster === null) return () => undefined;
		signal(postmaster, "SIGSTOP"); // first, so that no new child is missed
		const frozen = [...childrenOf(postmaster), postmaster];
		for (const one of frozen) signal(one, "SIGSTOP");
		return () => {
			for (const one of frozen) signal(one, "SIGCONT");
		};
	}

	/** A fast shutdown; a server that does not respond to it is killed. */
	async stop(): Promise<void> {
		const { postmaster } = this;
		if (postmaster === null) return;
		signal(postmaster, "SIGINT");
		for (const one of [postmaster, ...childrenOf(postmaster)]) signal(one, "SIGCONT"); // may be frozen by a fault
		await ended([postmaster], STOP_MS);
		await this.kill();
		this.#forget();
	}

	async #own(path: string): Promise<void> {
		const { account } = this.plan;
		if (account !== null) await chown(path, account.uid, account.gid);
	}

	/**
	 * At exit, requests an immediate shutdown, which frees shared memory (a kill does not), and kills the processes
	 * that do not end in time, such as frozen ones.
	 */
	#endFamilyAtLast(postmaster: Process): () => void {
		return atLast(() => {
			const family = [postmaster, ...childrenOf(postmaster)];
			signal(postmaster, "SIGQUIT");
			for (const one of family) signal(one, "SIGCONT");
			endedSync(family, LAST_STOP_MS);
			for (const one of family) signal(one, "SIGKILL");
		});
	}
}
