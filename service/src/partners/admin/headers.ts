import { Text } from "../http/text.ts";

/** Characters of an Idempotency-Key (operator contract, section 3). */
const KEY_MAX = 255;

/** The request header that every write takes. */
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

/** The header of a reply that was sent before. */
export const WRITE_REPLY_HEADERS = {
	"Idempotent-Replayed": "`true`: the first reply under this Idempotency-Key.",
} as const;

/** Messages for the examples of every write. */
export const CONFLICT_EXAMPLE =
	"This Idempotency-Key was used for another request in the last 24 hours: choose another key.";
export const RETRY_EXAMPLE =
	"Another change is under way and was not finished in time. Nothing was done: send it again.";
