import { hash, randomBytes, randomFillSync, randomUUIDv7 } from "node:crypto";

/** A new row's id: UUID version 7, so that indexes grow at one end. */
export const newId = (): string => randomUUIDv7();

/** A second id derived from an id for another role: deterministic, in the form of a UUID. */
export const nameFrom = (id: string, role: string): string =>
	hash("sha256", `${role} ${id}`, "hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");

/** Random bytes of a request id: 64 bits, so ids neither collide nor can be guessed, and reveal no request counts. */
const RANDOM_BYTES = 8;
/** Random bytes fetched at a time, because a system call for each id would cost more than the id. */
const pool = Buffer.alloc(RANDOM_BYTES * 512);
let used = pool.length;

/**
 * The id of one request, `req_…`: in the reply's `X-Request-Id`, in the log line and in the ledger. It begins with the
 * second of its creation, in eight hexadecimal digits, so that the request log finds its row without an index of ids.
 */
export function newRequestId(): string {
	if (used === pool.length) {
		randomFillSync(pool);
		used = 0;
	}
	const start = used;
	used += RANDOM_BYTES;
	const second = Math.floor(Date.now() / 1_000);
	return `req_${second.toString(16).padStart(8, "0")}${pool.toString("hex", start, used)}`;
}

const REQUEST_ID = /^req_[0-9a-f]{24}$/;
/** Where the second is in a request id. */
const [SECOND_FROM, SECOND_TO] = [4, 12];

/** The second in which a request id was created, in epoch milliseconds; null: the text is not a request id. */
export const secondOfRequest = (text: string): number | null => (REQUEST_ID.test(text) ? secondOfOwn(text) : null);

/** The same for a text that is known to be a request id. */
export const secondOfOwn = (requestId: string): number =>
	Number.parseInt(requestId.slice(SECOND_FROM, SECOND_TO), 16) * 1_000;

/** Random bytes of a nonce. */
const NONCE_BYTES = 12;

/** A nonce for the script of one page. */
export const newNonce = (): string => randomBytes(NONCE_BYTES).toString("hex");

/** A random number from 0 to below 1, for spreading work over time; never for a secret. */
export const draw = (): number => Math.random();
