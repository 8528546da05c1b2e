import { decideCorrect, decideReceive, decideRestore } from "../stock/decide-receive.ts";
import type { Answer, Command } from "./commands.ts";
import { decideConsume, decideExpire, decideRelease, decideReverse } from "./decide-end.ts";
import { decideReserve } from "./decide-reserve.ts";
import { decideTakeOut } from "./decide-take-out.ts";
import type { HoldBook } from "./hold-book.ts";

/** Decides one command on the book, which it changes when the answer is no refusal. Pure: no clock, no randomness, no database. */
export function decide(book: HoldBook, command: Command): Answer {
	switch (command.kind) {
		case "reserve":
			return decideReserve(book, command);
		case "release":
			return decideRelease(book, command);
		case "consume":
			return decideConsume(book, command);
		case "reverse":
			return decideReverse(book, command);
		case "expire":
			return decideExpire(book, command);
		case "receive":
			return decideReceive(book, command);
		case "correct":
			return decideCorrect(book, command);
		case "restore":
			return decideRestore(book, command);
		case "quarantine":
		case "destroy":
			return decideTakeOut(book, command);
	}
}
