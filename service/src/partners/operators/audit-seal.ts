import { hash as digestOf } from "node:crypto";
import type { Sealed } from "../admin/sealer.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { createSealer } from "../keys/ring-sealer.ts";

/*
 * The sealed heads of the audit log: one for each day in UTC that is over, from the day of the first row on,
 * including days without rows. A seal contains a digest of the day's head and of all heads before it. A genuine seal
 * therefore vouches for every day up to its own, even where the key ring lacks the entry of an earlier seal.
 */

/** The last row of the log at the end of a day. */
export interface DayHead {
	/** `YYYY-MM-DD`, in UTC. */
	readonly day: string;
	/** The number of the last row of this day or of the days before it. */
	readonly seq: number;
	readonly hash: Buffer;
}

export type DaySeal = DayHead & Sealed;

/** The digest before the first seal. */
export const NO_SEAL = "";
/** Separates the key under which days are sealed from all others. */
const USE = "holdfast audit seals";
const DAY_MS = 86_400_000;

const digestOfHead = ({ day, seq, hash }: DayHead, before: string): string =>
	digestOf("sha256", JSON.stringify([day, seq, hash.toString("hex"), before]), "hex");

/** Seals a head. `before`: the digest of the head of the day before. */
export function sealOf(
	head: DayHead,
	before: string,
	ring: KeyRing,
): { readonly row: DaySeal; readonly digest: string } {
	const digest = digestOfHead(head, before);
	return { row: { ...head, ...createSealer(ring, USE).seal(head.day, digest) }, digest };
}

export interface SealVerdict {
	/** The first seal that is not genuine, or whose day does not follow the one before it; null: there is none. */
	readonly forged: DaySeal | null;
	/**
	 * The first of the trailing seals that cannot be checked because the key ring lacks their entries; null: there
	 * are none.
	 */
	readonly unproved: DaySeal | null;
	/** The digest of the last head. */
	readonly digest: string;
}

/** Judges seals, the oldest first. */
export function judgeSeals(seals: readonly DaySeal[], ring: KeyRing): SealVerdict {
	const sealer = createSealer(ring, USE);
	const entries = new Set(ring.peppers.map(({ id }) => id));
	let digest = NO_SEAL;
	let unproved: DaySeal | null = null;
	let before: DaySeal | null = null;
	for (const seal of seals) {
		digest = digestOfHead(seal, digest);
		const follows = before === null || seal.day === nextDay(before.day);
		const isInRing = entries.has(seal.ringId);
		// if seals before it cannot be opened, one of those may be the forged one
		if (!follows || (isInRing && sealer.open(seal.day, seal) !== digest))
			return { forged: follows ? (unproved ?? seal) : seal, unproved: null, digest };
		unproved = isInRing ? null : (unproved ?? seal);
		before = seal;
	}
	return { forged: null, unproved, digest };
}

const nextDay = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);

/**
 * The heads of the days after `last` up to `upTo`. `ends`: the last rows of days with rows, the oldest day first. If
 * there is no earlier head, the heads begin with the first day that has rows.
 */
export function headsUntil(last: DayHead | null, ends: readonly DayHead[], upTo: string): DayHead[] {
	const heads: DayHead[] = [];
	const endOf = new Map(ends.map((end) => [end.day, end]));
	let head: DayHead | undefined = last ?? ends[0];
	if (head === undefined) return [];
	for (let day = last === null ? head.day : nextDay(head.day); day <= upTo; day = nextDay(day)) {
		const end: DayHead = endOf.get(day) ?? head;
		head = { day, seq: end.seq, hash: end.hash };
		heads.push(head);
	}
	return heads;
}
