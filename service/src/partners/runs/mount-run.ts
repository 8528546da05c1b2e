import type { Static, TSchema } from "typebox";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { carryOutWrite, findChange, type WriteDeps, type WriteOptions } from "../admin/mount-write.ts";
import { actorOf, type Operator } from "../admin/operator.ts";
import type { UseCaseError } from "../http/errors.ts";
import { type AnyReply, type AnyRequest, type Gate, mount } from "../http/mount.ts";
import type { DeepReadonly, Handler, Operation, Request } from "../http/operation.ts";
import type { Runs } from "./carry-out-runs.ts";
import { ASK_AGAIN_SECONDS, MOST_INPUTS } from "./limits.ts";
import type { AnyRunKind, OperatorRun, RunKind, RunStep, StartsRun } from "./run.ts";
import { insertRun, selectRun, selectState } from "./sql.ts";

export interface StartRunDeps extends WriteDeps {
	readonly runs: Runs;
}

type RefusedBy<Op extends Operation> = Refusal<Op["errors"][number] | UseCaseError>;
/** The data of a reply with status 200. */
type Ended<Op extends Operation> = Op extends { readonly replies: { readonly 200: infer S extends TSchema } }
	? DeepReadonly<Static<S>>
	: never;

/** How a request begins a run, and the reply once the run has ended. */
export interface RunVerbs<Op extends Operation, State> {
	/**
	 * Runs in the transaction that creates the run: checks the request, and does the first step if it is short.
	 * `made`: the request creates an object, so the status of its reply is 201. `same`: an existing run already does
	 * what is requested, and the request gets its reply. `unchanged`: everything is already as requested, no run is
	 * created, and this is the data of the reply. `more`: as in `Write`.
	 */
	readonly begin: (
		tx: Query,
		request: Request<Op, Operator>,
		more: unknown,
	) => Promise<
		| {
				readonly about: string;
				readonly first: RunStep<State>;
				readonly made?: boolean;
				/**
				 * Data for the steps, kept only in this node's memory: no other node can continue a run that needs
				 * it.
				 */
				readonly input?: unknown;
		  }
		| { readonly about: string; readonly same: string }
		| { readonly about: string; readonly unchanged: Ended<Op> }
		| RefusedBy<Op>
	>;
	/** The data of the reply, from the run and its last state; absent: the result of the run. */
	readonly reply?: (
		run: OperatorRun,
		state: State,
		request: Request<Op, Operator>,
	) => Promise<Ended<Op> | RefusedBy<Op>>;
	/** As in `WriteOptions`. */
	readonly read?: WriteOptions<Op>["read"];
	readonly asksFresh?: WriteOptions<Op>["asksFresh"];
	/** Answers a body with `dry_run: true` without changing anything. */
	readonly dryRun?: (request: Request<Op, Operator>) => Promise<Ended<Op> | RefusedBy<Op>>;
}

/**
 * Mounts a write that starts a run. The run, its audit row and, under an Idempotency-Key, the id that a repeat needs
 * to find the run are one transaction. The reply is the run's result if it ends within two seconds; otherwise the
 * reply is 202 and the run continues.
 */
export function mountRun<Op extends Operation & { readonly id: StartsRun }, State>(
	gate: Gate<Operator>,
	deps: StartRunDeps,
	operation: Op,
	{ kind, ...verbs }: RunVerbs<Op, State> & { readonly kind: RunKind<State> },
): void {
	deps.runs.add(kind as AnyRunKind);
	const handle = (request: AnyRequest) => startRun(deps, operation, request, verbs as unknown as AnyVerbs);
	mount(gate, operation, handle as unknown as Handler<Op, Operator>);
}

interface AnyVerbs {
	readonly begin: (
		tx: Query,
		request: AnyRequest,
		more: unknown,
	) => Promise<
		| { about: string; first: RunStep<unknown>; made?: boolean; input?: unknown }
		| { about: string; same: string }
		| { about: string; unchanged: unknown }
		| Refusal
	>;
	readonly reply?: (run: OperatorRun, state: unknown, request: AnyRequest) => Promise<object | Refusal>;
	readonly read?: (tx: Query, params: unknown, caller: Operator) => Promise<unknown>;
	readonly asksFresh?: (request: AnyRequest) => boolean;
	readonly dryRun?: (request: AnyRequest) => Promise<object | Refusal>;
}

const TOO_MANY_INPUTS = refuse(
	"rate_limited",
	`${MOST_INPUTS} imports are under way, and each keeps its files in memory: wait for one to end, or stop one.`,
	ASK_AGAIN_SECONDS,
);

async function startRun(
	deps: StartRunDeps,
	operation: Operation & { readonly id: StartsRun },
	request: AnyRequest,
	verbs: AnyVerbs,
): Promise<AnyReply | Refusal> {
	if (verbs.dryRun !== undefined && (request.body as { dry_run?: boolean } | undefined)?.dry_run === true) {
		const { read } = verbs;
		const changed = read === undefined ? null : await transaction(deps.db, (tx) => findChange(tx, request, read));
		if (changed !== null) return changed;
		const data = await verbs.dryRun(request);
		return isRefusal(data) ? data : { status: 200, data: { ...data, dry_run: true } };
	}
	const { requestId } = request;
	const actor = actorOf(request.caller as unknown as Operator);
	const runId = newId();
	let input: unknown;
	const started = await carryOutWrite(deps, operation, request, {
		read: verbs.read,
		asksFresh: verbs.asksFresh,
		async write(tx, asked, more) {
			const begun = await verbs.begin(tx, asked, more);
			if (isRefusal(begun)) return begun;
			const { about } = begun;
			if ("same" in begun) return { status: 202, data: { run_id: begun.same }, about, changed: false };
			if ("unchanged" in begun) return { status: 200, data: begun.unchanged, about, changed: false };
			const { first, made = false } = begun;
			({ input } = begun);
			if (input !== undefined && deps.runs.inputs >= MOST_INPUTS) return TOO_MANY_INPUTS;
			await insertRun(tx, { runId, operation: operation.id, about, actor, requestId, step: first });
			return { status: first.isEnd ? 200 : 202, data: { run_id: runId, made }, about };
		},
	});
	if (isRefusal(started)) return started;
	// the new run, or the run of the first request
	const { data } = started as { readonly data?: unknown };
	const { run_id: found, made } = data as { readonly run_id?: string; readonly made?: boolean };
	if (found === undefined) return started;
	if (found === runId && started.status === 202)
		deps.runs.carryOut({ runId, operation: operation.id, actor, requestId, fence: 1 }, input);
	return await replyOf(deps, operation, verbs, { runId: found, made, headers: started.headers, request });
}

async function replyOf(
	{ runs, db }: StartRunDeps,
	{ errors }: Operation,
	{ reply }: AnyVerbs,
	{
		runId,
		made,
		headers,
		request,
	}: { runId: string; made: boolean | undefined; headers: AnyReply["headers"]; request: AnyRequest },
): Promise<AnyReply | Refusal> {
	const run = (await runs.awaitEnd(runId)) ?? (await selectRun(db, runId));
	const more = headers === undefined ? {} : { headers };
	if (run?.status === "failed" && run.error !== null && errors.includes(run.error.code))
		return refuse(run.error.code, run.error.message);
	if (run?.status !== "done") return { status: 202, data: { run_id: runId }, ...more };
	const data = reply === undefined ? run.result : await reply(run, await selectState(db, runId), request);
	if (isRefusal(data)) return data;
	return { status: made === true ? 201 : 200, data, ...more };
}
