import { monotonicMs } from "../lib/clock.ts";
import type { Blocked } from "./steps.ts";

/** Milliseconds for which rows found locked are taken to be locked still. */
const BELIEVED_FOR_MS = 10_000;
/** Findings kept at most; the oldest are forgotten first, and cost the main lane one more short wait if they still hold. */
const MAX_FINDINGS = 32;

/** What the engine knows of rows that strangers keep locked, and of the commands that wait for them in the side lane. */
export interface KnownLocks<C> {
	/** Rows were found locked just now. */
	found(blocked: Blocked<C>): void;
	/** These commands were carried out: rows that were locked for one of them are free. */
	carriedOut(commands: readonly C[]): void;
	/** Is anything believed to be locked? */
	any(): boolean;
	/** Does this command need such a row, or does it repeat or continue one that waits in the side lane? */
	concerns(command: C): boolean;
	/** Notes a command of the side lane until it is answered. Returns its answer. */
	waitingAside<A>(command: C, answer: Promise<A>): Promise<A>;
	/** Commands of the side lane without an answer. */
	readonly waiting: number;
	/** Resolves when there are none. */
	nobodyWaits(): Promise<void>;
}

export function createKnownLocks<C>(
	identities: (command: C) => readonly string[],
	now: () => number = monotonicMs,
): KnownLocks<C> {
	let findings: { readonly blocked: Blocked<C>; readonly until: number }[] = [];
	/** How many commands of the side lane have each identity. */
	const aside = new Map<string, number>();
	const unanswered = new Set<Promise<unknown>>();

	const believed = (): typeof findings => {
		if (findings.length > 0) {
			const at = now();
			findings = findings.filter(({ until }) => until > at);
		}
		return findings;
	};
	const count = (command: C, by: 1 | -1): void => {
		for (const identity of identities(command)) {
			const next = (aside.get(identity) ?? 0) + by;
			if (next === 0) aside.delete(identity);
			else aside.set(identity, next);
		}
	};
	return {
		found(blocked) {
			findings = [...believed().slice(1 - MAX_FINDINGS), { blocked, until: now() + BELIEVED_FOR_MS }];
		},
		carriedOut(commands) {
			if (findings.length === 0) return;
			findings = findings.filter(({ blocked }) => !commands.some(blocked));
		},
		any: () => believed().length > 0,
		concerns(command) {
			if (aside.size > 0 && identities(command).some((identity) => aside.has(identity))) return true;
			return believed().some(({ blocked }) => blocked(command));
		},
		waitingAside(command, answer) {
			count(command, 1);
			const answered = answer.finally(() => {
				count(command, -1);
				unanswered.delete(answered);
			});
			unanswered.add(answered);
			return answered;
		},
		get waiting() {
			return unanswered.size;
		},
		async nobodyWaits() {
			while (unanswered.size > 0) await Promise.allSettled(unanswered);
		},
	};
}
