import type { Socket } from "node:net";
import pg from "pg";

/*
 * All that Holdfast uses of the driver although the driver's documentation and types do not promise it. Tested with
 * pg 8.23.1 and pg-protocol 1.16.1; round-trip.test.ts and the tests of backups fail if another version differs.
 */

/** The driver's connection, as the driver passes it to a query that writes its own messages. */
export interface Wire {
	readonly stream: Socket;
	query(text: string): void;
	sendCopyFromChunk(chunk: Buffer): void;
	endCopyFrom(): void;
	sendCopyFail(message: string): void;
}

/** The socket of a connected client; undefined: of anything else. */
export const streamOf = (client: object): Socket | undefined => (client as { connection?: Wire }).connection?.stream;

export type Parser = (text: string) => unknown;

/** The driver's conversion of a parameter to a text or a Buffer. */
export const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

/** The driver's message for an answer that came too late. */
export const READ_TIMEOUT = "Query read timeout";

/** The pool's message if none of its connections became free in time. */
export const POOL_TIMEOUT = "timeout exceeded when trying to connect";

/** Limits the time until the answer to one query, in milliseconds. */
export const withTimeout = <Query extends object>(query: Query, ms: number): Query => ({ ...query, query_timeout: ms });

/** A query that writes its own messages in `send` and receives the server's in the `handle…` methods of its class. */
export abstract class WireQuery extends pg.Query {
	/** Set by the driver. */
	declare callback: ((error: unknown) => void) | undefined;
	/** Leads to the types that the connection was opened with. */
	declare readonly _result: { readonly _types: { getTypeParser(oid: number, format: "text"): Parser } };

	constructor() {
		super("");
	}

	override submit = (connection: unknown): Error | null => this.send(connection as Wire);

	/**
	 * The driver calls this to send the query. If it returns an error, nothing was sent and the query fails with that
	 * error.
	 */
	protected abstract send(wire: Wire): Error | null;

	protected parserOf(oid: number): Parser {
		return this._result._types.getTypeParser(oid, "text");
	}

	/** Lets the driver send the next query. */
	protected end(error: unknown): void {
		this.callback?.(error);
	}
}

/** Sends a query of a class that is not the driver's. */
export const submit = (client: pg.Client, query: { submit(connection: Wire): null }): void =>
	void client.query(query as unknown as pg.Submittable);
