import { timingSafeEqual } from "node:crypto";
import { signingKeyOf } from "./secret.ts";
import { signedHeaders } from "./sign.ts";

/** Seconds by which a timestamp may differ from now (contract, section 8). */
const MAX_AGE_SECONDS = 300;

interface GivenHeaders {
	readonly id: string | string[] | undefined;
	readonly timestamp: string | string[] | undefined;
	readonly signature: string | string[] | undefined;
}

/** The problem that a receiver would find with a post; null if there is none. `now`: Unix seconds. Pure. */
export function verifySigned(
	{ id, timestamp, signature }: GivenHeaders,
	body: string,
	secrets: readonly string[],
	now: number,
): string | null {
	if (typeof id !== "string" || typeof timestamp !== "string" || typeof signature !== "string") {
		return "one of the headers webhook-id, webhook-timestamp and webhook-signature is missing";
	}
	if (!/^\d{1,12}$/.test(timestamp)) return "the timestamp is not a number";
	if (Math.abs(now - Number(timestamp)) > MAX_AGE_SECONDS) return "the timestamp is more than five minutes off";
	const given = signature.split(" ").map((one) => Buffer.from(one));
	const good = secrets
		.map((secret) => {
			const content = { eventId: id, timestamp: Number(timestamp), body };
			return signedHeaders(content, [signingKeyOf(secret)])["webhook-signature"];
		})
		.map((one) => Buffer.from(one));
	const matches = given.some((one) => good.some((two) => one.length === two.length && timingSafeEqual(one, two)));
	return matches ? null : "no signature matches";
}
