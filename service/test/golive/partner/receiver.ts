import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Wrong } from "./wrong.ts";

/** Seconds by which a timestamp may be off. */
const TOLERANCE_SECONDS = 300;

/** An event, as far as the shop reads it. */
export interface Event {
	readonly id: string;
	readonly type: string;
	// oxlint-disable-next-line typescript/no-explicit-any -- every shape there is
	readonly data: any;
}

/** The receiver of webhooks: answers a post with a status, and hands each event on once. */
export function createReceiver(
	secret: () => string | null,
	act: (event: Event) => void,
	wrong: Wrong | null,
): (headers: IncomingHttpHeaders, body: Buffer) => number {
	const seen = new Set<string>();
	return (headers, body) => {
		const id = String(headers["webhook-id"]);
		const timestamp = String(headers["webhook-timestamp"]);
		if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS)) return 400;
		const isSigned = isSignedWith(secret(), `${id}.${timestamp}.`, body, String(headers["webhook-signature"]));
		if (!isSigned && wrong !== "accepts-a-bad-signature") return 401;
		if (seen.has(id) && wrong !== "acts-twice-on-one-id") return 200;
		seen.add(id);
		const { type, data } = JSON.parse(body.toString()) as Omit<Event, "id">;
		act({ id, type, data });
		return 200;
	};
}

function isSignedWith(secret: string | null, before: string, body: Buffer, signatures: string): boolean {
	if (secret === null) return false;
	const key = Buffer.from(secret.replace("whsec_", ""), "base64");
	const good = Buffer.from(`v1,${createHmac("sha256", key).update(before).update(body).digest("base64")}`);
	return signatures.split(" ").some((one) => one.length === good.length && timingSafeEqual(Buffer.from(one), good));
}
