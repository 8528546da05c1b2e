import type { Query } from "../../ground/pg/connect.ts";
import type { CheckName } from "./facts.ts";
import type { GoLiveRun, GoLiveState } from "./run.ts";

const RUN = `r.golive_id as "goLiveId", r.number, r.state, r.key_id as "keyId", k.pk, k.name as "keyName",
	k.partner_id as "partnerId", p.name as partner, to_jsonb(k.scopes) as scopes, r.status_url as "statusUrl", r.mapped,
	r.started_at as "startedAt", r.started_by as "startedBy", r.ended_at as "endedAt", r.ended_by as "endedBy",
	r.end_reason as "endReason", r.digest, (select pk from api_key where key_id = r.production_key) as "productionKey",
	(select max(until_at) from golive_drill d where d.golive_id = r.golive_id and d.until_at > clock_timestamp()) as "drillUntil",
	(select max(until_at) from golive_unkind_hour h where h.golive_id = r.golive_id and h.until_at > clock_timestamp()) as "unkindUntil",
	r.look_due_at as "lookDueAt", r.probes_due_at is not null or r.repeat_due_at is not null as "probesDue",
	r.certificate_due_at is not null or r.retirement_due_at is not null as "retirementDue"`;
const FROM = "golive_run r join api_key k using (key_id) join partner p on p.partner_id = k.partner_id";

export interface GoLiveFilter {
	readonly state: GoLiveState | null;
	readonly keyId: string | null;
	readonly partner: string | null;
	/** Only runs with a lower number; null: from the newest. */
	readonly before: number | null;
}

/** Runs, the newest first. */
export const selectRuns = (db: Query, { state, keyId, partner, before }: GoLiveFilter, most: number) =>
	db.query<GoLiveRun>(
		`select ${RUN} from ${FROM}
		  where ($1::text is null or r.state = $1) and ($2::uuid is null or r.key_id = $2) and ($3::text is null or p.name = $3)
		    and ($4::int is null or r.number < $4)
		  order by r.number desc limit $5`,
		[state, keyId, partner, before, most],
	);

/** A run by its id or its number. `lock`: until the transaction ends. */
export async function selectRun(
	db: Query,
	{ id, number }: { readonly id: string | null; readonly number: number | null },
	lock = false,
): Promise<GoLiveRun | null> {
	const { rows } = await db.query<GoLiveRun>(
		`select ${RUN} from ${FROM} where r.golive_id = $1 or r.number = $2 ${lock ? "for update of r" : ""}`,
		[id, number],
	);
	return rows[0] ?? null;
}

/** The running run of a key, or else its last one. */
export async function selectRunOfKey(db: Query, keyId: string, lock = false): Promise<GoLiveRun | null> {
	const { rows } = await db.query<GoLiveRun>(
		`select ${RUN} from ${FROM} where r.key_id = $1 order by r.number desc limit 1 ${lock ? "for update of r" : ""}`,
		[keyId],
	);
	return rows[0] ?? null;
}

/**
 * Starts a run under the next number. If a run that starts at the same time takes that number, the statement must be
 * repeated.
 */
export const insertRun = (
	tx: Query,
	run: Pick<GoLiveRun, "goLiveId" | "keyId" | "startedBy" | "statusUrl">,
): Promise<unknown> =>
	tx.query(
		`insert into golive_run (golive_id, number, key_id, state, started_by, status_url, look_due_at)
		 select $1::uuid, coalesce(max(number), 0) + 1, $2::uuid, 'running', $3::text, $4::text,
		        case when $4::text is not null then clock_timestamp() end
		   from golive_run`,
		[run.goLiveId, run.keyId, run.startedBy, run.statusUrl],
	);

/** Ends a run without a report. */
export const stopRun = (tx: Query, id: string, by: string, reason: string | null): Promise<unknown> =>
	tx.query(
		`update golive_run set state = 'stopped', ended_at = clock_timestamp(), ended_by = $2, end_reason = $3, ${NOTHING_DUE}
		  where golive_id = $1`,
		[id, by, reason],
	);

const NOTHING_DUE =
	"look_due_at = null, probes_due_at = null, repeat_due_at = null, certificate_due_at = null, retirement_due_at = null, unkind_due_at = null, held_until = null";

export interface FinishedRun {
	readonly by: string;
	/** Epoch milliseconds. */
	readonly at: number;
	/** JSON. */
	readonly report: string;
	readonly digest: string;
	readonly productionKey: string;
}

/** Ends a run with its report, after which its row never changes. */
export const updateFinished = (tx: Query, id: string, run: FinishedRun): Promise<unknown> =>
	tx.query(
		`update golive_run set state = 'finished', ended_at = to_timestamp($2::float8 / 1000), ended_by = $3, report = $4, digest = $5,
		        production_key = $6, ${NOTHING_DUE}
		  where golive_id = $1`,
		[id, run.at, run.by, run.report, run.digest, run.productionKey],
	);

export const selectReport = async (db: Query, id: string): Promise<unknown> =>
	(await db.query<{ report: unknown }>("select report from golive_run where golive_id = $1", [id])).rows[0]?.report;

/** Records a drill that has just begun, and makes a look due at once. */
export async function insertDrill(tx: Query, { goLiveId, keyId }: GoLiveRun, seconds: number, by: string) {
	await tx.query(
		`insert into golive_drill (golive_id, from_at, until_at, started_by)
		 select $1::uuid, drill_until - make_interval(secs => $3), drill_until, $4::text from api_key where key_id = $2`,
		[goLiveId, keyId, seconds, by],
	);
	await lookNow(tx, goLiveId);
}

/** Ends the drill that is under way. */
export async function endDrills(tx: Query, goLiveId: string): Promise<void> {
	await tx.query(
		"update golive_drill set until_at = clock_timestamp() where golive_id = $1 and until_at > clock_timestamp()",
		[goLiveId],
	);
	await lookNow(tx, goLiveId);
}

/** Makes a look at the status address due soon. */
export const lookNow = (tx: Query, goLiveId: string): Promise<unknown> =>
	tx.query(
		`update golive_run set look_due_at = clock_timestamp()
		  where golive_id = $1 and state = 'running' and status_url is not null`,
		[goLiveId],
	);

/** Keeps a person's verdict on a check, or, where `passed` is null, that the run may finish without it. */
export const insertReview = (
	tx: Query,
	goLiveId: string,
	{ check, passed, by, words }: { check: CheckName; passed: boolean | null; by: string; words: string },
): Promise<unknown> =>
	tx.query(
		`insert into golive_review (golive_id, check_name, kind, passed, by, words)
		 values ($1, $2, case when $3::boolean is null then 'waiver' else 'verdict' end, $3, $4, $5)`,
		[goLiveId, check, passed, by, words],
	);
