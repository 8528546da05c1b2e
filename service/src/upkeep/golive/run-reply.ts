import { toRfc3339 } from "../../ground/lib/clock.ts";
import type { GoLiveFacts } from "./facts.ts";
import { checkReply } from "./report.ts";
import type { Result } from "./result.ts";
import type { GoLiveRun } from "./run.ts";

const instant = (at: Date | null): string | null => at?.toISOString() ?? null;

/** A run as its partner sees it. */
export const partnerRunReply = (run: GoLiveRun) => ({
	number: run.number,
	state: run.state,
	status_url: run.statusUrl,
	skus: [...run.mapped],
	started_at: run.startedAt.toISOString(),
	ended_at: instant(run.endedAt),
	drill_until: instant(run.drillUntil),
	unkind_until: instant(run.unkindUntil),
	next_look_at: instant(run.lookDueAt),
	messages_pending: run.probesDue,
	retirement_pending: run.retirementDue,
});

/** The same for an operator. */
export const runReply = (run: GoLiveRun) => ({
	...partnerRunReply(run),
	golive_id: run.goLiveId,
	key: run.pk,
	key_name: run.keyName,
	partner: run.partner,
	started_by: run.startedBy,
	ended_by: run.endedBy,
	end_reason: run.endReason,
	report_digest: run.digest,
	production_key: run.productionKey,
});

/** The state of a run, for an operator. */
export const resultReply = ({ passed, line, missing, checks }: Result) => ({
	passed,
	line,
	missing: [...missing],
	checks: checks.map(checkReply),
});

/**
 * The state of a run, or of its report, for its partner, to whom people of the operator have no names. A sentence that
 * names one is said again.
 */
export const partnerResultReply = ({ passed, line, missing, checks }: ReturnType<typeof resultReply>) => ({
	passed,
	line,
	missing: [...missing],
	checks: checks.map(({ review, waiver, says, ...check }) => ({
		...check,
		says: review === null ? says : `A person looked at it: ${review.words}`,
		review: review === null ? null : { at: review.at, passed: review.passed, words: review.words },
		waiver: waiver === null ? null : { at: waiver.at, reason: waiver.reason },
	})),
});

/** The last look, with the counts and documents of that instant; null: there was none. */
export function lastLookReply({ looks }: GoLiveFacts) {
	const last = looks.at(-1);
	if (last === undefined) return null;
	const { at, source, problem, items, counts, documents } = last;
	return {
		at: toRfc3339(at),
		source,
		problem,
		items: items.map(({ sku, shownQty, hidden, coaUrl }) => ({
			sku,
			shown_qty: shownQty,
			hidden,
			coa_url: coaUrl,
			atp_qty: counts.get(sku) ?? null,
			documents: [...(documents.get(sku) ?? [])],
		})),
	};
}
