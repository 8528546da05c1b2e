import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { followRun, resultOf, type ShownRun } from "../client/follow-run.ts";
import { callOperator, listItems, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, DEFAULT_LIMIT, limitOption, uuid } from "../terminal/options.ts";
import { factTable, listed, print, tableOf } from "../terminal/output.ts";

const RUN_HINT = { not_found: `${quotedCommand("runs list")} shows them.` } as const;
const { status: STATUSES } = FIELDS.list_runs;

interface ListOptions extends JsonOption {
	readonly status?: (typeof STATUSES)[number];
	readonly operation?: string;
	readonly limit?: number;
}

export function addRuns(program: Command): void {
	const group = program.command("runs").description("long work that continues in the service, such as a recall");
	addCommand(group, "list", "runs, the newest first", "runs list --status running")
		.option("--status <status>", `only runs of this status: ${STATUSES.join(", ")}`, choice(...STATUSES))
		.option("--operation <id>", "only runs that this operation started, such as recall_lots")
		.option(...limitOption())
		.action(async ({ json, limit = DEFAULT_LIMIT, ...query }: ListOptions) => {
			const list = await listItems("list_runs", query, limit);
			print(list, json, () => listed(list, "No runs.", "--status or --operation", runTable));
		});
	addShow(group);
	addCommand(
		group,
		"stop <run_id>",
		"stop a run before its next step; what it has done stays done",
		"runs stop 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
	)
		.option("--reason <text>", "the reason, for the audit log")
		.action(async (runId: string, { reason, json }: { reason?: string; json?: true }) => {
			const run = await callOperator("stop_run", { params: { run_id: uuid(runId) }, body: { reason } }, RUN_HINT);
			print(run, json, () =>
				run.status === "running" ? `Run ${run.run_id} stops before its next step.` : `Run ${run.run_id} is stopped.`,
			);
		});
}

function addShow(group: Command): void {
	addCommand(
		group,
		"show <run_id>",
		"a run's progress, and its result or error",
		"runs show 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --follow",
	)
		.option("--follow", "wait for its end; exit code 1 if it fails or is stopped")
		.action(async (named: string, { follow, json }: { follow?: true; json?: true }) => {
			const runId = uuid(named);
			const run = await withOperator(async (call, session) => {
				const first = await call("get_run", { params: { run_id: runId } }, RUN_HINT);
				return follow ? resultOf(await followRun(call, session, runId, first.operation)) : first;
			});
			print(run, json, () => describe(run));
		});
}

const runTable = (runs: readonly ShownRun[]): string =>
	tableOf(runs, {
		RUN: "run_id",
		OPERATION: "operation",
		ABOUT: "about",
		STATUS: statusOf,
		DONE: "done",
		OF: "of",
		STARTED: "started_at",
		ENDED: "ended_at",
		WHO: "actor",
	});

const statusOf = ({ status, stop_asked: stopAsked }: ShownRun): string =>
	status === "running" && stopAsked ? "running (stops)" : status;

const describe = (run: ShownRun): string =>
	factTable([
		["run", run.run_id],
		["operation", run.operation],
		["about", run.about],
		["started by", run.actor],
		["status", statusOf(run)],
		["done", run.of === null ? run.done : `${run.done} of ${run.of}`],
		["started", run.started_at],
		["ended", run.ended_at],
		["result", run.result === null ? null : JSON.stringify(run.result)],
		["error", run.error === null ? null : run.error.message],
	]);
