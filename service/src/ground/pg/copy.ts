import type { Socket } from "node:net";
import type pg from "pg";
import { monotonicMs, sleep } from "../lib/clock.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { submit, type Wire } from "./driver-internals.ts";
import { understood } from "./faults.ts";

/** Bytes of rows that are handed over at a time; a longer row is handed over alone. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** Bytes that one message to the server has at most. */
const MESSAGE_BYTES = 64 * 1024;
/** Milliseconds without a byte from or to the server before a copy is given up. */
const SILENCE_LIMIT_MS = 120_000;
/** Milliseconds between two looks at the silence. */
const LOOK_EVERY_MS = 1_000;
/** A row of COPY's text format ends with it, and has no other. */
const NEWLINE = 0x0a;

/** What both directions share: how the server ends it, and a limit on its silence. */
abstract class Copy {
	readonly #text: string;
	readonly #settled = Promise.withResolvers<number>();
	#rows = 0;
	protected error: Error | null = null;
	/** Since when the server is waited for; null: it is not. */
	protected waitsSince: number | null = null;
	protected connection: Wire | null = null;
	constructor(text: string) {
		this.#text = text;
		this.#settled.promise.catch(() => undefined); // it is awaited below, when the last row was taken
	}
	/** Resolves with the number of rows when the server has said that all is done. */
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
		connection.sendCopyFail("this copy goes the other way");
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

	/** Ends the connection of a server that is silent; whoever waits gets the error. */
	protected async watch(ended: AbortSignal): Promise<void> {
		while (!ended.aborted) {
			await sleep(LOOK_EVERY_MS, ended);
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
	/** Nobody takes any more of it. */
	#isLeft = false;
	#wake: (() => void) | null = null;

	override handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
		if (this.#isLeft) return;
		if (this.waitsSince !== null) this.waitsSince = monotonicMs();
		if (this.#used + chunk.length > this.#chunk.length) this.#flush(chunk.length);
		// copied: what pg hands out is overwritten by what comes next
		this.#used += chunk.copy(this.#chunk, this.#used);
	}

	/** Hands over what is complete; the start of a row that is not stays. */
	#flush(room: number): void {
		const end = this.#chunk.subarray(0, this.#used).lastIndexOf(NEWLINE) + 1;
		const begun = this.#chunk.subarray(end, this.#used);
		const next = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, begun.length + room));
		begun.copy(next);
		if (end > 0) this.#full.push(this.#chunk.subarray(0, end));
		[this.#chunk, this.#used] = [next, begun.length];
		this.connection?.stream.pause(); // until these were taken
		this.#wake?.();
	}

	protected override onEnd(): void {
		this.#ended = true;
		this.#wake?.();
	}

	/** The rows in chunks of whole rows; not read ahead of whoever takes them. */
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

/**
 * Reads rows as COPY writes them, in text format, chunk by chunk; returns how many there were. The client must be one
 * that does not pipeline. @throws ConnectionLost
 */
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

/** Writes rows that `copyOut` read, on a database of any major version; returns how many there were. */
export async function copyIn(
	client: pg.Client,
	{ into, columns }: { readonly into: string; readonly columns: readonly string[] },
	bytes: Buffer,
): Promise<number> {
	const copy = new CopyIn(`copy ${into} (${columnsOf(columns)}) from stdin`, bytes);
	submit(client, copy);
	return await copy.run();
}
