/** Maximum age, in milliseconds, of the state that a replica shows; if it is older, the primary answers. */
export const MAX_LAG_MS = 5_000;

/** A beat that this node has sent to the primary. */
export interface Beat {
	/** Made up by this node: a snapshot shows it only if the beat was committed in its history. */
	readonly stamp: string;
	/**
	 * When it was sent, in monotonic milliseconds of this process. A snapshot with this beat has everything committed
	 * before.
	 */
	readonly sentAt: number;
}

/** What a snapshot of a replica says about itself. */
export interface ReplicaEvidence {
	/** False: the server is not a replica, or no longer one. */
	readonly inRecovery: boolean;
	/** Whether the replica is connected to a server that sends it WAL. */
	readonly isReceiving: boolean;
	/** The timeline of that WAL; null: the role may not see it, or there is none. */
	readonly timeline: number | null;
	/** The stamp of this node's last beat that the snapshot shows; null: it shows none. */
	readonly stamp: string | null;
	/** The timeline of the WAL that this beat was written to. */
	readonly beatTimeline: number | null;
}

/** Why a read was answered by the primary although there is a replica. */
export type Unfit =
	| "away"
	| "promoted"
	| "detached"
	| "hidden"
	| "other_timeline"
	| "unknown"
	| "late"
	| "behind"
	| "busy"
	| "failed";

export interface Known {
	/** The beats of the last minute, by stamp. */
	readonly beats: ReadonlyMap<string, Beat>;
	/** The primary's timeline at its last reply to a beat; null: there was none. */
	readonly primaryTimeline: number | null;
	/** Monotonic milliseconds: the present moment, and the one whose state the reader has seen. */
	readonly now: number;
	readonly floor: number;
}

/**
 * The beat that a snapshot shows if the replica may answer, otherwise the reason why not. Beats of this node prove that
 * the snapshot belongs to the primary's history up to the beat; the timeline proves the same for what follows: a
 * history that was abandoned at a promotion or a recovery has the earlier beats, but another timeline
 * (docs/decisions/0102).
 */
export function judgeReplica(evidence: ReplicaEvidence, { beats, primaryTimeline, now, floor }: Known): Beat | Unfit {
	const { inRecovery, isReceiving, timeline, stamp, beatTimeline } = evidence;
	if (!inRecovery) return "promoted";
	if (!isReceiving) return "detached";
	if (timeline === null) return "hidden";
	const beat = stamp === null ? undefined : beats.get(stamp);
	if (beat === undefined) return "unknown";
	if (timeline !== primaryTimeline || timeline !== beatTimeline) return "other_timeline";
	if (now - beat.sentAt > MAX_LAG_MS) return "late";
	return beat.sentAt < floor ? "behind" : beat;
}

/** A sentence for operators about each reason that lasts, and what to do about it. */
export const ABOUT_UNFIT: { readonly [Why in Unfit]: readonly [found: string, advice: string] } = {
	away: ["it does not answer", "Check that the replica is running and that HOLDFAST_DATABASE_READ_URL leads to it."],
	promoted: [
		"it is not in recovery: it is a primary",
		"Point HOLDFAST_DATABASE_READ_URL at a standby of the database at HOLDFAST_DATABASE_URL.",
	],
	detached: [
		"it receives no WAL from another server",
		"Check primary_conninfo of the replica and its log; a replica that is fed from an archive alone cannot be used.",
	],
	hidden: [
		"its role may not see where its WAL comes from",
		"Run this on the primary, with the name of the role: grant pg_read_all_stats to holdfast",
	],
	other_timeline: [
		"it follows another timeline than the primary",
		"Let the replica follow the present primary: rewind it, or copy it again.",
	],
	unknown: [
		"it shows none of the beats that this node wrote",
		"It lags by more than a minute, or is a replica of another database.",
	],
	late: [
		`it lags by more than ${MAX_LAG_MS / 1_000} s`,
		"Check pg_stat_replication on the primary, and what the replica is busy with.",
	],
	behind: ["it did not yet show what a caller had seen", "Nothing needs to be done."],
	busy: ["no connection to it was free in time", "Nothing needs to be done, unless this lasts."],
	failed: ["it ended a read that the primary then answered", "Set hot_standby_feedback = on, on the replica."],
};
