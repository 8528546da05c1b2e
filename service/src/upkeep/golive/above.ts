import { coaFeedCheck } from "./coa-feed-check.ts";
import { coaShownCheck } from "./coa-shown-check.ts";
import { consumeCheck } from "./consume-check.ts";
import { drillCheck } from "./drill-check.ts";
import { equalMirrorCheck } from "./equal-mirror-check.ts";
import { errorsCheck } from "./errors-check.ts";
import type { Check } from "./facts.ts";
import { freshMirrorCheck } from "./fresh-mirror-check.ts";
import { holdsCheck } from "./holds-check.ts";
import { ordersCheck } from "./orders-check.ts";
import { rateCheck } from "./rate-check.ts";
import { webhooksCheck } from "./webhooks-check.ts";

/** The checks listed above `unkind`, which itself depends on all of them (operator contract, section 6). */
export const ABOVE: readonly Check[] = [
	rateCheck,
	freshMirrorCheck,
	equalMirrorCheck,
	coaShownCheck,
	coaFeedCheck,
	holdsCheck,
	ordersCheck,
	consumeCheck,
	webhooksCheck,
	errorsCheck,
	drillCheck,
];
