import type { Socket } from "node:net";
import type pg from "pg";
import { monotonicMs, sleep } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { submit, type Wire } from "./driver-internals.ts";
import { understood } from "./faults.ts";

/** Bytes of rows passed on at a time; a longer row is passed on alone. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** Maximum bytes of one message to the server. */
const MESSAGE_BYTES = 64 * 1024;
/** Milliseconds without a byte from or to the server before a copy fails. */
const SILENCE_LIMIT_MS = 120_000;
/** Milliseconds between two checks for silence. */
const POLL_EVERY_MS = 1_000;
/** Ends every row of COPY's text format and occurs nowhere else in it. */
const NEWLINE = 0x0a;

/** Common to both directions: how the server ends a copy, and a limit on its silence. */
abstract class Copy {
	readonly #text: string;
	readonly #settled = Promise.withResolvers<number>();
	#rows = 0;
	protected error: Error | null = null;
	/** The start of the present wait for the server; null if there is none. */
	protected waitsSince: number | null = null;
	protected connection: Wire | null = null;
	constructor(text: string) {
		this.#text = text;
		this.#settled.promise.catch(() => undefined); // `done` is awaited only after the last row
	}
	/** Resolves with the number of rows once the server has reported completion. */
	get done(): Promise<number> {
		return this.#settled.promise;
	}
	submit(connection: Wire): null {
		this.connection = connection;
		connection.query(this.#text);
		return null;
	}
	handleRowDescription(): void {}
	handleDataRow(): void {}
	handlePortalSuspended(): void {}
	handleEmptyQuery(): void {}
	handleCopyInResponse(connection: Wire): void {
		connection.sendCopyFail("this copy reads from the server and cannot send to it");
	}
	handleCopyData(_message: { readonly chunk: Buffer }): void {}
	handleCommandComplete({ text }: { readonly text: string }): void {
		this.#rows = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0);
	}
	handleError(error: unknown): void {
		this.error ??= understood(error);
		this.#settled.reject(this.error);
		this.onEnd();
	}
	handleReadyForQuery(): void {
		this.#settled.resolve(this.#rows);
		this.onEnd();
	}
	protected abstract onEnd(): void;

	/** Closes the connection if the server is silent; pending waits fail. */
	protected async watch(ended: AbortSignal): Promise<void> {
		while (!ended.aborted) {
			await sleep(POLL_EVERY_MS, ended);
			if (ended.aborted || monotonicMs() - (this.waitsSince ?? monotonicMs()) < SILENCE_LIMIT_MS) continue;
			this.error = new OperatorError(`The database was silent for ${SILENCE_LIMIT_MS / 1_000} s during a copy.`);
			this.connection?.stream.destroy();
			return;
		}
	}
}

class CopyOut extends Copy {
	#full: Buffer[] = [];
	#chunk = Buffer.allocUnsafe(CHUNK_BYTES);
	#used = 0;
	#ended = false;
	/** The consumer has stopped reading. */
	#isLeft = false;
	#wake: (() => void) | null = null;

	override handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
		if (this.#isLeft) return;
		if (this.waitsSince !== null) this.waitsSince = monotonicMs();
		if (this.#used + chunk.length > this.#chunk.length) this.#flush(chunk.length);
		// copied, because pg reuses the buffer for the next message
		this.#used += chunk.copy(this.#chunk, this.#used);
	}

	/** Passes on the complete rows and keeps the beginning of an incomplete one. */
	#flush(room: number): void {
		const end = this.#chunk.subarray(0, this.#used).lastIndexOf(NEWLINE) + 1;
		const begun = this.#chunk.subarray(end, this.#used);
		const next = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, begun.length + room));
		begun.copy(next);
		if (end > 0) this.#full.push(this.#chunk.subarray(0, end));
		[this.#chunk, this.#used] = [next, begun.length];
		this.connection?.stream.pause(); // until these have been consumed
		this.#wake?.();
	}

	protected override onEnd(): void {
		this.#ended = true;
		this.#wake?.();
	}

	/** Chunks of whole rows. The server's rows are read only as fast as the consumer takes the chunks. */
	async *chunks(): AsyncGenerator<Buffer> {
		const over = new AbortController();
		void this.watch(over.signal);
		try {
			while (!this.#ended || this.#full.length > 0) {
				const next = this.#full.shift();
				if (next !== undefined) {
					yield next;
					continue;
				}
				this.waitsSince = monotonicMs();
				this.connection?.stream.resume();
				await new Promise<void>((resolve) => {
					this.#wake = resolve;
				});
				[this.#wake, this.waitsSince] = [null, null];
			}
			if (this.error !== null) throw this.error;
			if (this.#used > 0) yield this.#chunk.subarray(0, this.#used);
		} finally {
			over.abort();
			this.#isLeft = true;
			this.connection?.stream.resume();
		}
	}
}

class CopyIn extends Copy {
	readonly #bytes: Buffer;
	constructor(text: string, bytes: Buffer) {
		super(text);
		this.#bytes = bytes;
	}
	override handleCopyInResponse(connection: Wire): void {
		void this.#send(connection);
	}
	async #send(connection: Wire): Promise<void> {
		const { stream } = connection;
		for (let at = 0; at < this.#bytes.length && this.error === null; at += MESSAGE_BYTES) {
			connection.sendCopyFromChunk(this.#bytes.subarray(at, at + MESSAGE_BYTES));
			if (stream.writableNeedDrain) await drained(stream);
			this.waitsSince = monotonicMs();
		}
		if (this.error === null) connection.endCopyFrom();
	}
	async run(): Promise<number> {
		const over = new AbortController();
		this.waitsSince = monotonicMs();
		void this.watch(over.signal);
		try {
			return await this.done;
		} finally {
			over.abort();
		}
	}
	protected override onEnd(): void {}
}

const drained = (stream: Socket): Promise<void> =>
	new Promise((resolve) => {
		const end = (): void => {
			for (const event of ["drain", "close", "error"]) stream.off(event, end);
			resolve();
		};
		for (const event of ["drain", "close", "error"]) stream.on(event, end);
	});

/** A table, or a query in parentheses, and its columns. */
export interface CopySource {
	readonly from: string;
	readonly columns?: readonly string[];
}

const columnsOf = (columns: readonly string[]): string => columns.map((name) => `"${name}"`).join(", ");

/** Reads rows in COPY's text format and returns their number. The client must not pipeline. @throws ConnectionLost */
export async function copyOut(
	client: pg.Client,
	{ from, columns }: CopySource,
	take: (chunk: Buffer) => Promise<void>,
): Promise<number> {
	const copy = new CopyOut(`copy ${from}${columns === undefined ? "" : ` (${columnsOf(columns)})`} to stdout`);
	submit(client, copy);
	for await (const chunk of copy.chunks()) await take(chunk);
	return await copy.done;
}

/** Writes rows that `copyOut` read, on any major version of PostgreSQL, and returns their number. */
export async function copyIn(
	client: pg.Client,
	{ into, columns }: { readonly into: string; readonly columns: readonly string[] },
	bytes: Buffer,
): Promise<number> {
	const copy = new CopyIn(`copy ${into} (${columnsOf(columns)}) from stdin`, bytes);
	submit(client, copy);
	return await copy.run();
}
