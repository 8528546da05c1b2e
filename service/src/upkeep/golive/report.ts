import { hash } from "node:crypto";
import { toRfc3339 } from "../../ground/lib/clock.ts";
import { CHECKS_VERSION } from "./checks.ts";
import { canonical } from "./content.ts";
import type { LoadedFacts } from "./load-facts.ts";
import type { Result, ShownCheck } from "./result.ts";
import type { GoLiveRun } from "./run.ts";

/** A check in a report, as the API shows it. */
export const checkReply = (one: ShownCheck) => ({
	check: one.check,
	title: one.title,
	passed_when: one.passedWhen,
	optional: one.optional,
	verdict: one.verdict,
	since: instant(one.since),
	says: one.says,
	cure: one.cure,
	evidence: [...one.evidence],
	review:
		one.review === null
			? null
			: { at: toRfc3339(one.review.at), by: one.review.by, passed: one.review.passed, words: one.review.words },
	waiver: one.waiver === null ? null : { at: toRfc3339(one.waiver.at), by: one.waiver.by, reason: one.waiver.reason },
});

const instant = (at: number | null): string | null => (at === null ? null : toRfc3339(Math.floor(at)));

/** The report of a run, without its digest. */
export type Report = ReturnType<typeof reportOf>;

/** Who finishes a run, and the production key. Null: the report is a preliminary one. */
export interface Finish {
	readonly by: string;
	/** The public half of the production key, and the brand that it is bound to. */
	readonly pk: string;
	readonly brandCode: string;
}

/** The report of a run, from its facts and verdicts. Pure. */
export function reportOf(run: GoLiveRun, { facts, cut }: LoadedFacts, result: Result, finish: Finish | null) {
	const { requests, looks, probes, deliveries, drills, retirement, now } = facts;
	return {
		number: run.number,
		golive_id: run.goLiveId,
		final: finish !== null,
		checks_version: CHECKS_VERSION,
		partner: run.partner,
		sandbox_key: run.pk,
		key_name: run.keyName,
		scopes: [...run.scopes],
		status_url: run.statusUrl,
		skus: [...facts.mapped],
		started_at: run.startedAt.toISOString(),
		started_by: run.startedBy,
		as_of: toRfc3339(now),
		finished_by: finish?.by ?? null,
		production_key: finish?.pk ?? null,
		brand_code: finish?.brandCode ?? null,
		passed: result.passed,
		line: result.line,
		missing: [...result.missing],
		checks: result.checks.map(checkReply),
		numbers: {
			requests: requests.length,
			looks: looks.length,
			messages: probes.length,
			deliveries: deliveries.length,
			drills: drills.length,
		},
		drills: drills.map(({ from, to }) => ({ from: toRfc3339(from), to: instant(to) })),
		retirement:
			retirement === null
				? null
				: {
						at: toRfc3339(retirement.at),
						slug: retirement.slug,
						batch_number: retirement.batchNumber,
						skus: [...retirement.skus],
						document: retirement.document,
					},
		left_out: [
			...(cut.requests ? [`older requests than the newest ${requests.length}`] : []),
			...(cut.bodies ? ["the bodies of older requests"] : []),
		],
	};
}

/**
 * The digest of a report: SHA-256, in hexadecimal digits, of its JSON without `digest`, without white space and with
 * the members of each object in the order of their names. Anybody who has the report can compute it.
 */
export const digestOf = (report: object): string => hash("sha256", canonical(report), "hex");
