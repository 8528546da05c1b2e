import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Asked, CallError, call, type DataOf, type OperationId } from "./call.ts";
import { useWriteKeys } from "./same-write.ts";

interface Started {
	readonly run_id: string;
}
/** The data of the reply 200 of an operation that may also answer 202. */
export type EndedOf<Id extends OperationId> = Exclude<DataOf<Id>, Started>;
export type Run = DataOf<"get_run">;

/** Milliseconds between two polls of a run. */
const POLL_MS = 700;

export interface LongWriting<Id extends OperationId> {
	/** Carries the write out to its end; the result is also `done`, or a refusal is `error`. */
	readonly run: (asked: Asked<Id>) => Promise<EndedOf<Id> | null>;
	readonly isBusy: boolean;
	/** How far it has come; null: it is not known to take long. */
	readonly progress: Run | null;
	readonly done: EndedOf<Id> | null;
	readonly error: CallError | null;
	readonly reset: () => void;
}

/**
 * A write that the service may carry out as a run. The run continues when the page is left; its own page shows it.
 * `read` fetches the reply once the run is done; absent: the run's result is the reply. `again` sends the same request
 * again, under the same Idempotency-Key: the reply may have secrets, which no run shows.
 */
export function useLongWrite<Id extends OperationId>(
	id: Id,
	read?: (run: Run, again: () => Promise<EndedOf<Id>>) => Promise<EndedOf<Id>>,
): LongWriting<Id> {
	const client = useQueryClient();
	const { keyOf, note } = useWriteKeys();
	const [isBusy, setBusy] = useState(false);
	const [progress, setProgress] = useState<Run | null>(null);
	const [done, setDone] = useState<EndedOf<Id> | null>(null);
	const [error, setError] = useState<CallError | null>(null);
	const reset = (): void => {
		setProgress(null);
		setDone(null);
		setError(null);
	};
	const run = async (asked: Asked<Id>): Promise<EndedOf<Id> | null> => {
		reset();
		setBusy(true);
		try {
			const sent = { ...asked, key: asked.key ?? keyOf(asked) };
			const again = async (): Promise<EndedOf<Id>> => (await call(id, sent)) as EndedOf<Id>;
			const answer: unknown = await call(id, sent);
			const ended = isStarted(answer) ? await follow(answer.run_id, setProgress) : null;
			const reply = ended === null ? answer : read === undefined ? ended.result : await read(ended, again);
			const result = reply as EndedOf<Id>;
			note(null);
			setDone(result);
			return result;
		} catch (caught) {
			note(caught);
			if (!(caught instanceof CallError)) throw caught;
			setError(caught);
			return null;
		} finally {
			setBusy(false);
			setProgress(null);
			void client.invalidateQueries();
		}
	};
	return { run, isBusy, progress, done, error, reset };
}

const isStarted = (answer: unknown): answer is Started =>
	typeof answer === "object" && answer !== null && "run_id" in answer && Object.keys(answer).length === 1;

/** Polls a run until it has ended. @throws CallError when it failed or was stopped */
async function follow(run_id: string, onProgress: (run: Run) => void): Promise<Run> {
	for (;;) {
		const run = await call("get_run", { params: { run_id } });
		onProgress(run);
		if (run.error !== null) throw new CallError(run.error.code, run.error.message, 0);
		if (run.status === "stopped") throw new CallError("stopped", "It was stopped; what was done stays done.", 0);
		if (run.status === "done") return run;
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
}
