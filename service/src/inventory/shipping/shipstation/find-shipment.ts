import { refuse } from "../../../ground/lib/refusal.ts";
import type { PlatformRefusal } from "../label-platform.ts";
import { isSilence, type NoAnswer, type PlatformAnswer, type PlatformQuestion } from "./client.ts";
import { cut } from "./verdict.ts";
import { readErrors, readShipment, type TheirShipment } from "./wire.ts";

/** A request to the platform with a fixed urgency and signal. */
export type Ask = (question: Omit<PlatformQuestion, "urgency" | "signal">) => Promise<PlatformAnswer | NoAnswer>;

/** Milliseconds until a request with an unreadable answer is repeated. */
export const GARBLED_MS = 60_000;
/** Statuses in which a box can no longer be cancelled, combined or stopped. */
export const TOO_LATE: ReadonlySet<string> = new Set(["label_purchased", "processing", "cancelled"]);

/** One shipment; null: it does not exist. */
export async function find(ask: Ask, path: string): Promise<TheirShipment | null | NoAnswer> {
	const answer = await ask({ method: "GET", path: `/v2/shipments${path}` });
	if (isSilence(answer)) return answer;
	if (answer.status === 404) return null;
	return (isSuccess(answer) ? readShipment(answer.body) : null) ?? garbled(answer);
}

export const isSuccess = ({ status }: PlatformAnswer): boolean => status >= 200 && status < 300;

export const garbled = ({ status, body }: PlatformAnswer): NoAnswer => ({
	silence: cut([`the platform answered ${status}`, ...readErrors(body).map(({ message }) => message)].join(": ")),
	afterMs: GARBLED_MS,
});

/** A refusal for a missing answer; the platform's own words are for the operator only. */
export function unanswered({ silence, crowded, afterMs }: NoAnswer): PlatformRefusal {
	const [what, seconds] = crowded
		? ["cannot be asked just now", Math.ceil(afterMs / 1_000)]
		: ["gave no answer that can be used", undefined];
	const message = `The label platform ${what}; nothing was changed. Try again later.`;
	return { ...refuse("shipstation_error", message, seconds), detail: silence };
}

export const refused = (what: string): PlatformRefusal =>
	refuse("shipstation_error", `The label platform ${what}; nothing was changed. Ask the operator if it goes on.`);
