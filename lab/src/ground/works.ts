import { setTimeout as sleep } from "node:timers/promises";
import type { Disk } from "./disk.ts";
import { withSession } from "./one-session.ts";
import type { PostgresServer } from "./postgres-server.ts";
import type { ServerClock } from "./server-clock.ts";
import type { ServiceNode } from "./service-node.ts";
import { attachStandby, detachStandby, promote } from "./standby.ts";

/** Milliseconds for writing one row. */
const WRITE_MS = 3_000;
/** Milliseconds between two health checks. */
const LOOK_EVERY_MS = 50;

/** The place of one PostgreSQL server: with promotions there are two, which swap roles. */
export interface Berth {
	readonly server: PostgresServer;
	/** The lab's disk with its data; a text says why there is none. */
	readonly disk: Disk | string;
}

export interface WorksPlan {
	readonly primary: Berth;
	/** Where a standby can be built; null: there will be none. */
	readonly spare: Berth | null;
	readonly nodes: readonly ServiceNode[];
	/** The clock of the servers; null: it cannot be changed. */
	readonly clock: ServerClock | null;
	readonly serviceDatabase: string;
	readonly say: (line: string) => void;
}

/**
 * The servers, proxies and disks of a ground, only for faults and trials: everything that can be broken, and its
 * repair.
 */
export class Works {
	readonly nodes: readonly ServiceNode[];
	readonly clock: ServerClock | null;
	readonly serviceDatabase: string;
	readonly #say: (line: string) => void;
	#primary: Berth;
	#spare: Berth | null;

	constructor(plan: WorksPlan) {
		this.nodes = plan.nodes;
		this.clock = plan.clock;
		this.serviceDatabase = plan.serviceDatabase;
		this.#say = plan.say;
		this.#primary = plan.primary;
		this.#spare = plan.spare;
	}

	/** The server that currently accepts writes. */
	get server(): PostgresServer {
		return this.#primary.server;
	}

	get disk(): Disk | string {
		return this.#primary.disk;
	}

	get canPromote(): boolean {
		return this.#spare !== null;
	}

	/** Address of the service's database, without a proxy. */
	get url(): string {
		return this.server.url(this.serviceDatabase);
	}

	/** Builds a standby and makes replication synchronous. */
	async attachStandby(): Promise<void> {
		const spare = this.#needSpare().server;
		try {
			await attachStandby(this.server, spare);
		} catch (error) {
			// commits must not wait for a standby that will never come
			await detachStandby(this.server);
			await spare.kill();
			throw error;
		}
	}

	/** Kills all processes of the primary, promotes the standby, and connects all proxies to it. */
	async failOver(): Promise<void> {
		const next = this.#needSpare();
		await this.server.kill();
		await promote(next.server);
		this.#spare = this.#primary;
		this.#primary = next;
		const upstream = this.server.plan.port;
		for (const proxy of this.nodes.map((node) => node.plan.database)) {
			await proxy.order({ kind: "upstream", upstream });
		}
	}

	/** Resolves when every node is ready and the server accepts writes; restarts what has ended. */
	async whole(withinMs: number): Promise<void> {
		const latest = performance.now() + withinMs;
		for (;;) {
			const missing = await this.#missing();
			if (missing === null) return;
			if (performance.now() > latest) throw new Error(`the ground has not recovered after ${withinMs} ms: ${missing}`);
			await sleep(LOOK_EVERY_MS);
		}
	}

	/** Backends that serve a node: process id, and the name of their pool. */
	async backendsOf(node: ServiceNode): Promise<{ readonly pid: number; readonly pool: string }[]> {
		const { upstreamPorts } = await node.plan.database.order({ kind: "look" });
		return await withSession(this.url, async (session) => {
			const { rows } = await session.query<{ pid: number; pool: string }>(
				"select pid, application_name as pool from pg_stat_activity where datname = $1 and client_port = any($2::int[])",
				[this.serviceDatabase, upstreamPorts],
			);
			return rows;
		});
	}

	/** What keeps the ground from being healthy; null: nothing. */
	async #missing(): Promise<string | null> {
		try {
			await this.server.revive();
			if (!(await this.#takesWrites())) return "the server accepts no writes";
		} catch (error) {
			return `the server: ${(error as Error).message}`;
		}
		for (const node of this.nodes) {
			if (node.running === null) {
				if (node.diedAlone > 0) this.#say(`node ${node.name} is not running: starting it`);
				node.start();
			}
		}
		const ready = await Promise.all(this.nodes.map((node) => node.isReady()));
		const late = this.nodes.filter((_, at) => ready[at] !== true);
		return late.length === 0 ? null : `not ready: ${late.map(({ name }) => name).join(", ")}`;
	}

	/** Whether the server commits a row: one whose disk is full, or that waits for a lost standby, does not. */
	async #takesWrites(): Promise<boolean> {
		return await withSession(this.server.url(), async (session) => {
			const { rows } = await session.query<{ standby: boolean }>("select pg_is_in_recovery() as standby");
			if (rows[0]?.standby !== false) return false;
			await session.query(`set statement_timeout = ${WRITE_MS}`);
			await session.query("create table if not exists pulse (one boolean primary key, beats bigint)");
			await session.query("insert into pulse values (true, 1) on conflict (one) do update set beats = pulse.beats + 1");
			return true;
		});
	}

	#needSpare(): Berth {
		if (this.#spare === null) throw new Error("this ground was opened without a standby");
		return this.#spare;
	}
}
