import { type ReactNode, useEffect, useState } from "react";
import { useParams } from "react-router";
import type { Run } from "../api/run.ts";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Facts, Failed, Loading, Page } from "../parts/page.tsx";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { Moment } from "../parts/time.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { RunResult } from "./run-result.tsx";
import { RunProgress, RunState, workText } from "./run-state.tsx";

/** Milliseconds between two looks at a run that is running. */
const LOOK_EVERY_MS = 1_000;

/** One run: how far it has come, and what it did or why it failed. */
export default function RunPage({ me }: { me: Me }): ReactNode {
	const { run_id = "" } = useParams();
	const { data: run, error, refetch } = useRead("get_run", { params: { run_id } });
	const isRunning = run?.status === "running";
	useEffect(() => {
		if (!isRunning) return undefined;
		const timer = setInterval(() => void refetch(), LOOK_EVERY_MS);
		return () => clearInterval(timer);
	}, [isRunning, refetch]);
	if (run === undefined) {
		const retry = (): void => void refetch();
		return error === null ? <Loading /> : <Failed title={words.runs.title} error={error} retry={retry} />;
	}
	return (
		<Page title={`${workText(run)}: ${run.about}`} actions={mayStop(run, me) ? <Stop run={run} /> : undefined}>
			<Facts
				facts={[
					[words.runs.state, <RunState key="state" {...run} />],
					[words.runs.progress, <RunProgress key="progress" {...run} />],
					[words.runs.started, <Moment key="started" at={run.started_at} />],
					[words.runs.ended, <Moment key="ended" at={run.ended_at} />],
					[words.runs.who, run.actor],
					[words.run.id, <code key="id">{run.run_id}</code>],
				]}
			/>
			{run.error === null ? null : (
				<div className="problem">
					<p>
						{words.run.failed}: {run.error.message}
					</p>
				</div>
			)}
			<RunResult run={run} />
		</Page>
	);
}

/** The lowest role that may start a run of an operation, and so stop it; `operator` for operations not named here. */
const LEAST: Readonly<Record<string, Me["role"]>> = {
	verify_ledger: "viewer",
	import_tracking: "warehouse",
	erase_customers: "admin",
};

const mayStop = ({ status, stop_asked, operation }: Run, me: Me): boolean =>
	status === "running" && !stop_asked && hasRole(me, LEAST[operation] ?? "operator");

function Stop({ run: { run_id } }: { run: Run }): ReactNode {
	const [isAsking, setAsking] = useState(false);
	return (
		<>
			<button type="button" onClick={() => setAsking(true)}>
				{words.run.stop}
			</button>
			{isAsking ? (
				<WriteDialog
					id="stop_run"
					title={words.run.stop}
					asked={(form) => ({ params: { run_id }, body: reasonIn(form) })}
					onClose={() => setAsking(false)}
				>
					{() => (
						<>
							<p>{words.run.stopHint}</p>
							<ReasonField />
						</>
					)}
				</WriteDialog>
			) : null}
		</>
	);
}
