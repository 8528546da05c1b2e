import type { Socket } from "node:net";
import pg from "pg";
import { serialize } from "pg-protocol";

/** A statement that is prepared at its first use on a connection, and its values. Its rows come as tuples. */
export interface PreparedQuery {
	readonly name: string;
	readonly text: string;
	readonly values: readonly unknown[];
	readonly rowMode: "array";
}

interface Answer {
	readonly rows: unknown[][];
	/** What the server says that it did: `COMMIT`, `INSERT 0 3`. */
	command: string;
}

type Parser = (text: string) => unknown;

/** The driver's connection. */
interface Wire {
	readonly stream: Socket;
}

interface Asked {
	readonly query: PreparedQuery;
	readonly answer: Answer;
	readonly resolve: (answer: Answer) => void;
	readonly reject: (error: unknown) => void;
	/** How to read each column; undefined: the server is yet to say. */
	parsers: readonly Parser[] | undefined;
}

const { prepareValue: valueMapper } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;
const DESCRIBE = serialize.describe({ type: "P", name: "" });

/** The statements that each connection has prepared, with what they answer. */
const preparedOn = new WeakMap<Wire, Map<string, readonly Parser[]>>();

/**
 * Prepared statements that go to the server together, up to one Sync: it carries them out in their order, sends all answers at once, and
 * after the first that fails it carries out no other. The rest fail with the same error. For the driver it is one query, so the limit on
 * the time of an answer is one for all of them. What a statement answers is asked at its first use on a connection only.
 */
export class RoundTrip extends pg.Query {
	readonly #asked: Asked[] = [];
	/** Which of them is being answered. */
	#at = 0;
	#prepared = new Map<string, readonly Parser[]>();
	/** Why the statements behind the last that was sent were not sent; null: all were. */
	#unsent: unknown = null;
	/** Set by the driver. */
	declare callback: ((error: unknown) => void) | undefined;
	/** As the driver names it: here for the types that the connection was opened with. */
	declare readonly _result: { readonly _types: { getTypeParser(oid: number, format: "text"): Parser } };

	constructor() {
		super("");
	}

	/** Adds a statement, before the driver sends them. */
	ask(query: PreparedQuery): Promise<Answer> {
		return new Promise((resolve, reject) => {
			this.#asked.push({ query, answer: { rows: [], command: "" }, resolve, reject, parsers: undefined });
		});
	}

	/** The driver's call to send them. */
	override submit = (connection: unknown): null => {
		const wire = connection as Wire;
		this.#prepared = preparedOn.get(wire) ?? this.#prepared;
		preparedOn.set(wire, this.#prepared);
		const messages: Buffer[] = [];
		try {
			for (const asked of this.#asked) this.#write(asked, messages);
		} catch (error) {
			this.#unsent = error; // a value that cannot be sent
		}
		messages.push(serialize.sync());
		if (wire.stream.writable) wire.stream.write(Buffer.concat(messages));
		return null;
	};

	#write(asked: Asked, messages: Buffer[]): void {
		const { name, text, values } = asked.query;
		asked.parsers = this.#prepared.get(name);
		const isNew = asked.parsers === undefined;
		if (isNew) {
			messages.push(serialize.close({ type: "S", name })); // one that failed may be there still
			messages.push(serialize.parse({ name, text }));
		}
		messages.push(serialize.bind({ statement: name, values: values as unknown[], valueMapper }));
		if (isNew) messages.push(DESCRIBE);
		messages.push(serialize.execute());
	}

	handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
		const { _types: types } = this._result;
		this.#current.parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, "text"));
	}

	handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
		const { answer, parsers = [] } = this.#current;
		answer.rows.push(fields.map((field, index) => (field === null ? null : parsers[index]!(field))));
	}

	handleCommandComplete({ text }: { readonly text: string }): void {
		const { query, answer, parsers = [], resolve } = this.#current;
		this.#prepared.set(query.name, parsers);
		answer.command = text;
		this.#at++;
		resolve(answer);
	}

	handleError(error: unknown): void {
		const failed = this.#asked[this.#at];
		if (failed) this.#prepared.delete(failed.query.name); // its plan may be what failed: it is prepared anew
		this.#rejectRest(error);
		this.callback?.(error);
	}

	handleReadyForQuery(): void {
		if (this.#at < this.#asked.length) this.#rejectRest(this.#unsent ?? new Error("bug: a statement got no answer"));
		this.callback?.(null);
	}

	get #current(): Asked {
		return this.#asked[this.#at]!;
	}

	#rejectRest(error: unknown): void {
		for (; this.#at < this.#asked.length; this.#at++) this.#current.reject(error);
	}
}
