import { once } from "node:events";
import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Line } from "./history.ts";

/** Milliseconds between two records of the wall clock. */
const CLOCK_EVERY_MS = 1_000;

/** Writes the history of a run, one JSON line per event. */
export class Recorder {
	readonly #stream: WriteStream;
	readonly #clock: NodeJS.Timeout;
	/** Lines written so far, by kind. */
	readonly counts = new Map<Line["kind"], number>();

	constructor(file: string) {
		this.#stream = createWriteStream(file);
		this.#noteClock();
		this.#clock = setInterval(() => this.#noteClock(), CLOCK_EVERY_MS).unref();
	}

	write(line: Line): void {
		this.counts.set(line.kind, (this.counts.get(line.kind) ?? 0) + 1);
		this.#stream.write(`${JSON.stringify(line)}\n`);
	}

	#noteClock(): void {
		const at = performance.now();
		this.write({ kind: "clock", at, ahead: Date.now() - at });
	}

	/** Resolves when everything has been written to the file. */
	async close(): Promise<void> {
		clearInterval(this.#clock);
		this.#stream.end();
		await once(this.#stream, "finish");
	}
}

/** The lines of a history. */
export async function readHistory(file: string): Promise<Line[]> {
	const lines: Line[] = [];
	for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
		if (text !== "") lines.push(JSON.parse(text) as Line);
	}
	return lines;
}
