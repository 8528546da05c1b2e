import { messageOf } from "../../../service/src/ground/lib/assert.ts";
import { wait } from "../../../service/src/ground/lib/clock.ts";
import { OperatorError } from "../../../service/src/ground/lib/operator-error.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { CommandRefused } from "../terminal/failure.ts";
import { createProgress } from "../terminal/progress.ts";
import {
	type Asked,
	type CallOperator,
	type DataOfCall,
	type Hints,
	type OperatorOperationId,
	type OperatorSession,
	withOperator,
} from "./operator-client.ts";

/** Milliseconds between two polls of a run. */
const LOOK_EVERY_MS = 500;

interface Started {
	readonly run_id: string;
}
/** The data of the reply 200 of an operation that may also answer 202. */
type EndedOf<Id extends OperatorOperationId> = Exclude<DataOfCall<Id>, Started>;

export type ShownRun = DataOfCall<"get_run">;

interface Followed<T> {
	/** Title of the progress. */
	readonly title: string;
	readonly hints?: Hints;
	/** Fetches the operation's reply once the run is done; absent: the run's result. */
	readonly read?: (call: CallOperator, runId: string) => Promise<T>;
}

/** See `withOperator`. */
interface OpenedWith {
	readonly mayMake?: boolean;
	readonly withoutRing?: boolean;
}

/** Calls an operation that may start a run, and follows the run to its end. */
export const callToEnd = <Id extends OperatorOperationId>(
	id: Id,
	asked: Asked<Id>,
	{ mayMake = false, withoutRing = false, ...followed }: Followed<EndedOf<Id>> & OpenedWith,
): Promise<EndedOf<Id>> =>
	withOperator((call, session) => callWithin(call, session, [id, asked], followed), { mayMake, withoutRing });

/** The same within a session that makes other calls, too. */
export async function callWithin<Id extends OperatorOperationId>(
	call: CallOperator,
	session: OperatorSession,
	[id, asked]: readonly [Id, Asked<Id>],
	{ title, hints, read }: Followed<EndedOf<Id>>,
): Promise<EndedOf<Id>> {
	const answer: DataOfCall<Id> = await call(id, asked, hints);
	if (!isStarted(answer)) return answer as EndedOf<Id>;
	const run = resultOf(await followRun(call, session, answer.run_id, title));
	return read === undefined ? (run.result as EndedOf<Id>) : await read(call, answer.run_id);
}

const isStarted = (answer: unknown): answer is Started =>
	typeof answer === "object" && answer !== null && "run_id" in answer && Object.keys(answer).length === 1;

/** Shows the progress of a run until it has ended. */
export async function followRun(
	call: CallOperator,
	{ onInterrupt, isHere }: OperatorSession,
	runId: string,
	title: string,
): Promise<ShownRun> {
	const ways = `${quotedCommand(`runs show ${runId} --follow`)} follows it, ${quotedCommand(`runs stop ${runId}`)} stops it.`;
	const goesOn = isHere
		? `Run ${runId} waits for a service to continue it. Without one, ${ways}`
		: `Run ${runId} continues in the service. ${ways}`;
	onInterrupt(() => goesOn);
	const progress = await createProgress();
	let done: number | null = null;
	try {
		for (;;) {
			const run = await call("get_run", { params: { run_id: runId } }).catch((error: unknown) => {
				throw new OperatorError(`${messageOf(error)}\n${goesOn}`, { cause: error });
			});
			if (run.of !== null && done === null) progress.stage(title, run.of);
			if (run.of !== null) {
				progress.advance(run.done - (done ?? 0));
				done = run.done;
			}
			if (run.status !== "running") return run;
			await wait(LOOK_EVERY_MS);
		}
	} finally {
		progress.end();
	}
}

/** A run that is done. @throws CommandRefused when it failed, OperatorError when it was stopped */
export function resultOf(run: ShownRun): ShownRun {
	if (run.error !== null) throw new CommandRefused(run.error.code, `${run.error.message}${soFar(run)}`);
	if (run.status !== "done") throw new OperatorError(`Run ${run.run_id} was stopped.${soFar(run)}`);
	return run;
}

const soFar = ({ done, of }: ShownRun): string =>
	done === 0 ? "" : ` It got as far as ${done}${of === null ? "" : ` of ${of}`}; what it did stays done.`;
