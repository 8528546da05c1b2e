import type { Scope } from "../../glossary.ts";
import type { CheckName } from "./facts.ts";

export const RUN_STATES = ["running", "stopped", "finished"] as const;
export type GoLiveState = (typeof RUN_STATES)[number];

/** A go-live run of a sandbox key. */
export interface GoLiveRun {
	readonly goLiveId: string;
	readonly number: number;
	readonly state: GoLiveState;
	readonly keyId: string;
	/** The public half of the sandbox key, its name, and its partner. */
	readonly pk: string;
	readonly keyName: string;
	readonly partnerId: string;
	readonly partner: string;
	readonly scopes: readonly Scope[];
	readonly statusUrl: string | null;
	/** The SKUs that the partner has shown. */
	readonly mapped: readonly string[];
	readonly startedAt: Date;
	readonly startedBy: string;
	readonly endedAt: Date | null;
	readonly endedBy: string | null;
	readonly endReason: string | null;
	/** For a finished run, the digest of its report and the public half of the production key. */
	readonly digest: string | null;
	readonly productionKey: string | null;
	/** When the drill that is under way ends; null: there is none. */
	readonly drillUntil: Date | null;
	/** When the unkind hour that is under way ends; null: there is none. */
	readonly unkindUntil: Date | null;
	/** When the next look at the status address is due; null: none is. */
	readonly lookDueAt: Date | null;
	/** Whether the messages to the partner's endpoint, or a retirement, were asked for and are not done yet. */
	readonly probesDue: boolean;
	readonly retirementDue: boolean;
}

/** A person's verdict on a check. */
export interface Waiver {
	readonly check: CheckName;
	readonly at: number;
	readonly by: string;
	readonly reason: string;
}
