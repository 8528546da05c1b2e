import type { Query } from "../../ground/pg/connect.ts";
import type { Probe } from "./facts.ts";
import {
	LOOK_EVERY_SECONDS,
	LOOK_OFTEN_SECONDS,
	MOST_AT_A_TIME,
	OFTEN_AFTER_DRILL_MINUTES,
	OFTEN_AFTER_PUBLISHING_MINUTES,
	STEPS_WITHIN_SECONDS,
} from "./limits.ts";

/**
 * What a run does without a request. `certificate`: publishes one, which `retirement` then retires. `unkind`: the
 * events of an unkind hour.
 */
export const STEPS = ["look", "probes", "repeat", "certificate", "retirement", "unkind"] as const;
export type StepName = (typeof STEPS)[number];

/**
 * A step that is due, and since when, in epoch microseconds, which distinguish it from a newer request for the same
 * step.
 */
export interface DueStep {
	readonly step: StepName;
	readonly since: number;
}
export interface DueRun {
	readonly goLiveId: string;
	readonly steps: readonly DueStep[];
}

const micros = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint`;
const DUE = STEPS.map(
	(step) => `case when r.${step}_due_at <= clock_timestamp() then ${micros(`r.${step}_due_at`)} end as ${step}`,
);

/** Takes running runs with due steps, which no other node then takes for a minute. */
export async function takeDueRuns(db: Query): Promise<DueRun[]> {
	const { rows } = await db.query<{ goLiveId: string } & { [step in StepName]: number | null }>(
		`with due as materialized (
		   select golive_id from golive_run
		    where state = 'running' and (held_until is null or held_until < clock_timestamp())
		      and least(${STEPS.map((step) => `${step}_due_at`).join(", ")}) <= clock_timestamp()
		    order by number limit ${MOST_AT_A_TIME} for update skip locked)
		 update golive_run r set held_until = clock_timestamp() + interval '${STEPS_WITHIN_SECONDS} seconds'
		   from due where r.golive_id = due.golive_id returning r.golive_id as "goLiveId", ${DUE.join(", ")}`,
	);
	return rows.map(({ goLiveId, ...due }) => ({
		goLiveId,
		steps: STEPS.flatMap((step) => {
			const since = due[step];
			return since === null ? [] : [{ step, since }];
		}),
	}));
}

/** Releases the steps of a run, so that another node may take them. */
export const giveBack = (db: Query, goLiveId: string): Promise<unknown> =>
	db.query("update golive_run set held_until = null where golive_id = $1 and state = 'running'", [goLiveId]);

/** The time of the next look: soon after changes that the run itself caused. */
const NEXT_LOOK = `clock_timestamp() + case
	when exists (select from golive_drill where golive_id = $1
	                and until_at > clock_timestamp() - interval '${OFTEN_AFTER_DRILL_MINUTES} minutes')
	  or exists (select from golive_retirement where golive_id = $1
	                and published_at > clock_timestamp() - interval '${OFTEN_AFTER_PUBLISHING_MINUTES} minutes')
	then interval '${LOOK_OFTEN_SECONDS} seconds' else interval '${LOOK_EVERY_SECONDS} seconds' end`;

/** Notes that a step was taken, unless it was asked for again meanwhile. Only looks are repeated automatically. */
export const settleStep = (db: Query, goLiveId: string, { step, since }: DueStep): Promise<unknown> =>
	db.query(
		`update golive_run set ${step}_due_at = ${step === "look" ? NEXT_LOOK : "null"}
		  where golive_id = $1 and state = 'running' and ${micros(`${step}_due_at`)} = $2`,
		[goLiveId, since],
	);

/** Makes a step due in `seconds` seconds, on whichever node is first. */
export const stepIn = (db: Query, goLiveId: string, step: StepName, seconds: number): Promise<unknown> =>
	db.query(
		`update golive_run set ${step}_due_at = clock_timestamp() + make_interval(secs => $2)
		  where golive_id = $1 and state = 'running'`,
		[goLiveId, seconds],
	);

/** A message that was sent. */
export interface NewProbe extends Omit<Probe, "at"> {
	/** Epoch milliseconds. */
	readonly at: number;
	readonly eventId: string;
	readonly body: string;
	readonly error: string | null;
}

export const insertProbe = (db: Query, goLiveId: string, probe: NewProbe): Promise<unknown> =>
	db.query(
		`insert into golive_probe (delivery_id, golive_id, at, kind, repeats, event_id, body, status, error)
		 values ($1, $2, to_timestamp($3::float8 / 1000), $4, $5, $6, $7, $8, $9)`,
		[
			probe.deliveryId,
			goLiveId,
			probe.at,
			probe.kind,
			probe.repeats,
			probe.eventId,
			probe.body,
			probe.status,
			probe.error,
		],
	);

/** The last good message of a run, which is sent once more. */
export async function selectGoodProbe(
	db: Query,
	goLiveId: string,
): Promise<Pick<NewProbe, "deliveryId" | "eventId" | "body"> | null> {
	const { rows } = await db.query<Pick<NewProbe, "deliveryId" | "eventId" | "body">>(
		`select delivery_id as "deliveryId", event_id as "eventId", body from golive_probe
		  where golive_id = $1 and kind = 'good' order by at desc limit 1`,
		[goLiveId],
	);
	return rows[0] ?? null;
}
