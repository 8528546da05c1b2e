import { readSince } from "../../ground/lib/page.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { createTurns } from "../../ground/lib/turns.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { onOwnConnection } from "../../ground/pg/own-connection.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { callerOf } from "../../partners/keys/caller-of.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { mountRun, type StartRunDeps } from "../../partners/runs/mount-run.ts";
import { notBegun } from "../../partners/runs/run.ts";
import { ExplainCount, VerifyLedger } from "./admin-contract.ts";
import { explain } from "./explain.ts";
import { proveLedger } from "./verify.ts";

/** Milliseconds for one statement of an explanation. */
const EXPLAIN_STATEMENT_MS = 15_000;

export interface LedgerAdminDeps extends StartRunDeps {
	readonly readDb: Database;
	readonly stockRules: { readonly timeZone: string; readonly certificatesRequired: boolean };
	readonly databaseUrl: string;
	/** The PDFs of certificates. */
	readonly files: FileStore;
}

/** The operations of the operator's API that query the ledger. */
export function admin(gate: Gate<Operator>, deps: LedgerAdminDeps): void {
	mountExplain(gate, deps);
	mountVerify(gate, deps);
}

/** Old counts may take long to explain, so a node explains one at a time, on a connection that nothing else needs. */
function mountExplain(gate: Gate<Operator>, { readDb, databaseUrl, stockRules }: LedgerAdminDeps): void {
	const turns = createTurns();
	const limits = { name: "holdfast explain", answerWithinMs: EXPLAIN_STATEMENT_MS };
	mount(gate, ExplainCount, async ({ caller, params, query }) => {
		const at = readSince("at", query.at);
		if (isRefusal(at)) return at;
		const key = query.key === undefined ? null : await selectKey(readDb, query.key);
		if (isRefusal(key)) return key;
		const question = {
			sku: params.sku,
			caller: key === null ? null : callerOf(key),
			brandCode: query.brand_code,
			at: at === undefined ? null : new Date(at),
			certificatesRequired: stockRules.certificatesRequired,
		};
		const explained = await turns.take(actorOf(caller), () =>
			onOwnConnection(databaseUrl, limits, (own) => explain(own, stockRules.timeZone, question)),
		);
		return ok(explained);
	});
}

/** A verification may read every row, so a node does one at a time, on a connection that only it uses. */
function mountVerify(gate: Gate<Operator>, deps: LedgerAdminDeps): void {
	const { databaseUrl, files } = deps;
	const turns = createTurns();
	mountRun(gate, deps, VerifyLedger, {
		kind: {
			operation: VerifyLedger.id,
			work: ({ sinceSeal }: { readonly sinceSeal: boolean }, { actor, note, signal }) =>
				turns.take(actor, async () => {
					signal.throwIfAborted();
					return await onOwnConnection(databaseUrl, { name: "holdfast verify", signal }, (db) =>
						proveLedger(db, files, {
							sinceSeal,
							onStep(step, of) {
								signal.throwIfAborted();
								note(step, of);
							},
						}),
					);
				}),
		},
		begin: async (_tx, { query }) => ({
			about: "the ledger",
			first: notBegun({ sinceSeal: query.since_seal === true }),
		}),
	});
}
