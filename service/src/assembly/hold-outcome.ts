import { isRefusal } from "../ground/lib/refusal.ts";
import type { HoldOutcome } from "../partners/http/work-metrics.ts";
import type { Answer, Command } from "./commands.ts";

/**
 * The change of a hold that the answer to a command reports; null if the answer reports no counted change. Refusals
 * are counted by code.
 */
export function holdOutcome({ kind }: Command, answer: Answer): HoldOutcome | null {
	if (isRefusal(answer)) return null;
	switch (kind) {
		case "reserve":
			return repeats(answer) ? "replayed" : "made";
		case "release":
			return repeats(answer) ? null : "released";
		case "consume":
			return repeats(answer) ? null : "consumed";
		case "reverse":
			return repeats(answer) ? null : "reversed";
		case "place":
			return "record" in answer && answer.record !== null ? "placed" : null;
		case "expire":
			return "endedFor" in answer && answer.endedFor !== null ? "expired" : null;
		default:
			return null;
	}
}

/** The key whose hold a command changes; null: it is not known. */
export function keyOf(command: Command, answer: Answer): string | null {
	if ("caller" in command) return command.caller?.keyId ?? null;
	return "endedFor" in answer ? answer.endedFor : null;
}

const repeats = (answer: object): boolean => "idempotent" in answer && answer.idempotent === true;
