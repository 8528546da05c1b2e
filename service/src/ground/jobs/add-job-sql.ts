import { type Job, URGENCY } from "./job.ts";

/**
 * A call that adds a job inside a statement of a room's own, for transactions that must not send one more: `key` and
 * `data` are SQL expressions for the key among the jobs of this name and for what the job is told, a JSON object. It is
 * due at once.
 */
export const addJobCall = (
	{ name, urgency }: Pick<Job<never>, "name" | "urgency">,
	key: string,
	data: string,
): string =>
	`graphile_worker.add_job('${name}', json_build_object('data', ${data}, 'attempts', 0, 'failed', 0, 'why', null),
	   run_at => now(), max_attempts => 25, job_key => '${name}:' || ${key}, priority => ${URGENCY[urgency]})`;
