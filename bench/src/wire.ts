/**
 * The database alone: sends the minimal writes of a reserve straight to PostgreSQL, one durable transaction each, over
 * several connections that each do one reserve at a time. Bytes are prepared as for the HTTP generator.
 */
import { randomBytes } from "node:crypto";
import type net from "node:net";
import { type Database, openDatabase } from "../../service/src/ground/pg/connect.ts";
import { Histogram } from "./histogram.ts";
import type { LoadMessage, LoadResult } from "./load.ts";
import { References, SKU_DIGITS } from "./request.ts";
import { MINIMAL_CALL, MINIMAL_SCRIPT } from "./sql.ts";
import { renderPreparation, type Values, WireMessage } from "./wire-message.ts";

/** `script`: consecutive statements, as psql or pgbench run a file; `call`: everything in one server-side function. */
export type WireStyle = "script" | "call";

export interface WireJob {
	readonly databaseUrl: string;
	readonly style: WireStyle;
	readonly connections: number;
	readonly skuCount: number;
	readonly warmUpMs: number;
	readonly measureMs: number;
}

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;
const READY_FOR_QUERY = 0x5a; // "Z"
const ERROR_RESPONSE = 0x45; // "E"

const references = new References(`w${Date.now().toString(36)}`);
const tokenEnd = randomBytes(6).toString("hex");
let tokens = 0;

/** Reads the server's messages on a connection whose socket this class has taken over. */
class Wire {
	readonly #socket: net.Socket;
	readonly #onReady: (failed: boolean) => void;
	#rest: Buffer = Buffer.alloc(0);
	#failed = false;

	constructor(socket: net.Socket, onReady: (failed: boolean) => void) {
		this.#socket = socket;
		this.#onReady = onReady;
		socket.removeAllListeners("data");
		socket.on("data", (chunk: Buffer) => this.#read(chunk));
	}

	send(bytes: Buffer): void {
		this.#socket.write(bytes);
	}

	#read(chunk: Buffer): void {
		const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
		let at = 0;
		while (at + TYPE_BYTES + LENGTH_BYTES <= bytes.length) {
			const next = at + TYPE_BYTES + bytes.readUInt32BE(at + TYPE_BYTES);
			if (next > bytes.length) break;
			const type = bytes[at];
			if (type === ERROR_RESPONSE) this.#failed = true;
			at = next;
			if (type === READY_FOR_QUERY) {
				this.#rest = bytes.subarray(at);
				const failed = this.#failed;
				this.#failed = false;
				this.#onReady(failed);
				return;
			}
		}
		this.#rest = bytes.subarray(at);
	}
}

class Run {
	readonly #job: WireJob;
	readonly #latencies = new Histogram();
	#measuring = false;
	#stopped = false;
	#answered = 0;
	#failed = 0;

	constructor(job: WireJob) {
		this.#job = job;
	}

	async run(): Promise<LoadResult> {
		const { databaseUrl, style, connections, warmUpMs, measureMs } = this.#job;
		const steps = style === "call" ? [MINIMAL_CALL] : MINIMAL_SCRIPT;
		const db = openDatabase(databaseUrl, { max: connections, name: "bench wire" });
		const sockets = await connect(db, connections);
		for (const socket of sockets) this.#keepBusy(socket, steps);
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
		this.#stopped = true;
		await pause(100);
		for (const socket of sockets) socket.destroy();
		return {
			seconds,
			answered: this.#answered,
			others: this.#failed > 0 ? { "database error": this.#failed } : {},
			p50Ms: this.#latencies.quantile(0.5),
			p99Ms: this.#latencies.quantile(0.99),
			cpuSeconds: (used.user + used.system) / 1e6,
		};
	}

	#keepBusy(socket: net.Socket, steps: typeof MINIMAL_SCRIPT): void {
		const messages = steps.map(({ parameters }, index) => new WireMessage(nameOf(index), parameters, references.width));
		let step = -1; // the statements are being prepared
		let failed = false;
		let sentAt = 0;
		const begin = (): void => {
			const values = newValues(this.#job.skuCount);
			for (const message of messages) message.renew(values);
			failed = false;
			sentAt = performance.now();
		};
		const wire = new Wire(socket, (stepFailed) => {
			failed ||= stepFailed;
			if (step === messages.length - 1) {
				if (this.#measuring) this.#count(failed, performance.now() - sentAt);
				if (this.#stopped) return;
			}
			step = (step + 1) % messages.length;
			if (step === 0) begin();
			wire.send(messages[step]!.bytes);
		});
		wire.send(renderPreparation(steps.map(({ text }, index) => ({ name: nameOf(index), text }))));
	}

	#count(failed: boolean, latencyMs: number): void {
		if (failed) {
			this.#failed++;
			return;
		}
		this.#answered++;
		this.#latencies.add(latencyMs);
	}
}

const nameOf = (index: number): string => `step_${index}`;

function newValues(skuCount: number): Values {
	const sku = String(Math.floor(Math.random() * skuCount)).padStart(SKU_DIGITS, "0");
	return { sku, ref: references.next(), token: newToken() };
}

/** A new uuid; ascending like the service's own, so that indexes grow at one end. */
function newToken(): string {
	const count = (++tokens).toString(16).padStart(12, "0");
	return `${count.slice(0, 8)}-${count.slice(8)}-7000-8000-${tokenEnd}`;
}

/** Authenticated connections, whose sockets the caller takes over. */
async function connect(db: Database, connections: number): Promise<net.Socket[]> {
	const clients = await Promise.all(Array.from({ length: connections }, () => db.pool.connect()));
	return clients.map((client) => {
		client.on("error", () => undefined); // its socket is cut at the end
		return (client as unknown as { connection: { stream: net.Socket } }).connection.stream;
	});
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (message: LoadMessage): void => void process.send?.(message);

process.on("message", (job: WireJob) => {
	new Run(job).run().then(
		(result) => tell({ kind: "done", result }),
		(error: unknown) => tell({ kind: "failed", why: String(error) }),
	);
});
process.on("disconnect", () => process.exit());
