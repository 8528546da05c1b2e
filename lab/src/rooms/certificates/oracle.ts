/**
 * Certificates: a withdrawn one stays withdrawn, none is withdrawn without a request, and a recalled lot never has a
 * current one.
 */
import type pg from "pg";
import type { Case } from "../../check/case.ts";
import { countDone } from "../../check/exercise.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { type Errand, outcomeOfErrand } from "../../history.ts";
import type { Oracle } from "../room.ts";
import type { CertificateErrand } from "./workload.ts";

interface CertificateFact {
	readonly batch: string;
	readonly status: string;
	/** Whether its lot is recalled. */
	readonly recalled: boolean;
}

const FACTS = `
	select c.batch_number as batch, c.status, l.recalled_at is not null as recalled
	  from certificate c join lot l on l.batch_number = c.batch_number
	  join sku_component k on k.formula_id = l.formula_id join sku s on s.sku = k.sku and s.slug = c.product_slug
	 where c.product_slug = 'lab-product'`;
/** Milliseconds between two checks for a recalled lot with a current certificate, which must never exist. */
const WATCHED_EVERY_MS = 100;

export const CERTIFICATE_ORACLE: Oracle = {
	lookUp: async (db: pg.Pool) => (await db.query<CertificateFact>(FACTS)).rows,
	settle: () => undefined,
	judge: (on) => [...judgeTables(on), ...judgeSights(on)],
	probes: () => [],
	exercised: (on) => [{ what: "recalls", count: countDone(on, ["stock", "recall"]), perMinute: 0.7 }],
	watch: {
		everyMs: WATCHED_EVERY_MS,
		begin: () => async (db) =>
			(await db.query<CertificateFact>(`select * from (${FACTS}) f where f.recalled and f.status = 'current'`)).rows,
	},
};

const isOfCertificates = ({ args }: Errand): boolean =>
	args[0] === "coa" || (args[0] === "stock" && args[1] === "recall");

function judgeSights(on: Case): Finding[] {
	return on
		.sights("certificates")
		.map(({ saw, at }) =>
			finding(
				"lost",
				`batch ${(saw as CertificateFact).batch} is recalled, but its certificate was current for a moment`,
				at,
			),
		);
}

function judgeTables(on: Case): Finding[] {
	const facts = on.facts<readonly CertificateFact[]>("certificates");
	if (!facts) return [];
	const byBatch = Map.groupBy(on.errands.filter(isOfCertificates), ({ about }) => (about as CertificateErrand).batch);
	return facts.flatMap(({ batch, status, recalled }): Finding[] => {
		const errands = (byBatch.get(batch) ?? []).map((errand) => ({
			errand,
			what: (errand.about as CertificateErrand).what,
		}));
		const withdrawals = errands.filter(({ what }) => what === "retire" || what === "recall");
		const done = withdrawals.find(({ errand }) => outcomeOfErrand(errand) === "done");
		if (done && status !== "retired")
			return [
				finding(
					"lost",
					`${done.what} of batch ${batch} was acknowledged, but its certificate is ${status}`,
					done.errand.end,
				),
			];
		if (done?.what === "recall" && !recalled)
			return [
				finding("lost", `the recall of batch ${batch} was acknowledged, but its lot is not recalled`, done.errand.end),
			];
		if (recalled && status !== "retired")
			return [finding("lost", `batch ${batch} is recalled, but its certificate is ${status}`)];
		if (status === "retired" && withdrawals.length === 0)
			return [finding("doubled", `the certificate of batch ${batch} is retired without a request`)];
		return [];
	});
}
