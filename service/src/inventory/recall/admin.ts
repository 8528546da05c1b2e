import type { Static } from "typebox";
import { asReply } from "../../ground/lib/as-reply.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { asImpossible } from "../../partners/admin/as-impossible.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { readPageFrom, rowId, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { mountRun, type StartRunDeps } from "../../partners/runs/mount-run.ts";
import type { OperatorRun } from "../../partners/runs/run.ts";
import { selectRun, selectRuns } from "../../partners/runs/sql.ts";
import { readLot } from "../stock/read-lot.ts";
import type { StockRules } from "../stock/read-stock-around.ts";
import { CSV_TYPE, GetRecall, GetRecallCsv, ListRecalls, RecallLots } from "./admin-contract.ts";
import { carryOutRecall, newRecall, type RecallState } from "./carry-out-recall.ts";
import { findLotsToRecall, type RecallTarget } from "./find-lots-to-recall.ts";
import { findSameRecall } from "./find-same-recall.ts";
import { DestroyLot, QuarantineLot, RestoreLot } from "./lot-admin-contract.ts";
import { previewRestore, previewTakeOut } from "./preview.ts";
import { recallCsv } from "./recall-csv.ts";
import { listsReply, runSummary, summaryReply } from "./recall-reply.ts";
import { findNearLots, reportRecall } from "./report-recall.ts";
import { newRestore, type RestoreState, restoredReply, restoreUnits } from "./restore-units.ts";
import type { ExecuteRecallIn, FactsOfStep } from "./step.ts";
import { newTakeOut, type TakeOutState, takeOut } from "./take-out.ts";

export interface RecallAdminDeps extends StartRunDeps {
	readonly readDb: Database;
	readonly executeIn: ExecuteRecallIn;
	readonly stockRules: StockRules;
}

/** The operations of the operator's API on bad lots. */
export function admin(gate: Gate<Operator>, deps: RecallAdminDeps): void {
	mountTakeOut(gate, deps, QuarantineLot, "quarantine");
	mountTakeOut(gate, deps, DestroyLot, "destroy");
	mountRestore(gate, deps);
	mountRecall(gate, deps);
	mountReads(gate, deps);
}

/** The facts for the first step of a run, which is carried out in the transaction of the request. */
const firstFacts = (caller: Operator, requestId: string, more: unknown): FactsOfStep => ({
	actor: actorOf(caller),
	requestId,
	memo: undefined,
	more,
});

type MoveBody = Static<(typeof QuarantineLot)["body"]>;

function unitsOf({ units, all }: MoveBody): number | "all" | Refusal<"invalid_input"> {
	if ((units === undefined) === (all === undefined))
		return refuse("invalid_input", "/units: expected either units or all");
	return units ?? "all";
}

/** The lot and the units of a request. */
async function askedOf(db: Query, { stockRules }: RecallAdminDeps, fg_id: string, body: MoveBody) {
	const units = unitsOf(body);
	if (isRefusal(units)) return units;
	const lot = await readLot(db, stockRules.timeZone, { fg_id });
	return isRefusal(lot) ? lot : { fgId: lot.fg_id, units, reason: body.reason ?? null };
}

function mountTakeOut(
	gate: Gate<Operator>,
	deps: RecallAdminDeps,
	operation: typeof QuarantineLot | typeof DestroyLot,
	kind: TakeOutState["kind"],
): void {
	const { db, executeIn, stockRules } = deps;
	const next = async (tx: Query, state: TakeOutState, facts: FactsOfStep) =>
		asImpossible(await takeOut(executeIn, tx, state, facts), "invalid_input");
	mountRun(gate, deps, operation as typeof QuarantineLot, {
		kind: { operation: operation.id, next },
		async begin(tx, { caller, params, body, requestId }, more) {
			const asked = await askedOf(tx, deps, params.fg_id, body);
			if (isRefusal(asked)) return asked;
			const first = await next(tx, newTakeOut({ kind, ...asked }), firstFacts(caller, requestId, more));
			return isRefusal(first) ? first : { about: asked.fgId, first };
		},
		async dryRun({ params, body }) {
			const asked = await askedOf(db, deps, params.fg_id, body);
			if (isRefusal(asked)) return asked;
			const moved = await previewTakeOut(db, stockRules, { kind, ...asked });
			return isRefusal(moved) ? asImpossible(moved, "invalid_input") : asReply(moved);
		},
		read: (tx, params) => readLot(tx, stockRules.timeZone, params),
	});
}

function mountRestore(gate: Gate<Operator>, deps: RecallAdminDeps): void {
	const { db, executeIn, stockRules } = deps;
	const next = async (tx: Query, state: RestoreState, facts: FactsOfStep) =>
		asImpossible(await restoreUnits(executeIn, tx, state, facts), "invalid_input");
	const askedFor = async (db: Query, fg_id: string, body: Static<(typeof RestoreLot)["body"]>) => {
		const asked = await askedOf(db, deps, fg_id, body);
		return isRefusal(asked) ? asked : { ...asked, unlessRecalled: body.ends_recall !== true };
	};
	mountRun(gate, deps, RestoreLot, {
		kind: { operation: RestoreLot.id, next },
		async begin(tx, { caller, params, body, requestId }, more) {
			const asked = await askedFor(tx, params.fg_id, body);
			if (isRefusal(asked)) return asked;
			const first = await next(tx, newRestore(asked), firstFacts(caller, requestId, more));
			return isRefusal(first) ? first : { about: asked.fgId, first };
		},
		async dryRun({ params, body }) {
			const asked = await askedFor(db, params.fg_id, body);
			if (isRefusal(asked)) return asked;
			const restored = await previewRestore(db, stockRules, asked);
			return isRefusal(restored) ? asImpossible(restored, "invalid_input") : restoredReply(restored);
		},
		read: (tx, params) => readLot(tx, stockRules.timeZone, params),
	});
}

type RecallBody = Static<(typeof RecallLots)["body"]>;

function targetOf({ batch_number, formula, slug, fg_id }: RecallBody): RecallTarget | Refusal<"invalid_input"> {
	if ((batch_number === undefined) === (fg_id === undefined))
		return refuse("invalid_input", "/batch_number: expected either batch_number or fg_id");
	if (batch_number !== undefined) return { batchNumber: batch_number, formula: formula ?? null, slug: slug ?? null };
	if (formula !== undefined || slug !== undefined)
		return refuse("invalid_input", "/fg_id: formula and slug are accepted only with batch_number");
	return { fgId: (fg_id ?? "").toLowerCase() };
}

function mountRecall(gate: Gate<Operator>, deps: RecallAdminDeps): void {
	const { db, executeIn, stockRules } = deps;
	const next = (tx: Query, state: RecallState, facts: FactsOfStep) => carryOutRecall(executeIn, tx, state, facts);
	mountRun(gate, deps, RecallLots, {
		kind: { operation: RecallLots.id, next },
		async begin(tx, { caller, body, requestId }, more) {
			const target = targetOf(body);
			if (isRefusal(target)) return target;
			const about = "fgId" in target ? target.fgId : target.batchNumber;
			const same = await findSameRecall(tx, RecallLots.id, target);
			if (same !== null) return { about, same };
			const first = await next(tx, newRecall(target, body.reason ?? null), firstFacts(caller, requestId, more));
			return isRefusal(first) ? first : { about, first };
		},
		async dryRun({ body }) {
			const target = targetOf(body);
			if (isRefusal(target)) return target;
			const fgIds = await findLotsToRecall(db, target);
			if (isRefusal(fgIds)) return fgIds;
			const { forecast, ...report } = await reportRecall(db, fgIds, { ...stockRules, forecast: true, times: null });
			const nothing = { ...newRecall(target, body.reason ?? null), ...forecast };
			const none = { recall_id: null, dry_run: true, status: null, started_at: null, ended_at: null };
			const lists = listsReply(report, await findNearLots(db, target));
			return { ...none, ...summaryReply(nothing), ...lists };
		},
		reply: (run) => reportOf(db, stockRules, run),
	});
}

/** A recall with its lists as of now. */
async function reportOf(db: Database, rules: StockRules, run: OperatorRun) {
	const { fgIds, reply } = runSummary(run);
	const times = { from: run.startedAt, to: run.endedAt };
	const { forecast: _forecast, ...report } = await reportRecall(db, fgIds, { ...rules, forecast: false, times });
	const batch = reply.batch_number;
	const near = batch === null ? [] : await findNearLots(db, { batchNumber: batch });
	return { ...reply, dry_run: false, ...listsReply(report, near) };
}

function mountReads(gate: Gate<Operator>, { readDb, stockRules }: RecallAdminDeps): void {
	const findRecall = async (id: string) => {
		const run = await selectRun(readDb, id.toLowerCase());
		if (run?.operation === RecallLots.id) return await reportOf(readDb, stockRules, run);
		return refuse("not_found", `There is no recall ${id.toLowerCase()}.`);
	};

	mount(gate, ListRecalls, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const { status = null } = query;
		const list = await firstRows(page.limit, (most) =>
			selectRuns(readDb, { status, operation: RecallLots.id, before: page.after }, most),
		);
		const data = writeOperatorPage(
			list,
			({ runId }) => runId,
			(run) => ({ ...runSummary(run).reply, actor: run.actor }),
		);
		return { status: 200, data };
	});

	mount(gate, GetRecall, async ({ params }) => ok(await findRecall(params.id)));

	mount(gate, GetRecallCsv, async ({ params }) => {
		const recall = await findRecall(params.id);
		return isRefusal(recall) ? recall : { status: 200, type: CSV_TYPE, content: recallCsv(recall) };
	});
}
