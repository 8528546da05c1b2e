import type { ReactNode } from "react";
import { Link } from "react-router";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { RunProgress, RunState, workText } from "./run-state.tsx";

const STATES = Object.entries(words.runs.states);
const OPERATIONS = Object.entries(words.runs.operations);

/** Long work that operators started, the newest first. */
export default function Runs(): ReactNode {
	return (
		<Page title={words.runs.title}>
			<p>{words.runs.intro}</p>
			<List
				id="list_runs"
				caption={words.runs.title}
				filters={[
					{ name: "status", label: words.runs.state, options: STATES },
					{ name: "operation", label: words.runs.what, options: OPERATIONS },
				]}
				keyOf={({ run_id }) => run_id}
				empty={{ title: words.runs.empty, hint: words.runs.emptyHint }}
				emptyFiltered={words.runs.emptyFiltered}
				columns={[
					{
						head: words.runs.what,
						cell: (run) => (
							<Link to={`/runs/${run.run_id}`}>
								{workText(run)}: {run.about}
							</Link>
						),
					},
					{ head: words.runs.state, cell: (run) => <RunState {...run} /> },
					{ head: words.runs.progress, cell: (run) => <RunProgress {...run} /> },
					{ head: words.runs.started, cell: ({ started_at }) => <Moment at={started_at} /> },
					{ head: words.runs.ended, cell: ({ ended_at }) => <Moment at={ended_at} /> },
					{ head: words.runs.who, cell: ({ actor }) => actor },
				]}
			/>
		</Page>
	);
}
