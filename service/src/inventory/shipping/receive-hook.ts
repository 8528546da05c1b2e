import { enqueue } from "../../ground/jobs/enqueue.ts";
import { newJob } from "../../ground/jobs/job.ts";
import { monotonicMs } from "../../ground/lib/clock.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { hintIn, isHookSecret } from "./hook-hint.ts";
import { SWEEP_BOXES, TAKE_HINT, THE_SWEEP } from "./job-names.ts";

/** Most hints per minute and node that are followed individually; more are replaced by one sweep. */
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
