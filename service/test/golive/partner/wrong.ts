import type { CheckName } from "../../../src/upkeep/golive/facts.ts";

/** What a partner can do wrong, and the one check of a go-live that fails for it. */
export const WRONG = {
	"polls-too-fast": "rate",
	"ignores-retry-after": "rate",
	"shows-0-on-401": "drill",
	"orders-after-no-inventory": "holds",
	"forgets-the-tombstone": "coa_feed",
	"accepts-a-bad-signature": "webhooks",
	"acts-twice-on-one-id": "webhooks",
	"has-an-old-mirror": "mirror_equal",
	"repeats-no-inventory": "errors",
	"takes-a-new-reference": "errors",
	"breaks-on-a-new-field": "unkind",
	"keeps-a-retired-pdf": "coa_shown",
} as const satisfies { readonly [what: string]: CheckName };
export type Wrong = keyof typeof WRONG;
