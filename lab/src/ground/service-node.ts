import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { killAtLast } from "./last-resort.ts";
import { ended, identify, type Process, signal } from "./processes.ts";
import type { ProxyControl } from "./proxy/proxies.ts";
import type { LabNode } from "./types.ts";

/** Milliseconds for a graceful stop: the service drains within 10 s. */
const STOP_MS = 15_000;
/** Milliseconds between two polls of /readyz. */
const LOOK_EVERY_MS = 25;
/** Milliseconds for the answer to a poll. */
const LOOK_MS = 3_000;

/** Does the service at this address answer that it is ready? */
export async function isServing(address: string): Promise<boolean> {
	try {
		const reply = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(LOOK_MS) });
		await reply.arrayBuffer();
		return reply.status === 200;
	} catch {
		return false;
	}
}

export interface NodePlan {
	readonly name: string;
	readonly launcher: string;
	readonly env: NodeJS.ProcessEnv;
	/** The port the service listens on. */
	readonly port: number;
	/** The port of the certificate feed. */
	readonly coaPort: number;
	readonly log: string;
	/** The proxy between the service and PostgreSQL. */
	readonly database: ProxyControl;
	/** The proxy between partners and the service. */
	readonly clients: ProxyControl;
}

/** A process of the service, started as an operator would. */
export class ServiceNode implements LabNode {
	readonly plan: NodePlan;
	/** How often it ended without being stopped. */
	diedAlone = 0;
	#child: ChildProcess | null = null;
	#process: Process | null = null;
	#wanted = false;
	#forget: () => void = () => undefined;

	constructor(plan: NodePlan) {
		this.plan = plan;
	}

	get name(): string {
		return this.plan.name;
	}

	get api(): string {
		return `http://127.0.0.1:${this.plan.clients.port}`;
	}

	get coa(): string {
		return `http://127.0.0.1:${this.plan.coaPort}`;
	}

	get direct(): string {
		return `http://127.0.0.1:${this.plan.port}`;
	}

	get log(): string {
		return this.plan.log;
	}

	pid(): number | null {
		return this.running?.pid ?? null;
	}

	/** Its process; null if none runs. */
	get running(): Process | null {
		const over = this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
		return over ? null : this.#process;
	}

	/** Starts the process without waiting for it to be ready. */
	start(): void {
		if (this.running !== null) return;
		const out = openSync(this.plan.log, "a");
		const child = spawn(process.execPath, [this.plan.launcher, "start"], {
			detached: true, // a Ctrl-C at the terminal is for the lab, which stops its nodes regularly
			stdio: ["ignore", out, out],
			env: this.plan.env,
		});
		closeSync(out);
		this.#child = child;
		this.#wanted = true;
		child.once("error", () => undefined); // shows as a node that does not run
		child.once("exit", () => {
			if (this.#child === child && this.#wanted) this.diedAlone++;
		});
		this.#process = child.pid === undefined ? null : identify(child.pid);
		this.#forget();
		this.#forget = this.#process === null ? () => undefined : killAtLast(this.#process);
	}

	isReady(): Promise<boolean> {
		return isServing(this.direct);
	}

	/** Resolves when /readyz answers 200; meanwhile restarts a node that ended by itself. */
	async untilReady(withinMs: number): Promise<void> {
		const latest = performance.now() + withinMs;
		while (!(await this.isReady())) {
			if (performance.now() > latest) throw new Error(`node ${this.name} is not ready; its log is ${this.log}`);
			this.start();
			await sleep(LOOK_EVERY_MS);
		}
	}

	/** Sends SIGKILL; resolves when the process is gone. */
	async kill(): Promise<void> {
		const { running } = this;
		const child = this.#child;
		if (running === null || child === null) return;
		this.#wanted = false;
		const gone = once(child, "exit");
		signal(running, "SIGKILL");
		await gone;
		this.#forget();
	}

	/** Sends SIGSTOP; the returned function continues the process. */
	freeze(): () => void {
		const { running } = this;
		if (running === null) return () => undefined;
		signal(running, "SIGSTOP");
		return () => {
			signal(running, "SIGCONT");
		};
	}

	async stop(): Promise<void> {
		const { running } = this;
		if (running === null) return;
		this.#wanted = false;
		signal(running, "SIGTERM");
		await ended([running], STOP_MS);
		await this.kill();
		this.#forget();
	}
}
