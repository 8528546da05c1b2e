import type { ReactNode } from "react";
import type { Run } from "../api/run.ts";
import { words } from "../words/words.ts";

/** The progress of a write that may take long. A run continues when the page is left. */
export const Progress = ({ run, isBusy = false }: { run: Run | null; isBusy?: boolean }): ReactNode =>
	run === null ? (
		isBusy ? (
			<p className="quiet" role="status">
				{words.progress.busy}
			</p>
		) : null
	) : (
		<div role="status">
			<p>
				{words.progress.doing} {run.of === null ? run.done : words.progress.of(run.done, run.of)}
			</p>
			<progress
				value={run.of === null ? undefined : run.done}
				max={run.of ?? undefined}
				aria-label={words.progress.doing}
			/>
			<p className="quiet">{words.progress.goesOn}</p>
		</div>
	);
