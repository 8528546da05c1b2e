import { asReply } from "../../ground/lib/as-reply.ts";
import { must } from "../../ground/lib/assert.ts";
import { firstRows } from "../../ground/lib/page.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { mountWrite, type Write } from "../admin/mount-write.ts";
import { hasRole, type Operator } from "../admin/operator.ts";
import { readPageFrom, rowId, writeOperatorPage } from "../admin/page.ts";
import { LEAST_ROLE } from "../admin/role.ts";
import { type Gate, mount, ok } from "../http/mount.ts";
import { GetRun, ListRuns, StopRun } from "./admin-contract.ts";
import type { StartRunDeps } from "./mount-run.ts";
import type { OperatorRun } from "./run.ts";
import { selectRun, selectRuns, stopRun } from "./sql.ts";

export interface RunAdminDeps extends StartRunDeps {
	readonly readDb: Query;
}

/** The operators' operations on runs. */
export function admin(gate: Gate<Operator>, deps: RunAdminDeps): void {
	const { readDb } = deps;
	mount(gate, ListRuns, async ({ query }) => {
		const page = readPageFrom(query, rowId);
		if (isRefusal(page)) return page;
		const { status = null, operation = null } = query;
		const list = await firstRows(page.limit, (most) =>
			selectRuns(readDb, { status, operation, before: page.after }, most),
		);
		return { status: 200, data: writeOperatorPage(list, ({ runId }) => runId, runReply) };
	});

	mount(gate, GetRun, async ({ params }) => ok(await readRun(readDb, params)));

	const stop: Write<typeof StopRun> = async (tx, { caller, params }) => {
		const runId = params.run_id.toLowerCase();
		const before = await selectRun(tx, runId);
		if (before === null) return noRun(runId);
		const role = LEAST_ROLE[before.operation];
		if (!hasRole(caller, role)) return refuse("forbidden", `Stopping this run requires the role ${role}.`);
		const { status } = before;
		if (status === "done" || status === "failed")
			return refuse(
				"not_possible_now",
				`This run ${status === "done" ? "is done" : "has failed"}: there is nothing to stop.`,
			);
		if (status === "running" && !before.stopAsked) await stopRun(tx, runId);
		const after = must(await selectRun(tx, runId), "the run");
		return { status: 200, data: runReply(after), about: runId, changed: after.stopAsked && !before.stopAsked };
	};
	mountWrite(gate, deps, StopRun, stop, { read: readRun });
}

async function readRun(db: Query, { run_id }: { readonly run_id: string }) {
	const run = await selectRun(db, run_id.toLowerCase());
	return run === null ? noRun(run_id) : runReply(run);
}

const noRun = (runId: string) => refuse("not_found", `There is no run ${runId.toLowerCase()}.`);

/** The result has the form of a reply of the operation that started the run. */
const runReply = ({ requestId: _requestId, result, ...run }: OperatorRun) => ({
	...asReply(run),
	result: result as { [name: string]: unknown } | null,
});
