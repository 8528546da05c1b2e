import Type from "typebox";
import { Closed } from "../../ground/lib/closed.ts";
import { Text } from "../http/text.ts";

/** Maximum length of an Idempotency-Key, in characters (operator contract, section 3). */
const KEY_MAX = 255;

export const WRITE_HEADERS = {
	"Idempotency-Key": {
		schema: Text({
			min: 1,
			max: KEY_MAX,
			description:
				"Chosen by the caller: the same request under the same key within 24 hours is carried out once, and answered with the first reply.",
		}),
		missing: null,
	},
} as const;

/** The request headers of an edit of one object whose GET answers with an ETag. */
export const EDIT_HEADERS = {
	...WRITE_HEADERS,
	"If-Match": {
		schema: Text({
			min: 1,
			max: 200,
			description: "The `ETag` of a read of this object: if it has changed since, nothing is done.",
		}),
		missing: null,
	},
} as const;

/** Maximum code points of a reason (operator contract, section 3). */
export const REASON_MAX = 500;

/** The member of a body that says why, where only the audit log keeps it. */
export const REASON = {
	reason: Type.Optional(Text({ min: 1, max: REASON_MAX, description: "The reason; it is kept in the audit log." })),
};
/** The query of a write without a body. */
export const REASON_QUERY = Closed(REASON);

/** The member of a body that requests a dry run. */
export const DRY_RUN = {
	dry_run: Type.Optional(
		Type.Boolean({ description: "`true`: reply as if it were done, and do nothing; the audit log gets no row." }),
	),
};

/** The member that marks the reply of a dry run. */
export const DRY_RUN_REPLY = {
	dry_run: Type.Optional(Type.Literal(true, { description: "Nothing was done." })),
};

/** The header of a reply that repeats an earlier one. */
export const WRITE_REPLY_HEADERS = {
	"Idempotent-Replayed": "`true`: this repeats the first reply under this Idempotency-Key.",
} as const;

/** The messages of the errors that every write can answer, for the examples. */
export const CONFLICT_EXAMPLE =
	"This Idempotency-Key was used for another request in the last 24 hours: choose another key.";
export const CHANGED_EXAMPLE = "The object has changed since the read whose ETag is in If-Match: read it again.";
export const RETRY_EXAMPLE =
	"Another change is in progress and did not finish in time. Nothing was done: send the request again.";

/** Examples of the codes that any write on stored rows may answer. */
export const WRITE_ERRORS = { retry: RETRY_EXAMPLE, idempotency_conflict: CONFLICT_EXAMPLE };
/**
 * The example for writes that a person may carry out only within ten minutes of signing in (operator contract, section
 * 2).
 */
export const FRESH_SIGN_IN_EXAMPLE =
	"This requires a sign-in that is less than ten minutes old: sign in again, then repeat the request.";
