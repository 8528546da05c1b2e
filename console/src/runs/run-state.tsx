import type { ReactNode } from "react";
import type { Run } from "../api/run.ts";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";

const TONES = { running: "plain", done: "good", failed: "bad", stopped: "bad" } as const;

/** The state of a run in words. */
export const RunState = ({ status, stop_asked }: Pick<Run, "status" | "stop_asked">): ReactNode => (
	<State
		word={status === "running" && stop_asked ? words.runs.stops : words.runs.states[status]}
		tone={TONES[status]}
	/>
);

/** How far a run has come. */
export function RunProgress({
	done,
	of,
	status,
	operation,
}: Pick<Run, "done" | "of" | "status" | "operation">): ReactNode {
	const text = of === null ? words.runs.some(done) : words.runs.share(done, of);
	if (status !== "running") return text;
	return (
		<>
			<progress value={of === null ? undefined : done} max={of ?? undefined} aria-label={workText({ operation })} />{" "}
			{text}
		</>
	);
}

/** What a run does, in words. */
export const workText = ({ operation }: Pick<Run, "operation">): string =>
	words.runs.operations[operation] ?? operation.replaceAll("_", " ");
