import type { Static } from "typebox";
import { must } from "../../ground/lib/assert.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { scratch, snapshot } from "../../ground/pg/transaction.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { differencesOfStoredFiles } from "../../inventory/certificates/stored-files.ts";
import type { VerifyReport as ReportSchema } from "./admin-contract.ts";
import { sealLedger } from "./seal-ledger.ts";
import { type Seal, type SealReach, selectLastSeal, selectReach } from "./seal-sql.ts";
import { readSince, selectAssumed } from "./since-sql.ts";
import { planForSums, selectCounts, selectDifferences, statementsOf } from "./verify-sql.ts";
import type { VerifyScope } from "./verify-sums-sql.ts";

/** Maximum number of examples named for each rule; the rest are only counted. */
export const MAX_EXAMPLES = 20;

/** Each rule in words, as reports show it. */
export const RULES = {
	"lot-balance": "the balances of a lot are the sum of its moves",
	"lot-parts": "held, allocated, consumed and shipped units of a lot are those of holds and draw-downs",
	"lot-conservation":
		"received + corrected = available + held + allocated + consumed + shipped + quarantined + destroyed",
	"lot-negative": "no bucket of a lot is below zero",
	"move-without-lot": "every move belongs to a lot",
	"move-without-hold": "every move of a hold belongs to a hold that exists",
	"hold-parts": "the units of a hold are in the bucket that its state requires",
	"hold-granted": "a hold has exactly the units that it was granted, including displaced ones",
	"hold-reserved": "the units that the ledger reserved for a hold are those that it was granted",
	"hold-consumed": "a hold, its parts and the ledger have the same number of consumed units",
	"hold-returned": "a hold, its parts and the ledger have the same number of returned units",
	"hold-freed": "the units that a hold freed agree with the ledger",
	"hold-placed": "the ledger placed all units of each hold that became an order, and of no other hold",
	"hold-shipped": "the shipped units of a hold are those that were shipped and not voided in the ledger",
	"order-hold":
		"every order has a placed hold of its own key, partner and environment, and every placed hold one order",
	"order-parts": "the units of an order are in the buckets that its status requires",
	"order-whole": "an order that is not on hold has all units that it was granted",
	"order-box": "an order with something left to ship waits in exactly one box, every other order in none",
	"order-shipment": "orders and boxes name each other",
	"shipment-items": "the shipped boxes of an order contain what was shipped of it, lot by lot",
	"shipment-lots":
		"a box contains whole kits of the order's SKU, from lots with the formula and batch number that it names",
	"order-event": "each shipment of an order has one event, and so has an order that is on hold",
	"event-body": "an event about an order has its reference, a version that the order had, and the contents of the box",
	"event-delivery": "an event has a delivery for each endpoint that had chosen its type, as long as its body is kept",
	"event-owner": "an event goes to the partner and environment of its order or hold, or to that of its certificate",
	"delivery-answer": "a delivery that was accepted has an attempt with a success",
	"customer-erased":
		"an order whose customer was erased has nothing of the customer but the country, and neither have its boxes and events",
	"number-twice": "no two shipments and no two events have the same number; `wall` covers the other lists",
	"hold-without-key": "every hold belongs to a key",
	"hold-partner": "a hold belongs to the partner of its key",
	"hold-pools": "a hold draws from pools that its key may draw from",
	"part-pool": "the units of a hold are from the pools that its line draws from",
	"hold-late": "a hold is consumed before its end, never after",
	"hold-key": "a hold belongs to the key that reserved it in the ledger",
	"hold-life": "no hold lasts longer than the longest permitted hold",
	"demand-log": "promised units agree with the log of their changes",
	"draw-down": "the units drawn down under a reference agree with the ledger",
	"demand-order": "demand that a platform reported belongs to an order that it reported",
	"demand-exception": "units shipped elsewhere are drawn down, or an exception says that they are not",
	"hold-ref-twice": "one active hold per key and external_ref",
	"consume-ref-twice": "one consumed hold per key and reference",
	"lot-label": "a lot has the batch number, the days, the formula and the pool that it was received with",
	"history-digest": "the ledger and the events match the digests that were made of them a day later",
	"lot-twice": "one lot per formula, pool and batch number",
	"part-without-hold": "every part belongs to a hold",
	"part-without-lot": "every part belongs to a lot",
	"part-lot": "a part names the formula and the pool of its lot",
	"receipt-units": "the receipts of a lot add up to what it received and was corrected by",
	"receipt-day": "a receipt is of the lot's day, or of a day on which units were received",
	"receipt-lot": "a receipt is of a lot, and names the lot's pool",
	"certificate-recalled": "no lot that is recalled has a current certificate",
	"certificate-file": "every current or archived certificate has its PDF in the store, byte for byte",
	"certificate-twice": "the feed has one record for a product and a batch",
	"certificate-order": "the times of changes of certificates are in the order of their numbers",
	"sku-recipe": "a single SKU has one formula, a kit none or several, a non-physical SKU none",
	epoch: "no row is numbered beyond the last change, and the log of changes ends with it",
	wall: "the constraints, unique indexes and triggers of the database are in force",
	seal: "each seal of the ledger follows from the seal before it and from the digests of the rows that it covers",
	"sealed-sums": "the sums of the last seal are those of the moves that it covers",
} as const;
export type Rule = keyof typeof RULES;

export type VerifyReport = Static<typeof ReportSchema>;
/** A violated rule. */
export type Difference = VerifyReport["differences"][number];

/** Adds to the report violations of one more rule that were found elsewhere, such as in files outside the database. */
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

/** Called before each of the `of` steps. */
type OnStep = (step: number, of: number) => void;

/** A report with what a seal is made of. */
interface Proof {
	readonly report: VerifyReport;
	readonly reach: SealReach;
	/** The last seal when the run began. */
	readonly last: Seal | null;
}

/**
 * Recomputes every balance from the ledger and checks every rule of the stored rows in one read-only snapshot, while
 * the service keeps running. Leaves no seal.
 */
export async function verify(db: Database, onStep?: OnStep): Promise<VerifyReport> {
	return (await proveWhole(db, onStep ?? (() => undefined))).report;
}

const proveWhole = (db: Database, onStep: OnStep): Promise<Proof> =>
	snapshot(db, async (tx) => {
		await planForSums(tx);
		const last = await selectLastSeal(tx);
		const reach = await selectReach(tx);
		return { report: await check(tx, "whole", { last, reach }, onStep), reach, last };
	});

/**
 * The same for what the last seal does not cover. Null: there is no seal, or one was erased, which a whole run names.
 */
const proveSince = (db: Database, onStep: OnStep): Promise<Proof | null> =>
	scratch(db, async (tx) => {
		const last = await selectLastSeal(tx);
		if (last === null || last.sumsOf > last.seal) return null;
		const reach = await selectReach(tx);
		const { length } = statementsOf("since", last);
		const tables = await readSince(tx, last, (step, of) => onStep(step, of + length + 1));
		const report = await check(tx, "since", { last, reach }, (step, of) => onStep(tables + step, tables + of));
		const since = {
			seal: last.seal,
			sealed_at: last.madeAt.toISOString(),
			whole_at: last.wholeAt.toISOString(),
			moves_upto: last.movesUpto,
			assumed_holds: await selectAssumed(tx),
		};
		return { report: { ...report, since }, reach, last };
	});

async function check(
	tx: Query,
	scope: VerifyScope,
	{ last, reach }: Pick<Proof, "last" | "reach">,
	onStep: OnStep,
): Promise<VerifyReport> {
	const statements = statementsOf(scope, last);
	onStep(0, statements.length + 1);
	const checked = must((await selectCounts(tx)).rows[0], "the counts");
	const differences = new Map<Rule, Difference>();
	for (const [i, statement] of statements.entries()) {
		onStep(i + 1, statements.length + 1);
		const found = await selectDifferences(tx, statement, MAX_EXAMPLES);
		for (const [name, ofRule] of Map.groupBy(found.rows, ({ rule }) => rule)) {
			const rule = name as Rule;
			const earlier = differences.get(rule); // two statements may check the same rule
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
	return {
		ok: all.length === 0,
		as_of: reach.madeAt.toISOString(),
		checked,
		since: null,
		sealed: null,
		differences_count: all.reduce((sum, { count }) => sum + count, 0),
		differences: all,
	};
}

/**
 * Verifies, then checks the PDFs of visible certificates byte by byte, and leaves a seal if nothing is wrong. With
 * `sinceSeal`, starts from the last seal, if there is one. `onStep` is also called after each PDF.
 */
export async function proveLedger(
	db: Database,
	files: FileStore,
	{ sinceSeal = false, onStep = () => undefined }: { readonly sinceSeal?: boolean; readonly onStep?: OnStep },
): Promise<VerifyReport> {
	let steps = 0;
	const noted: OnStep = (step, of) => {
		steps = of;
		onStep(step, of);
	};
	const since = sinceSeal ? await proveSince(db, noted) : null;
	const { report, reach, last } = since ?? (await proveWhole(db, noted));
	const above = since === null ? 0 : (last?.certificatesUpto ?? 0);
	const found = await differencesOfStoredFiles(db, files, { above, onFile: () => onStep(steps, steps) });
	const proved = withDifferences(report, "certificate-file", found);
	// damaged sums are made again from the moves that a whole run has just proved
	const isSumsAlone = since === null && proved.differences.every(({ rule }) => rule === "sealed-sums");
	if (!proved.ok && !isSumsAlone) return proved;
	return { ...proved, sealed: await sealLedger(db, { last, reach, isWhole: since === null, isAnew: !proved.ok }) };
}
