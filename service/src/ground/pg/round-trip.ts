import { serialize } from "pg-protocol";
import { messageOf } from "../lib/assert.ts";
import { monotonicMs } from "../lib/clock.ts";
import { type Parser, prepareValue, type Wire, WireQuery } from "./driver-internals.ts";
import { StatementBug } from "./faults.ts";

/** A statement, prepared at its first use on a connection, and its values. Its rows are tuples. */
export interface PreparedQuery {
	readonly name: string;
	readonly text: string;
	readonly values: readonly unknown[];
	readonly rowMode: "array";
}

/**
 * Called for each statement that was answered, with its name and monotonic milliseconds. The server runs the statements
 * of a round trip one after the other, so each begins with the answer of the one before it.
 */
export type WatchStatement = (name: string, startMs: number, endMs: number) => void;

interface Answer {
	readonly rows: unknown[][];
	/** The server's command tag: `COMMIT`, `INSERT 0 3`. */
	command: string;
}

/** A statement prepared on a connection, and a parser for each column of its answer. */
interface Prepared {
	readonly text: string;
	readonly parsers: readonly Parser[];
}

interface Asked {
	readonly query: PreparedQuery;
	readonly answer: Answer;
	readonly resolve: (answer: Answer) => void;
	readonly reject: (error: unknown) => void;
	/** Empty until the server has described the columns, or if there are none. */
	parsers: readonly Parser[];
	/** Why the answer cannot be parsed, or null. */
	unreadable: StatementBug | null;
}

const DESCRIBE = serialize.describe({ type: "P", name: "" });

/** The prepared statements of each connection, by name. */
const preparedOn = new WeakMap<Wire, Map<string, Prepared>>();

/**
 * Prepared statements that go to the server together, up to one Sync. The server runs them in order, sends all
 * answers together, and runs none after the first that fails; all of them then fail with that error. Their answers
 * are resolved only when the server is ready for the next query: outside a transaction it commits them together only
 * then. For the driver they are one query, so they share one limit on the time of the answer. Columns are described
 * only at a statement's first use on a connection.
 */
export class RoundTrip extends WireQuery {
	/** Emptied once answered (docs/decisions/0062). */
	#asked: Asked[] = [];
	/** Index of the statement being answered. */
	#at = 0;
	#prepared = new Map<string, Prepared>();
	readonly #watch: WatchStatement | null;
	/** When the statement being answered began, if it is watched. */
	#since = 0;

	constructor(watch: WatchStatement | null = null) {
		super();
		this.#watch = watch;
	}

	/** Adds a statement, before the driver sends them. */
	ask(query: PreparedQuery): Promise<Answer> {
		return new Promise((resolve, reject) => {
			const answer = { rows: [], command: "" };
			this.#asked.push({ query, answer, resolve, reject, parsers: [], unreadable: null });
		});
	}

	protected override send(wire: Wire): Error | null {
		this.#prepared = preparedOn.get(wire) ?? this.#prepared;
		preparedOn.set(wire, this.#prepared);
		const messages: Buffer[] = [];
		try {
			for (const asked of this.#asked) this.#write(asked, messages);
		} catch (error) {
			return bug(error);
		}
		messages.push(serialize.sync());
		if (this.#watch !== null) this.#since = monotonicMs();
		if (wire.stream.writable) wire.stream.write(Buffer.concat(messages));
		return null;
	}

	#write(asked: Asked, messages: Buffer[]): void {
		const { name, text, values } = asked.query;
		const known = this.#prepared.get(name);
		if (known === undefined) {
			messages.push(serialize.close({ type: "S", name })); // one that failed may still exist
			messages.push(serialize.parse({ name, text }));
		} else if (known.text !== text) throw new Error(`two statements are called ${name}`);
		else asked.parsers = known.parsers;
		messages.push(serialize.bind({ statement: name, values: values as unknown[], valueMapper: prepareValue }));
		if (known === undefined) messages.push(DESCRIBE);
		messages.push(serialize.execute());
	}

	handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
		this.#current.parsers = fields.map(({ dataTypeID }) => this.parserOf(dataTypeID));
	}

	handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
		const asked = this.#current;
		if (asked.unreadable !== null) return;
		try {
			asked.answer.rows.push(fields.map((field, index) => (field === null ? null : asked.parsers[index]!(field))));
		} catch (error) {
			asked.unreadable = bug(error);
		}
	}

	handleCommandComplete({ text }: { readonly text: string }): void {
		const { query, answer, parsers } = this.#current;
		this.#prepared.set(query.name, { text: query.text, parsers });
		answer.command = text;
		this.#at++;
		if (this.#watch !== null) this.#tell(this.#watch, query.name);
	}

	#tell(watch: WatchStatement, name: string): void {
		const now = monotonicMs();
		watch(name, this.#since, now);
		this.#since = now;
	}

	handleEmptyQuery(): void {
		this.#at++;
	}

	handleError(error: unknown): void {
		const failed = this.#asked[this.#at];
		if (failed) this.#prepared.delete(failed.query.name); // its plan may have failed: prepare it again
		this.#rejectAll(error);
		this.end(error);
	}

	handleReadyForQuery(): void {
		if (this.#at < this.#asked.length) this.#rejectAll(bug("the server left a statement without an answer"));
		for (const { answer, unreadable, resolve, reject } of this.#asked) {
			if (unreadable === null) resolve(answer);
			else reject(unreadable); // the server has run it, with all the others
		}
		this.#asked = [];
		this.end(null);
	}

	get #current(): Asked {
		return this.#asked[this.#at]!;
	}

	/** Has no effect on statements already answered. */
	#rejectAll(error: unknown): void {
		for (const { reject } of this.#asked) reject(error);
	}
}

const bug = (cause: unknown): StatementBug => new StatementBug(`bug: ${messageOf(cause)}`, { cause });
