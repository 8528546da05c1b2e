import { setTimeout as sleep } from "node:timers/promises";
import type { Disk } from "./disk.ts";
import { withSession } from "./one-session.ts";
import type { PostgresServer } from "./postgres-server.ts";
import type { ProxyControl } from "./proxy/proxies.ts";
import type { ServerClock } from "./server-clock.ts";
import type { ServiceNode } from "./service-node.ts";
import { attachStandby, detachStandby, promote } from "./standby.ts";

/** Milliseconds that the write of one row may take. */
const WRITE_MS = 3_000;
/** Milliseconds between two looks whether everything is whole. */
const LOOK_EVERY_MS = 50;

/** The place of one PostgreSQL server: there are two when promotions are tried, and they change parts. */
export interface Berth {
	readonly server: PostgresServer;
	/** The disk its data is on, of the lab's own; a text says why there is none. */
	readonly disk: Disk | string;
}

export interface WorksPlan {
	readonly primary: Berth;
	/** Where a standby is built when one is wanted; null: there will be none. */
	readonly spare: Berth | null;
	readonly nodes: readonly ServiceNode[];
	/** Proxies of operators' commands: they follow a promotion like those of the nodes. */
	readonly operators: ProxyControl;
	/** The clock of the servers; null: it cannot be set. */
	readonly clock: ServerClock | null;
	readonly serviceDatabase: string;
	readonly say: (line: string) => void;
}

/** The machinery of a ground, for faults and trials alone: whatever can be broken, and how it is made whole. */
export class Works {
	readonly nodes: readonly ServiceNode[];
	readonly clock: ServerClock | null;
	readonly serviceDatabase: string;
	readonly #operators: ProxyControl;
	readonly #say: (line: string) => void;
	#primary: Berth;
	#spare: Berth | null;

	constructor(plan: WorksPlan) {
		this.nodes = plan.nodes;
		this.clock = plan.clock;
		this.serviceDatabase = plan.serviceDatabase;
		this.#operators = plan.operators;
		this.#say = plan.say;
		this.#primary = plan.primary;
		this.#spare = plan.spare;
	}

	/** The server that takes the writes. */
	get server(): PostgresServer {
		return this.#primary.server;
	}

	get disk(): Disk | string {
		return this.#primary.disk;
	}

	get canPromote(): boolean {
		return this.#spare !== null;
	}

	/** Address of the service's database, straight. */
	get url(): string {
		return this.server.url(this.serviceDatabase);
	}

	/** Builds a standby that every commit waits for from now on. */
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

	/** The primary dies with all its processes; the standby takes its place, and all connections find it there. */
	async failOver(): Promise<void> {
		const next = this.#needSpare();
		await this.server.kill();
		await promote(next.server);
		this.#spare = this.#primary;
		this.#primary = next;
		const upstream = this.server.plan.port;
		for (const proxy of [...this.nodes.map((node) => node.plan.database), this.#operators]) {
			await proxy.order({ kind: "upstream", upstream });
		}
	}

	/** Resolves when every node answers ready and the server takes writes; what has ended is started again. */
	async whole(withinMs: number): Promise<void> {
		const latest = performance.now() + withinMs;
		for (;;) {
			const missing = await this.#missing();
			if (missing === null) return;
			if (performance.now() > latest) throw new Error(`the ground is not whole after ${withinMs} ms: ${missing}`);
			await sleep(LOOK_EVERY_MS);
		}
	}

	/** Process ids of the backends that serve a node, by the name of the pool they belong to. */
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

	/** What keeps the ground from being whole; null: nothing. */
	async #missing(): Promise<string | null> {
		try {
			await this.server.revive();
			if (!(await this.#takesWrites())) return "the server takes no writes";
		} catch (error) {
			return `the server: ${(error as Error).message}`;
		}
		for (const node of this.nodes) {
			if (node.running === null) {
				if (node.diedAlone > 0) this.#say(`node ${node.name} does not run: starting it`);
				node.start();
			}
		}
		const ready = await Promise.all(this.nodes.map((node) => node.isReady()));
		const late = this.nodes.filter((_, at) => ready[at] !== true);
		return late.length === 0 ? null : `not ready: ${late.map(({ name }) => name).join(", ")}`;
	}

	/**
	 * A row is written and committed: a server whose disk is full, or that waits for a lost standby, does not do that.
	 */
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
