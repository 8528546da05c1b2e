import { createHash, timingSafeEqual } from "node:crypto";
import { enqueue } from "../../ground/jobs/enqueue.ts";
import { type Again, type JobAttempt, newJob } from "../../ground/jobs/job.ts";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { comeAgain } from "./again.ts";
import { SWEEP_BOXES, TAKE_HINT, THE_SWEEP } from "./job-names.ts";
import { lookAtBox } from "./look-at-box.ts";
import type { LabelDeps } from "./push-order.ts";

/** Maximum number of hints per minute and node that are followed individually; more are replaced by one sweep. */
const HINTS_PER_MINUTE = 300;
const MINUTE_MS = 60_000;

export interface HookSettings {
	readonly secret: string;
	readonly platformUrl: string;
}

export interface ReceiveHook {
	isKnown(secret: string): boolean;
	take(body: string): Promise<void>;
}

/** A notification only schedules a read of the platform's own data. The sweep makes up for lost ones. */
export function createReceiveHook(db: Query, settings: HookSettings, now: () => number = monotonicMs): ReceiveHook {
	let minuteBeganAt = now();
	let hints = 0;
	const mayFollow = (): boolean => {
		if (now() - minuteBeganAt >= MINUTE_MS) {
			minuteBeganAt = now();
			hints = 0;
		}
		return ++hints <= HINTS_PER_MINUTE;
	};
	return {
		isKnown: (secret) => isHookSecret(secret, settings.secret),
		async take(body) {
			const hint = hintIn(body, settings.platformUrl);
			const job = hint !== null && mayFollow() ? newJob(TAKE_HINT, hint, { hint }) : newJob(SWEEP_BOXES, THE_SWEEP);
			await enqueue(db, [job]);
		},
	};
}

/** Maximum characters of a hint: the platform's own limit on a resource address. */
const MAX_HINT = 200;

/** Compares in constant time. */
export const isHookSecret = (given: string, wanted: string): boolean => timingSafeEqual(sha256(given), sha256(wanted));

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * The resource that a notification names: its path and query on the platform. Null if it names none, or an address
 * elsewhere. Notifications are not signed, so nothing else in them is trusted, and no address in them is ever fetched.
 */
export function hintIn(body: string, platformUrl: string): string | null {
	const address = URL.parse(resourceUrlOf(body));
	const platform = URL.parse(platformUrl);
	if (address === null || platform === null || address.origin !== platform.origin) return null;
	const base = platform.pathname.replace(/\/$/, "");
	const path = address.pathname + address.search;
	if (!path.startsWith(`${base}/v2/`)) return null;
	const hint = path.slice(base.length);
	return hint.length <= MAX_HINT ? hint : null;
}

function resourceUrlOf(body: string): string {
	try {
		const parsed = JSON.parse(body) as { readonly resource_url?: unknown } | null;
		return typeof parsed?.resource_url === "string" ? parsed.resource_url : "";
	} catch {
		return "";
	}
}

/** Reads the box that a notification names or, if it names none, starts a sweep. */
export async function takeHint(deps: LabelDeps, hint: string, attempt: JobAttempt): Promise<Again | undefined> {
	const platformId = await deps.platform.boxOf(hint, attempt.signal);
	if (isRefusal(platformId)) return comeAgain(platformId, attempt.number);
	if (platformId !== null) return await lookAtBox(deps, platformId, attempt);
	await enqueue(deps.db, [newJob(SWEEP_BOXES, THE_SWEEP)]);
	return undefined;
}
