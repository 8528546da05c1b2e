import { hash, randomFillSync, randomUUIDv7 } from "node:crypto";

/** A new row's id: UUID version 7, so that indexes grow at one end. */
export const newId = (): string => randomUUIDv7();

/** A second id derived from an id for another role: deterministic, in the form of a UUID. */
export const nameFrom = (id: string, role: string): string =>
	hash("sha256", `${role} ${id}`, "hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");

/** Random bytes of a request id: 96 bits, so ids neither collide nor can be guessed, and reveal no request counts. */
const REQUEST_ID_BYTES = 12;
/** Random bytes fetched at a time, because a system call for each id would cost more than the id. */
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

/** A random number from 0 to below 1, for spreading work over time; never for a secret. */
export const draw = (): number => Math.random();
