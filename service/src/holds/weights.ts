import type { Answer, Command } from "./commands.ts";
import { refKey } from "./hold-book.ts";

/** Lines that a command on a hold counts for when it is not remembered how many the hold has. */
const UNKNOWN_LINES = 2;
/** Holds of one generation. Two are remembered; the older one is forgotten as a whole. */
const MAX_IN_GENERATION = 25_000;

/** How much work commands are. To end a hold costs by its parts, and its token does not say how many there are. */
export interface Weights {
	/** Lines; an operator's command and a hold that is not remembered count as a usual one. */
	weigh(command: Command): number;
	/** Remembers how many parts a large hold has that was just made or consumed. */
	note(command: Command, answer: Answer): void;
}

export function createWeights(): Weights {
	// By token, and by the reference that a hold was consumed under. Two generations, because a Map that loses its oldest entry one
	// at a time takes longer and longer to find it: its places stay empty until the Map is built anew.
	let young = new Map<string, number>();
	let old = new Map<string, number>();
	const remember = (name: string, count: number): void => {
		if (count <= UNKNOWN_LINES) return; // the usual hold: to remember each of them costs more than it tells
		young.set(name, count);
		if (young.size < MAX_IN_GENERATION) return;
		old = young;
		young = new Map();
	};
	const partsOf = (name: string): number | undefined => young.get(name) ?? old.get(name);
	return {
		weigh(command) {
			switch (command.kind) {
				case "reserve":
					return command.lines.length;
				case "release":
				case "consume":
				case "expire":
					return partsOf(command.token) ?? UNKNOWN_LINES;
				case "reverse":
					return partsOf(refKey(command.caller.keyId, command.externalRef)) ?? UNKNOWN_LINES;
				default:
					return UNKNOWN_LINES;
			}
		},
		note(command, answer) {
			if ("hold" in answer) remember(answer.hold.token, answer.hold.parts.length);
			if (command.kind !== "consume" || !("consumedUnits" in answer)) return;
			const count = partsOf(command.token);
			if (count !== undefined) remember(refKey(command.caller.keyId, command.externalRef), count);
		},
	};
}
