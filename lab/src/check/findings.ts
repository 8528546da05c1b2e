/** The kinds of finding. Each is a broken promise, none a matter of taste. */
export const WRONGS = {
	lost: "acknowledged, but missing afterwards",
	doubled: "exists twice, or was done without a request",
	changed: "reported differently from an earlier report, or from the record",
	oversold: "more units promised than can have been available",
	"wrong read": "a count or refusal that was not true at any moment of its request",
	leak: "one partner saw or changed something of another",
	"late revocation": "a revoked key was served more than a second after its revocation",
	unexpected: "an answer that the contract does not allow for this request",
	unserved: "failed, or was refused as too busy, although no fault was near, or hardly ever succeeded",
} as const;
export type Wrong = keyof typeof WRONGS;

/** The subjects that rooms count in the report. */
export type Subject = "orders" | "shipments" | "events" | "deliveries" | "posts";

export interface Finding {
	readonly wrong: Wrong;
	/** One line: the expected and the actual. */
	readonly what: string;
	/** Milliseconds of the lab's clock, to locate it in the history; null: found at the end. */
	readonly at: number | null;
	/** The subject in the report that it concerns; absent: none. */
	readonly about?: Subject;
}

export const finding = (wrong: Wrong, what: string, at: number | null = null, about?: Subject): Finding => ({
	wrong,
	what,
	at,
	...(about === undefined ? {} : { about }),
});
