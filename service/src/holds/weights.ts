import type { Answer, Command } from "./commands.ts";

/** Lines that a command on a hold counts for when nobody remembers how many the hold has. */
const UNKNOWN_LINES = 4;
/** Holds whose size is remembered at most; the oldest are forgotten first. */
const MAX_REMEMBERED = 50_000;

/** How much work commands are. To end a hold costs by its parts, and its token does not say how many there are. */
export interface Weights {
	/** Lines; an operator's command and a reference whose hold is not known count as a few. */
	weigh(command: Command): number;
	/** Remembers how many parts a hold has that was just answered. */
	note(answer: Answer): void;
}

export function createWeights(): Weights {
	const parts = new Map<string, number>();
	return {
		weigh(command) {
			switch (command.kind) {
				case "reserve":
					return command.lines.length;
				case "release":
				case "consume":
				case "expire":
					return parts.get(command.token) ?? UNKNOWN_LINES;
				default:
					return UNKNOWN_LINES;
			}
		},
		note(answer) {
			if (!("hold" in answer) || answer.hold.parts.length === UNKNOWN_LINES) return;
			parts.set(answer.hold.token, answer.hold.parts.length);
			if (parts.size <= MAX_REMEMBERED) return;
			for (const oldest of parts.keys()) {
				parts.delete(oldest);
				return;
			}
		},
	};
}
