/** Random bytes of a request id. */
const RANDOM_BYTES = 8;

/** A request id of the service's form, which begins with its second. `now`: milliseconds since 1970. */
export function newRequestIdAt(now: number): string {
	const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
	const second = Math.floor(now / 1_000);
	return `req_${second.toString(16).padStart(8, "0")}${Buffer.from(random).toString("hex")}`;
}
