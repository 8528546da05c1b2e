/**
 * The load generator: a process that keeps a number of connections busy, each with one request at a time, and counts
 * the answers. It gets its jobs from, and returns its results to, its parent by messages.
 */
import { Connection } from "./connection.ts";
import { Histogram } from "./histogram.ts";
import { HoldNumbers, References, RenderedRequest, type RequestTemplate } from "./request.ts";

export interface LoadJob {
	readonly host: string;
	readonly port: number;
	/** The port of each connection, if there are several servers. */
	readonly ports?: readonly number[];
	/** Bearer tokens, distributed over the connections. */
	readonly tokens: readonly string[];
	readonly connections: number;
	/** Each connection sends them in turn. */
	readonly templates: readonly RequestTemplate[];
	readonly skuCount: number;
	readonly warmUpMs: number;
	readonly measureMs: number;
	readonly expectedStatus: number;
}

export interface LoadResult {
	readonly seconds: number;
	/** Requests with the expected answer. */
	readonly answered: number;
	/** Requests with any other answer, by status; 0 stands for a broken connection. */
	readonly others: Readonly<Record<string, number>>;
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** CPU seconds of the generator itself. */
	readonly cpuSeconds: number;
}

/** Messages of a generator process to its parent. */
export type LoadMessage =
	| { kind: "measuring" }
	| { kind: "measured" }
	| { kind: "done"; result: LoadResult }
	| { kind: "failed"; why: string };

/** Broken connections after which a job is abandoned. */
const MAX_BROKEN = 1_000;

const references = new References(Date.now().toString(36));
/** By index of the key, for the lifetime of the process: no hold is placed twice. */
const holdNumbers = new Map<number, HoldNumbers>();

function holdsOf(key: number, keys: number): HoldNumbers {
	const known = holdNumbers.get(key) ?? new HoldNumbers(key, keys);
	holdNumbers.set(key, known);
	return known;
}

class Job {
	readonly #job: LoadJob;
	#measuring = false;
	#stopped = false;
	#answered = 0;
	#broken = 0;
	readonly #others: Record<string, number> = {};
	readonly #latencies = new Histogram();
	readonly #connections: Connection[] = [];

	constructor(job: LoadJob) {
		this.#job = job;
	}

	async run(): Promise<LoadResult> {
		const { connections, warmUpMs, measureMs } = this.#job;
		await Promise.all(Array.from({ length: connections }, (_, index) => this.#keepBusy(index)));
		await pause(warmUpMs);
		this.#measuring = true;
		tell({ kind: "measuring" });
		const start = performance.now();
		const cpu = process.cpuUsage();
		await pause(measureMs);
		this.#measuring = false;
		const seconds = (performance.now() - start) / 1_000;
		const used = process.cpuUsage(cpu);
		tell({ kind: "measured" });
		await this.#stop();
		return {
			seconds,
			answered: this.#answered,
			others: this.#others,
			p50Ms: this.#latencies.quantile(0.5),
			p99Ms: this.#latencies.quantile(0.99),
			cpuSeconds: (used.user + used.system) / 1e6,
		};
	}

	async #keepBusy(index: number): Promise<void> {
		const { host, tokens, templates, skuCount } = this.#job;
		const port = this.#job.ports?.[index] ?? this.#job.port;
		const key = index % tokens.length;
		const token = tokens[key]!;
		const holds = holdsOf(key, tokens.length);
		const requests = templates.map((template) => new RenderedRequest(template, host, token, references.width));
		let turn = index;
		let sentAt = 0;
		const send = (): void => {
			const request = requests[turn++ % requests.length]!;
			request.renew(skuCount, references, holds);
			sentAt = performance.now();
			connection.send(request.bytes);
		};
		const connection = new Connection(
			{ host, port },
			(status) => {
				if (this.#measuring) this.#count(status, performance.now() - sentAt);
				if (!this.#stopped) send();
			},
			() => this.#reopen(connection, send),
		);
		this.#connections.push(connection);
		await connection.open();
		send();
	}

	#count(status: number, latencyMs: number): void {
		if (status === this.#job.expectedStatus) {
			this.#answered++;
			this.#latencies.add(latencyMs);
		} else this.#others[status] = (this.#others[status] ?? 0) + 1;
	}

	#reopen(connection: Connection, send: () => void): void {
		if (this.#stopped) return;
		this.#others[0] = (this.#others[0] ?? 0) + 1;
		if (++this.#broken > MAX_BROKEN) return;
		connection.open().then(send, () => undefined); // a refused connection is reported by its `close`
	}

	/** Waits for the answers to requests under way, so that the next job starts on an idle server. */
	async #stop(): Promise<void> {
		this.#stopped = true;
		await pause(100);
		for (const connection of this.#connections) connection.close();
	}
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (message: LoadMessage): void => void process.send?.(message);

process.on("message", (job: LoadJob) => {
	new Job(job).run().then(
		(result) => tell({ kind: "done", result }),
		(error: unknown) => tell({ kind: "failed", why: String(error) }),
	);
});
process.on("disconnect", () => process.exit());
