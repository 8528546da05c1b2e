import { hash, randomFillSync, randomUUIDv7 } from "node:crypto";

/** A new row's id: uuid version 7, so that indexes grow at one end. */
export const newId = (): string => randomUUIDv7();

/** Another id for the same thing in another role: always the same, in the form of a uuid. */
export const nameFrom = (id: string, role: string): string =>
	hash("sha256", `${role} ${id}`, "hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");

/**
 * Random bytes of a request id: 96 bits, so nobody meets or guesses another's, and no two of one's own say how many lie
 * between them.
 */
const REQUEST_ID_BYTES = 12;
/** Random bytes fetched at a time: asking the system for each id would cost more than the id. */
const pool = Buffer.alloc(REQUEST_ID_BYTES * 512);
let used = pool.length;

/** The id of one request, `req_…`: in the reply's `X-Request-Id`, in the log line and in the ledger. */
export function newRequestId(): string {
	if (used === pool.length) {
		randomFillSync(pool);
		used = 0;
	}
	const start = used;
	used += REQUEST_ID_BYTES;
	return `req_${pool.toString("hex", start, used)}`;
}

/** A random number, 0 inclusive to 1 exclusive; for spreading work over time, never for a secret. */
export const draw = (): number => Math.random();
