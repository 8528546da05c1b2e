import type { Answer, Command } from "./commands.ts";
import { refKey } from "./hold-book.ts";

/** Lines that a command on a hold counts for when nobody remembers how many the hold has. */
const UNKNOWN_LINES = 4;
/** Holds whose size is remembered at most; the oldest are forgotten first. */
const MAX_REMEMBERED = 50_000;

/** How much work commands are. To end a hold costs by its parts, and its token does not say how many there are. */
export interface Weights {
	/** Lines; an operator's command and a hold that is not remembered count as a few. */
	weigh(command: Command): number;
	/** Remembers how many parts a hold has that was just made or consumed. */
	note(command: Command, answer: Answer): void;
}

export function createWeights(): Weights {
	/** By token, and by the reference that a hold was consumed under. */
	const parts = new Map<string, number>();
	const remember = (name: string, count: number): void => {
		if (count === UNKNOWN_LINES) return;
		parts.set(name, count);
		if (parts.size <= MAX_REMEMBERED) return;
		for (const oldest of parts.keys()) {
			parts.delete(oldest);
			return;
		}
	};
	return {
		weigh(command) {
			switch (command.kind) {
				case "reserve":
					return command.lines.length;
				case "release":
				case "consume":
				case "expire":
					return parts.get(command.token) ?? UNKNOWN_LINES;
				case "reverse":
					return parts.get(refKey(command.caller.keyId, command.externalRef)) ?? UNKNOWN_LINES;
				default:
					return UNKNOWN_LINES;
			}
		},
		note(command, answer) {
			if ("hold" in answer) remember(answer.hold.token, answer.hold.parts.length);
			if (command.kind !== "consume" || !("consumedUnits" in answer)) return;
			const count = parts.get(command.token);
			if (count !== undefined) remember(refKey(command.caller.keyId, command.externalRef), count);
		},
	};
}
