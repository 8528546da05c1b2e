import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import { createTurns } from "../../ground/lib/turns.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { StatusLinks } from "../../inventory/certificates/set-status.ts";
import { mountWrite, type Write, type WriteDeps } from "../../partners/admin/mount-write.ts";
import { actorOf, type Operator } from "../../partners/admin/operator.ts";
import { readPageFrom, writeOperatorPage } from "../../partners/admin/page.ts";
import { type Gate, mount, ok } from "../../partners/http/mount.ts";
import { keyReply, listedKeyOf } from "../../partners/keys/listed-key.ts";
import type { Minting } from "../../partners/keys/mint-key.ts";
import { PRESETS } from "../../partners/keys/scopes.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import type { UrlRules } from "../../partners/webhooks/refuse-url.ts";
import { GetGoLive, GetGoLiveReport, HTML_TYPE, ListGoLives, PDF_TYPE } from "./admin-contract.ts";
import { beginRun } from "./begin-run.ts";
import { beginStep, endStep, endSteps, isUnderWay, readAgain } from "./begin-step.ts";
import { findRun, findRunning, numberIn } from "./find-run.ts";
import { finishRun } from "./finish-run.ts";
import { loadResult } from "./load-result.ts";
import { REPORT_POLICY, reportPage } from "./page-of-report.ts";
import { putReview, putWaiver } from "./put-review.ts";
import { type FiledReport, readReport } from "./read-report.ts";
import { refuseStatusUrl } from "./refuse-status-url.ts";
import type { GoLiveRun } from "./run.ts";
import { lastLookReply, resultReply, runReply } from "./run-reply.ts";
import { DrillGoLive, FinishGoLive, ReviewGoLive, StartGoLive, StopGoLive, WaiveGoLive } from "./run-write-contract.ts";
import { renderReport } from "./sheet-of-report.ts";
import { selectRuns, stopRun } from "./sql.ts";
import { withdrawCertificates } from "./withdraw-certificate.ts";

export interface GoLiveAdminDeps extends WriteDeps, Minting {
	readonly readDb: Query;
	readonly links: StatusLinks;
	readonly webhooks: { readonly urls: Pick<UrlRules, "allowed" | "lookUp"> };
	readonly config: { readonly traffic: "on" | "sandbox" | "off" };
}

/** The operations of the operator's API on go-live runs. */
export function admin(gate: Gate<Operator>, deps: GoLiveAdminDeps): void {
	mountReads(gate, deps);
	mountStart(gate, deps);
	mountSteps(gate, deps);
	mountReviews(gate, deps);
	mountFinish(gate, deps);
}

function mountReads(gate: Gate<Operator>, { readDb }: GoLiveAdminDeps): void {
	// judging a run costs more than other reads: one at a time
	const turns = createTurns();

	mount(gate, ListGoLives, async ({ query }) => {
		const page = readPageFrom(query, numberIn);
		if (isRefusal(page)) return page;
		const key = query.key === undefined ? null : await selectKey(readDb, query.key);
		if (isRefusal(key)) return key;
		const filter = { state: query.state ?? null, keyId: key?.keyId ?? null, partner: query.partner ?? null };
		const list = await firstRows(page.limit, (most) => selectRuns(readDb, { ...filter, before: page.after }, most));
		return { status: 200, data: writeOperatorPage(list, ({ number }) => String(number), runReply) };
	});

	mount(gate, GetGoLive, async ({ caller, params }) =>
		ok(await turns.take(actorOf(caller), () => readGoLive(readDb, params))),
	);

	mount(gate, GetGoLiveReport, async ({ caller, params, headers }) => {
		const run = await findRun(readDb, params.id);
		if (isRefusal(run)) return run;
		const report = await turns.take(actorOf(caller), () => readReport(readDb, run));
		return isRefusal(report) ? report : await reportAs(report, headers.Accept);
	});
}

/** A run with its verdicts, as its GET returns it; the verdicts of a finished run are those of its report. */
async function readGoLive(db: Query, { id }: { readonly id: string }) {
	const run = await findRun(db, id);
	if (isRefusal(run)) return run;
	const { loaded, result } = await loadResult(db, run);
	const last_look = lastLookReply(loaded.facts);
	if (run.digest === null) return { ...runReply(run), ...resultReply(result), last_look };
	const { passed, line, missing, checks } = await readReport(db, run);
	return { ...runReply(run), passed, line, missing, checks, last_look };
}

/** A report in the form that was asked for. */
async function reportAs(report: FiledReport, accept: string | undefined) {
	if (accepts(accept, "text/html")) {
		const page = { "Content-Security-Policy": REPORT_POLICY };
		return { status: 200, type: HTML_TYPE, content: reportPage(report), headers: page } as const;
	}
	if (!accepts(accept, PDF_TYPE)) return { status: 200, data: report } as const;
	const headers = { "Content-Disposition": `inline; filename="go-live-${report.number}.pdf"` };
	return { status: 200, type: PDF_TYPE, content: await renderReport(report), headers } as const;
}

/** Whether a header Accept names a media type. */
const accepts = (accept: string | undefined, type: string): boolean =>
	(accept ?? "").split(",").some((one) => one.split(";")[0]?.trim().toLowerCase() === type);

function mountStart(gate: Gate<Operator>, deps: GoLiveAdminDeps): void {
	const start: Write<typeof StartGoLive> = async (tx, { caller, body }) => {
		if (deps.config.traffic === "off") {
			return refuse(
				"not_possible_now",
				"A go-live is graded from the log of requests, and HOLDFAST_TRAFFIC is off: set it to on or sandbox.",
			);
		}
		const run = await beginRun(tx, { key: body.key, statusUrl: body.status_url ?? null, by: actorOf(caller) });
		return isRefusal(run) ? run : { status: 201, data: runReply(run), about: String(run.number) };
	};
	mountWrite(gate, deps, StartGoLive, start, {
		ask: async ({ body }) =>
			typeof body.status_url === "string" ? await refuseStatusUrl(deps.webhooks.urls, body.status_url) : undefined,
	});
}

/** The reply of a write on a run. */
const written = (run: GoLiveRun, changed = true) =>
	({ status: 200, data: runReply(run), about: String(run.number), changed }) as const;

function mountSteps(gate: Gate<Operator>, deps: GoLiveAdminDeps): void {
	const drill: Write<typeof DrillGoLive> = async (tx, { caller, params, body: { what = "drill" } }) => {
		const run = await findRunning(tx, params.id);
		if (isRefusal(run)) return run;
		const begun = await beginStep(tx, run, what, actorOf(caller));
		if (isRefusal(begun)) return refuse("not_possible_now", begun.message);
		return written(begun, !isUnderWay(run, what));
	};
	mountWrite(gate, deps, DrillGoLive, drill, { read: readGoLive });

	const stop: Write<typeof StopGoLive> = async (tx, { caller, params, body: { what, reason = null } }) => {
		const run = await findRun(tx, params.id, true);
		if (isRefusal(run)) return run;
		if (run.state === "stopped" || (what !== "run" && !isUnderWay(run, what))) return written(run, false);
		if (run.state === "finished")
			return refuse("not_possible_now", `Go-live ${run.number} is finished, and its report is filed.`);
		if (what !== "run") return written(await endStep(tx, run, what));
		await endSteps(tx, run);
		await withdrawCertificates(tx, deps.links, run);
		await stopRun(tx, run.goLiveId, actorOf(caller), reason);
		return written(await readAgain(tx, run));
	};
	mountWrite(gate, deps, StopGoLive, stop, { read: readGoLive });
}

function mountReviews(gate: Gate<Operator>, deps: GoLiveAdminDeps): void {
	const review: Write<typeof ReviewGoLive> = async (tx, { caller, params, body }) => {
		const run = await putReview(tx, params.id, { ...body, by: actorOf(caller) });
		return isRefusal(run) ? run : written(run);
	};
	mountWrite(gate, deps, ReviewGoLive, review, { read: readGoLive });
	const waive: Write<typeof WaiveGoLive> = async (tx, { caller, params, body }) => {
		const run = await putWaiver(tx, params.id, { ...body, by: actorOf(caller) });
		return isRefusal(run) ? run : written(run);
	};
	mountWrite(gate, deps, WaiveGoLive, waive, { read: readGoLive });
}

function mountFinish(gate: Gate<Operator>, deps: GoLiveAdminDeps): void {
	const finish: Write<typeof FinishGoLive> = async (tx, { caller, params, body }) => {
		const { preset, scopes = [] } = body;
		const finished = await finishRun(tx, deps, params.id, {
			by: actorOf(caller),
			key: {
				name: body.name,
				brandCode: body.brand_code,
				sharedPool: body.shared_pool ?? false,
				scopes: [...new Set([...(preset === undefined ? [] : PRESETS[preset]), ...scopes])],
				requestsPerMinute: body.requests_per_minute ?? null,
			},
		});
		if (isRefusal(finished)) return finished;
		const { token, pk, sandboxEndsAt, report } = finished;
		const key = await selectKey(tx, pk);
		if (isRefusal(key)) return refuse("internal_error", key.message);
		const data = {
			token,
			key: keyReply(listedKeyOf(key, Date.parse(report.as_of))),
			sandbox_key_revoked_at: sandboxEndsAt?.toISOString() ?? null,
			report,
		};
		return { status: 201, data, about: String(report.number) };
	};
	mountWrite(gate, deps, FinishGoLive, finish, { read: readGoLive });
}
