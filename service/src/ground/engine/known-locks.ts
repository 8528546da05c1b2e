import { monotonicMs } from "../lib/clock.ts";
import type { Blocked } from "./steps.ts";

/** Milliseconds for which rows found locked are assumed to stay locked. */
const BELIEVED_FOR_MS = 10_000;
/** Maximum number of findings. Dropping one that still holds costs the main lane one more short wait. */
const MAX_FINDINGS = 32;

/** Rows known to be kept locked by other programs, and the commands that wait for them in the side lane. */
export interface KnownLocks<C> {
	/** Records rows that were just found locked. */
	found(blocked: Blocked<C>): void;
	/** Records that these commands were carried out: rows that were locked for one of them are free. */
	carriedOut(commands: readonly C[]): void;
	/** Whether any row is assumed to be locked. */
	any(): boolean;
	/** Whether this command needs such a row, or repeats or continues a command that waits in the side lane. */
	concerns(command: C): boolean;
	/** Whether this is the first of the side lane's commands that share an identity with it. */
	isNext(command: C): boolean;
	/** Registers a command of the side lane, in order of arrival, until it is answered. Returns its answer. */
	waitingAside<A>(command: C, answer: Promise<A>): Promise<A>;
	/** Unanswered commands of the side lane. */
	readonly waiting: number;
	/** Resolves when the side lane has no unanswered command. */
	nobodyWaits(): Promise<void>;
}

export function createKnownLocks<C>(
	identities: (command: C) => readonly string[],
	now: () => number = monotonicMs,
): KnownLocks<C> {
	let findings: { readonly blocked: Blocked<C>; readonly until: number }[] = [];
	/** Commands of the side lane by identity, in order of arrival. */
	const aside = new Map<string, C[]>();
	const unanswered = new Map<C, Promise<unknown>>();

	const believed = (): typeof findings => {
		if (findings.length > 0) {
			const at = now();
			findings = findings.filter(({ until }) => until > at);
		}
		return findings;
	};
	const leave = (command: C): void => {
		unanswered.delete(command);
		for (const identity of identities(command)) {
			const left = aside.get(identity)?.filter((one) => one !== command) ?? [];
			if (left.length === 0) aside.delete(identity);
			else aside.set(identity, left);
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
		isNext: (command) =>
			identities(command).every((identity) => {
				const [first = command] = aside.get(identity) ?? [];
				return first === command;
			}),
		waitingAside(command, answer) {
			if (unanswered.has(command)) return answer; // it checked again, and still waits
			for (const identity of identities(command)) aside.set(identity, [...(aside.get(identity) ?? []), command]);
			const answered = answer.finally(() => leave(command));
			unanswered.set(command, answered);
			return answered;
		},
		get waiting() {
			return unanswered.size;
		},
		async nobodyWaits() {
			while (unanswered.size > 0) await Promise.allSettled(unanswered.values());
		},
	};
}
