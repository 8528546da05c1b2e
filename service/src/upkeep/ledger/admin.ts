import { readSince } from "../../ground/lib/page.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { Operator } from "../../partners/admin/operator.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { ExplainCount } from "./admin-contract.ts";
import { explain } from "./explain.ts";

export interface LedgerAdminDeps {
	/** Not that for short reads: an explanation reads the ledger of a formula. */
	readonly db: Database;
	readonly stockRules: { readonly timeZone: string; readonly certificatesRequired: boolean };
}

/** What operators ask the ledger. */
export function admin(gate: Gate<Operator>, { db, stockRules }: LedgerAdminDeps): void {
	mount(gate, ExplainCount, async ({ params, query }) => {
		const at = readSince("at", query.at);
		if (isRefusal(at)) return at;
		const key = query.key === undefined ? null : await selectKey(db, query.key);
		if (isRefusal(key)) return key;
		const question = {
			sku: params.sku,
			caller: key === null ? null : callerOf(key),
			brandCode: query.brand_code,
			at: at === undefined ? null : new Date(at),
			certificatesRequired: stockRules.certificatesRequired,
		};
		return ok(await explain(db, stockRules.timeZone, question));
	});
}

type Key = Exclude<Awaited<ReturnType<typeof selectKey>>, { readonly refusal: unknown }>;

/** By name: a stored key has digests of its secrets, a caller has none. */
const callerOf = (key: Key): Caller => ({
	keyId: key.keyId,
	pk: key.pk,
	partnerId: key.partnerId,
	environment: key.environment,
	brandCode: key.brandCode,
	poolId: key.poolId,
	sharedPool: key.sharedPool,
	scopes: new Set(key.scopes),
	requestsPerMinute: key.requestsPerMinute,
	maxHeldUnits: key.maxHeldUnits,
});
