import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { callerOf } from "../../partners/keys/caller-of.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { type Explanation, explain } from "../ledger/explain.ts";
import { selectHoldEvidence, selectKeyEvidence, selectOrderEvidence } from "./evidence-sql.ts";
import { type ExplainedTo, explanationOf, type RefusalEvidence } from "./explanation.ts";
import { type LoggedRequest, selectEarlier, selectWindow } from "./list-sql.ts";

/** Seconds of the window in which requests of a key are counted (settlements, section 2). */
const WINDOW_SECONDS = 60;
/** Maximum number of earlier requests that are read. */
const MOST_EARLIER = 10;
/** Maximum number of SKUs whose counts are explained. */
const MOST_SKUS = 10;

export interface ExplainRequestDeps {
	readonly readDb: Query;
	/** Not the pool for short reads, because an explanation of a count reads the ledger of a formula. */
	readonly db: Database;
	readonly stockRules: { readonly timeZone: string; readonly certificatesRequired: boolean };
	/** The scope of each operation of partners, by its id. */
	readonly scopeOf: (operation: string) => string | null;
	/** The API dates that are accepted. */
	readonly dates: readonly string[];
}

/** Why a request was answered as it was. */
export interface RequestExplanation {
	/** Sentences; none if it was not refused. */
	readonly text: readonly string[];
	/** For a lack of stock, the counts at the instant of the decision. */
	readonly counts: readonly Explanation[];
}

/** Explains a refusal from what the log, the ledger and the rows of holds, orders and keys say about its instant. */
export async function explainRequest(
	deps: ExplainRequestDeps,
	request: LoggedRequest,
	reader: ExplainedTo,
): Promise<RequestExplanation> {
	if (request.code === null) return { text: [], counts: [] };
	const evidence = await gatherEvidence(deps, request);
	return { text: explanationOf(request, evidence, reader), counts: evidence.counts };
}

async function gatherEvidence(deps: ExplainRequestDeps, request: LoggedRequest): Promise<RefusalEvidence> {
	const { readDb, scopeOf, dates } = deps;
	const { key_id: keyId, pk, at, about, operation } = request;
	const key = pk === null ? null : await selectKeyEvidence(readDb, pk);
	const named = keyId !== null && about.length > 0;
	const [holds, orders, earlier, window] = await Promise.all([
		named ? selectHoldEvidence(readDb, keyId, about) : NONE,
		named ? selectOrderEvidence(readDb, keyId, about) : NONE,
		named ? selectEarlier(readDb, keyId, at, about, MOST_EARLIER) : NONE,
		keyId !== null && request.code === "rate_limited" ? selectWindow(readDb, keyId, at, WINDOW_SECONDS) : NONE,
	]);
	return {
		key,
		holds: holds.rows,
		orders: orders.rows,
		earlier: earlier.rows,
		window: window.rows,
		counts: await countsOf(deps, request),
		scope: scopeOf(operation),
		dates,
	};
}

const NONE = { rows: [] } as const;

/** The counts of each SKU that was asked for, as the key saw them at the instant of the decision. */
async function countsOf(
	{ db, readDb, stockRules }: ExplainRequestDeps,
	{ code, items, decided_at: at, pk }: LoggedRequest,
): Promise<readonly Explanation[]> {
	if (code !== "no_inventory" || items === null || at === null || pk === null) return [];
	const key = await selectKey(readDb, pk);
	if (isRefusal(key)) return [];
	const caller: Caller = callerOf(key);
	const wanted = new Map(items.map(({ sku, brand_code }) => [`${sku}\n${brand_code ?? ""}`, { sku, brand_code }]));
	const counts: Explanation[] = [];
	for (const { sku, brand_code } of [...wanted.values()].slice(0, MOST_SKUS)) {
		const question = { sku, caller, brandCode: brand_code, at: new Date(at) };
		const { certificatesRequired, timeZone } = stockRules;
		const count = await explain(db, timeZone, { ...question, certificatesRequired });
		if (!isRefusal(count)) counts.push(count);
	}
	return counts;
}
