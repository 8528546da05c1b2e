import Type from "typebox";
import { ERROR_STATUS, type ErrorCode } from "../../glossary.ts";
import { REASON, WRITE_ERRORS } from "../admin/headers.ts";
import { adminEdit, adminOperation } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { GivenId, Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../http/text.ts";
import type { RunStatus } from "./run.ts";

const STATUSES = ["running", "done", "failed", "stopped"] as const satisfies readonly RunStatus[];
const Status = (description: string) => Type.Enum(STATUSES, { description });

/** The reply 202 of an operation that starts a run. */
export const StartedRun = ReplyObject("StartedRun", {
	run_id: Id("The run, which continues: `GET /admin/api/v1/runs/{run_id}` follows it."),
});

const ShownRun = ReplyObject("OperatorRun", {
	run_id: Id("The run."),
	operation: Type.String({ description: "The operation that started it." }),
	about: Type.String({ description: "The object that it concerns, by that object's own name." }),
	actor: Type.String({ description: "Who started it, as in the audit log." }),
	status: Status("`running` until it has ended."),
	stop_asked: Type.Boolean({ description: "It was asked to stop, and does so before its next step." }),
	done: Type.Integer({ description: "How much of it is done." }),
	of: OrNull(Type.Integer({ description: "How much there is to do in all; null: not known." })),
	started_at: Instant("When it was started."),
	ended_at: OrNull(Instant("When it ended; null: it is running.")),
	result: OrNull(
		Type.Object(
			{},
			{
				additionalProperties: true,
				description: "What it has done so far, in the form of its operation's reply; null: nothing.",
			},
		),
	),
	error: OrNull(
		Type.Object(
			{
				code: Type.Enum(Object.keys(ERROR_STATUS) as ErrorCode[], { description: "As in an error reply." }),
				message: Type.String({ description: "What was wrong." }),
			},
			{ title: "RunError", description: "Why it failed; null: it did not." },
		),
	),
});
const EXAMPLE = {
	run_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d",
	operation: "release_hold",
	about: "C-2611",
	actor: "operator:token/nightly",
	status: "running",
	stop_asked: false,
	done: 4_200,
	of: 16_000,
	started_at: "2026-09-06T12:00:00.000Z",
	ended_at: null,
	result: { moved: 4_200 },
	error: null,
} as const;

/** The example of a reply 202. */
export const STARTED_RUN_EXAMPLE = { run_id: EXAMPLE.run_id };

export const ListRuns = adminOperation({
	id: "list_runs",
	method: "GET",
	path: "/admin/api/v1/runs",
	summary: "List runs",
	description: "Long work that operators started, newest first. A run continues even if whoever started it is gone.",
	query: pageQuery({
		status: Type.Optional(Status("Only runs of this status.")),
		operation: Type.Optional(Text({ min: 1, max: 100, description: "Only runs that this operation started." })),
	}),
	replies: { 200: pageOf(ShownRun, "OperatorRuns") },
	examples: { replies: { 200: { items: [EXAMPLE], next_cursor: null } } },
});

const RunParams = Type.Object({ run_id: GivenId("The run.") });
const PARAMS_EXAMPLE = { run_id: EXAMPLE.run_id };
const NO_RUN = `There is no run ${EXAMPLE.run_id}.`;

export const GetRun = adminOperation({
	id: "get_run",
	method: "GET",
	path: "/admin/api/v1/runs/:run_id",
	summary: "Read a run",
	description: "Its progress, and its result or error.",
	params: RunParams,
	conditional: true,
	replies: { 200: ShownRun },
	examples: { params: PARAMS_EXAMPLE, replies: { 200: EXAMPLE }, errors: { not_found: NO_RUN } },
});

export const StopRun = adminEdit({
	id: "stop_run",
	method: "POST",
	path: "/admin/api/v1/runs/:run_id/stop",
	summary: "Stop a run",
	description:
		"It stops before its next step; what it has done stays done. Requires the same role as starting such a run.",
	params: RunParams,
	body: RequestObject("StopRunRequest", REASON),
	replies: { 200: ShownRun },
	examples: {
		params: PARAMS_EXAMPLE,
		request: { reason: "The wrong file." },
		replies: { 200: { ...EXAMPLE, stop_asked: true } },
		errors: {
			not_found: NO_RUN,
			forbidden: "Stopping this run requires the role operator.",
			not_possible_now: "This run is done: there is nothing to stop.",
			...WRITE_ERRORS,
		},
	},
});
