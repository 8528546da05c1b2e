import { rfc3339OrNull } from "../../ground/lib/clock.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import { createTurns } from "../../ground/lib/turns.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { type Gate, mount } from "../../partners/http/mount.ts";
import { NOT_FOR_LIVE_KEYS } from "../traffic/contract.ts";
import { beginStep, isUnderWay } from "./begin-step.ts";
import { NO_RUN, NONE_RUNNING, PostShown, ReadGoLive, StartDrill, UNDER_WAY } from "./contract.ts";
import { loadResult } from "./load-result.ts";
import { type LookDeps, putLook } from "./put-look.ts";
import { readReport } from "./read-report.ts";
import { lastLookReply, partnerResultReply, partnerRunReply, resultReply } from "./run-reply.ts";
import { selectRunOfKey } from "./sql.ts";

export interface GoLiveDeps extends LookDeps {
	readonly db: Database;
}

/** The operations by which a partner's developer follows the go-live run of their own sandbox key. */
export function routes(gate: Gate, deps: GoLiveDeps): void {
	const { db, readDb } = deps;
	// judging a run costs more than other reads: one at a time on each node
	const turns = createTurns();

	mount(gate, ReadGoLive, async ({ caller }) => {
		if (caller.environment !== "sandbox") return NOT_FOR_LIVE_KEYS;
		const run = await selectRunOfKey(readDb, caller.keyId);
		if (run === null) return NO_RUN;
		const read = await turns.take(caller.keyId, async () => ({
			...(await loadResult(readDb, run)),
			filed: run.digest === null ? null : await readReport(readDb, run), // its verdicts never change
		}));
		if (isRefusal(read)) return read;
		const data = {
			...partnerRunReply(run),
			...partnerResultReply(read.filed ?? resultReply(read.result)),
			last_look: lastLookReply(read.loaded.facts),
		};
		return { status: 200, data };
	});

	mount(gate, StartDrill, async ({ caller, body: { what = "drill" } }) => {
		if (caller.environment !== "sandbox") return NOT_FOR_LIVE_KEYS;
		return await transaction(db, async (tx) => {
			const run = await selectRunOfKey(tx, caller.keyId, true);
			if (run?.state !== "running") return NONE_RUNNING;
			if (isUnderWay(run, what)) return refuse("wrong_state", UNDER_WAY[what]);
			const begun = await beginStep(tx, run, what, `key:${caller.pk}`);
			return isRefusal(begun) ? begun : { status: 200, data: partnerRunReply(begun) };
		});
	});

	mount(gate, PostShown, async ({ caller, body, requestId }) => {
		if (caller.environment !== "sandbox") return NOT_FOR_LIVE_KEYS;
		const run = await selectRunOfKey(readDb, caller.keyId);
		if (run?.state !== "running") return NONE_RUNNING;
		const items = body.items.map(({ sku, shown_qty = null, hidden = false, coa_url = null }) => ({
			sku,
			shownQty: shown_qty,
			hidden,
			coaUrl: coa_url === "" ? null : coa_url,
		}));
		const at = await putLook(deps, run, caller, { id: requestId, source: "posted", shown: { items } });
		return { status: 200, data: { kept: at !== null, at: rfc3339OrNull(at) } };
	});
}
