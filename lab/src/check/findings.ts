/** The kinds of finding. Each is a broken promise, none a matter of taste. */
export const WRONGS = {
	lost: "acknowledged, and not there",
	doubled: "there twice, or done and asked for by nobody",
	changed: "told in other words than before, or than it was recorded in",
	oversold: "more units promised than there can have been",
	"wrong read": "a count or refusal that was true at no moment of its request",
	leak: "one partner saw or changed what is another's",
	"late revocation": "a revoked key was served more than a second after",
	unexpected: "an answer that the contract does not have for this",
	unserved: "failed or refused for being busy although no fault was near, or hardly ever done",
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
