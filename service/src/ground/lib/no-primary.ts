import { type Refusal, refuse } from "./refusal.ts";

/** Seconds, for Retry-After. A restart takes a few, a failover some tens. */
const RETRY_AFTER_SECONDS = 2;

/** The answer to requests that arrive while no database that accepts writes is known (`pg/primary.ts`). */
export const NO_PRIMARY: Refusal<"rate_limited"> = refuse(
	"rate_limited",
	"The database takes no writes at this moment. Nothing was done: send the request again.",
	RETRY_AFTER_SECONDS,
);

/** The same for work that rejects, when waiting longer for the database would not help. */
export class PrimaryMissing extends Error {
	override readonly name = "PrimaryMissing";
	constructor() {
		super(NO_PRIMARY.message);
	}
}
