import { monotonicMs } from "../../ground/lib/clock.ts";
import { patiently } from "../../ground/pg/patience.ts";
import type { Standing } from "../http/caller.ts";

/** Milliseconds for which a read is valid: what has ended is refused within 1 s (operator contract, section 2). */
const FRESH_FOR_MS = 250;

/** All credentials of a kind, as of one read. Immutable. */
export interface FreshRead<Row> {
	readonly rows: ReadonlyMap<string, Row>;
	/** The database's time now, in epoch milliseconds. */
	nowMs(): number;
}

export interface FreshReader<Row> {
	/** A read that began at most 250 ms ago; null: there is none. */
	fresh(): FreshRead<Row> | null;
	/** A valid read, or a new one. */
	read(): Promise<FreshRead<Row>>;
	/**
	 * A read that begins after this call, for a credential that a valid read lacks. All waiting callers share it, and
	 * only one runs at a time.
	 */
	readAnew(): Promise<FreshRead<Row>>;
}

/** `select` reads all rows and the database's time; `nameOf` is the name under which a row is found. */
export function createFreshReader<Row>(
	select: () => Promise<{ readonly nowMs: number; readonly rows: readonly Row[] }>,
	nameOf: (row: Row) => string,
	now: () => number = monotonicMs,
): FreshReader<Row> {
	let begunAt = Number.NEGATIVE_INFINITY;
	let last: FreshRead<Row> | null = null;
	let running: Promise<FreshRead<Row>> | null = null;
	const fresh = (): FreshRead<Row> | null => (now() - begunAt <= FRESH_FOR_MS ? last : null);
	const readAnew = async (): Promise<FreshRead<Row>> => {
		const sentAt = now();
		const { nowMs, rows } = await select();
		begunAt = sentAt;
		last = { rows: new Map(rows.map((row) => [nameOf(row), row])), nowMs: () => nowMs + now() - sentAt };
		return last;
	};
	const begin = (): Promise<FreshRead<Row>> => {
		running ??= patiently(readAnew).finally(() => {
			running = null;
		});
		return running;
	};
	return {
		fresh,
		read: async () => fresh() ?? (await begin()),
		async readAnew() {
			await running?.catch(() => undefined);
			return await begin();
		},
	};
}

/**
 * The standing of a caller whose credential is one of the reader's rows. `judge`: is it still accepted as of this read?
 */
export const standingOf = <Row, Who>(
	reader: FreshReader<Row>,
	caller: Who,
	judge: (read: FreshRead<Row>) => boolean,
): Standing<Who> => ({
	caller,
	inForce() {
		const read = reader.fresh();
		return read === null ? "stale" : judge(read);
	},
	confirm: async () => judge(await reader.read()),
});
