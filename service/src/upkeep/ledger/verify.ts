import type { Database, Query } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { differencesOfStoredFiles } from "../../inventory/certificates/stored-files.ts";
import { type Counts, planForSums, STATEMENTS, selectCounts, selectDifferences } from "./verify-sql.ts";

/** Examples of each rule that are named; the rest is counted. */
export const MAX_EXAMPLES = 20;

/** What each rule says, in the words a report shows. */
export const RULES = {
	"lot-balance": "the balances of a lot are the sum of its moves",
	"lot-parts": "what a lot has held, allocated, consumed and shipped is what holds have and draw-downs took of it",
	"lot-conservation":
		"received + corrected = available + held + allocated + consumed + shipped + quarantined + destroyed",
	"lot-negative": "no bucket of a lot is below zero",
	"move-without-lot": "every move is of a lot",
	"move-without-hold": "every move of a hold has its hold",
	"hold-parts": "the units of a hold are where its state says",
	"hold-granted": "a hold never has more or fewer units than it was granted, displaced ones counted",
	"hold-reserved": "the ledger reserved what the hold was granted",
	"hold-consumed": "consumed units of a hold, of its parts and of the ledger are the same",
	"hold-returned": "returned units of a hold, of its parts and of the ledger are the same",
	"hold-freed": "the units that a hold freed are those that the ledger says it freed",
	"hold-placed": "the ledger placed all units of a hold that became an order, and of no other",
	"hold-shipped": "the units that were shipped of a hold are those that the ledger says were shipped and not voided",
	"order-hold":
		"every order has a placed hold of its own key, partner and environment, and every placed hold one order",
	"order-parts": "the units of an order are where its status says",
	"order-whole": "an order that is not on hold has all units that it was granted",
	"order-box": "an order of which something is to be shipped waits in one box, any other in none",
	"order-shipment": "orders and boxes name each other",
	"shipment-items": "what is in the shipped boxes of an order is what was shipped of it, lot by lot",
	"shipment-lots":
		"what is in a box are whole kits of the order's SKU, of lots with the formula and batch number that it names",
	"order-event": "each shipment of an order was told once, and that an order is on hold was told",
	"event-body": "an event about an order tells its reference, a version that it had, and what is in its box",
	"event-delivery": "an event has a delivery for each endpoint that had chosen its type, as long as its body is kept",
	"delivery-answer": "a delivery that was accepted has an attempt that was answered so",
	"number-twice": "no two rows of a list have one number",
	"hold-without-key": "every hold belongs to a key",
	"hold-partner": "a hold belongs to the partner of its key",
	"hold-pools": "a hold draws from pools that its key may draw from",
	"part-pool": "the units of a hold are of the pools that its line draws from",
	"hold-late": "a hold is consumed before its end, never after",
	"hold-key": "a hold belongs to the key that reserved it in the ledger",
	"hold-life": "no hold lives longer than a hold may",
	"demand-log": "what is promised is what the log of its changes says",
	"draw-down": "what was drawn down under a reference is what the ledger says",
	"demand-order": "demand that a platform reported belongs to an order that it reported",
	"demand-exception": "what was shipped elsewhere is drawn down, or an exception says that it was not",
	"hold-ref-twice": "one active hold per key and external_ref",
	"consume-ref-twice": "one consumed hold per key and reference",
	"lot-label": "a lot has the batch number, the days, the formula and the pool that it came with",
	"history-digest": "the ledger and the events are as they were when a digest was made of them, a day later",
	"lot-twice": "one lot per formula, pool and batch number",
	"part-without-hold": "every part belongs to a hold",
	"part-without-lot": "every part is of a lot",
	"part-lot": "a part names the formula and the pool of its lot",
	"receipt-units": "the receipts of a lot add up to what it received and was corrected by",
	"receipt-day": "a receipt is of the lot's day, or of a day on which units came",
	"receipt-lot": "a receipt is of a lot, and names the lot's pool",
	"certificate-recalled": "no lot that is recalled has a current certificate",
	"certificate-file": "every current or archived certificate has its PDF in the store, byte for byte",
	"certificate-twice": "the feed has one record for a product and a batch",
	"certificate-order": "the times of changes of certificates are in the order of their numbers",
	"sku-recipe": "a single SKU has one formula, a kit none or several, a non-physical SKU none",
	epoch: "no row is numbered beyond the last change, and the log of changes ends with it",
	wall: "the database refuses by itself what must never be stored",
} as const;
export type Rule = keyof typeof RULES;

/** Those that speak of certificates. */
export const CERTIFICATE_RULES = [
	"certificate-recalled",
	"certificate-file",
	"certificate-twice",
	"certificate-order",
] as const satisfies readonly Rule[];

/** Those that speak of orders, or that only what becomes of orders can break. */
export const ORDER_RULES = [
	"hold-placed",
	"hold-shipped",
	"order-hold",
	"order-parts",
	"order-whole",
	"order-box",
	"order-shipment",
	"shipment-items",
	"order-event",
	"number-twice",
] as const satisfies readonly Rule[];

/** Those that compare what is written twice, or what a digest was made of. */
export const PROOF_RULES = [
	"hold-key",
	"hold-life",
	"demand-log",
	"shipment-lots",
	"event-body",
	"event-delivery",
	"delivery-answer",
	"receipt-day",
	"lot-label",
	"history-digest",
] as const satisfies readonly Rule[];

/** A rule that is broken. */
export interface Difference {
	readonly rule: Rule;
	readonly meaning: string;
	readonly count: number;
	/** At most MAX_EXAMPLES of them. */
	readonly examples: readonly { readonly subject: string; readonly expected: string; readonly found: string }[];
}

export interface VerifyReport {
	readonly ok: boolean;
	/** RFC 3339, database clock. */
	readonly as_of: string;
	readonly checked: Counts;
	/** Differences in all. */
	readonly differences_count: number;
	readonly differences: readonly Difference[];
}

/** The report, with what was found wrong elsewhere about one more rule, such as files that are not in the database. */
export function withDifferences(report: VerifyReport, rule: Rule, found: Difference["examples"]): VerifyReport {
	if (found.length === 0) return report;
	const difference = { rule, meaning: RULES[rule], count: found.length, examples: found.slice(0, MAX_EXAMPLES) };
	return {
		...report,
		ok: false,
		differences_count: report.differences_count + found.length,
		differences: [...report.differences, difference],
	};
}

/**
 * Recomputes every balance from the ledger and checks every rule of stored rows, in one read-only snapshot: a live
 * service goes on meanwhile. `onStep` is told before each of the `of` steps.
 */
export async function verify(db: Database, onStep?: (step: number, of: number) => void): Promise<VerifyReport> {
	return await snapshot(db, (tx) => verifyIn(tx, onStep));
}

async function verifyIn(tx: Query, onStep: ((step: number, of: number) => void) | undefined): Promise<VerifyReport> {
	await planForSums(tx);
	const statements = Object.values(STATEMENTS);
	onStep?.(0, statements.length + 1);
	const { rows } = await selectCounts(tx);
	const [counts] = rows;
	if (!counts) throw new Error("bug: the counts were not answered");
	const { as_of, ...checked } = counts;
	const differences = new Map<Rule, Difference>();
	for (const [i, statement] of statements.entries()) {
		onStep?.(i + 1, statements.length + 1);
		const found = await selectDifferences(tx, statement, MAX_EXAMPLES);
		for (const [name, ofRule] of Map.groupBy(found.rows, ({ rule }) => rule)) {
			const rule = name as Rule;
			const earlier = differences.get(rule); // two statements may look after one rule
			const examples = ofRule.map((row) => ({
				subject: row.subject,
				expected: row.expected ?? "",
				found: row.found ?? "",
			}));
			differences.set(rule, {
				rule,
				meaning: RULES[rule],
				count: (earlier?.count ?? 0) + (ofRule[0]?.total ?? 0),
				examples: [...(earlier?.examples ?? []), ...examples].slice(0, MAX_EXAMPLES),
			});
		}
	}
	const all = [...differences.values()];
	const differences_count = all.reduce((sum, { count }) => sum + count, 0);
	return { ok: all.length === 0, as_of: as_of.toISOString(), checked, differences_count, differences: all };
}

/** `verify`, and then the PDF of every certificate that is shown, byte by byte. `onStep` is told as by `verify`. */
export async function verifyWithFiles(
	db: Database,
	files: FileStore,
	onStep?: (step: number, of: number) => void,
): Promise<VerifyReport> {
	const report = await verify(db, onStep);
	return withDifferences(report, "certificate-file", await differencesOfStoredFiles(db, files));
}
