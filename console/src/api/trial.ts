import { useState } from "react";
import type { Asked, CallError, OperationId } from "./call.ts";
import { type EndedOf, type Run, useLongWrite } from "./run.ts";

export interface Trial<Id extends OperationId> {
	/** Asks the service what the write would do. */
	readonly tryOut: (asked: Asked<Id>) => Promise<EndedOf<Id> | null>;
	/** Carries out exactly what was tried. */
	readonly carryOut: () => Promise<EndedOf<Id> | null>;
	/** The input has changed since the trial. */
	readonly forget: () => void;
	/** What was tried; null: nothing yet. */
	readonly tried: Asked<Id> | null;
	/** What it would do; null: nothing was tried yet, or it was refused. */
	readonly would: EndedOf<Id> | null;
	readonly done: EndedOf<Id> | null;
	readonly progress: Run | null;
	readonly isBusy: boolean;
	readonly error: CallError | null;
}

/**
 * A write that is first tried as a dry run, so that a person sees what it does before it happens. `read`: see
 * `useLongWrite`.
 */
export function useTrial<Id extends OperationId>(id: Id, read?: Parameters<typeof useLongWrite<Id>>[1]): Trial<Id> {
	const trial = useLongWrite(id);
	const real = useLongWrite(id, read);
	const [tried, setTried] = useState<Asked<Id> | null>(null);
	return {
		tryOut: async (asked) => {
			real.reset();
			setTried(asked);
			return await trial.run({ ...asked, body: { ...(asked.body as object), dry_run: true } } as Asked<Id>);
		},
		carryOut: async () => (tried === null ? null : await real.run(tried)),
		forget: () => setTried(null),
		tried,
		would: tried === null ? null : trial.done,
		done: real.done,
		progress: real.progress,
		isBusy: trial.isBusy || real.isBusy,
		error: real.error ?? trial.error,
	};
}
