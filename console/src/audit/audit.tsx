import { type ReactNode, useState } from "react";
import { call, type DataOf } from "../api/call.ts";
import { List } from "../parts/list.tsx";
import { Page, Problem, State } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { About } from "./about.tsx";
import { Actor } from "./actor.tsx";

const OPERATIONS = Object.entries(words.auditLog.operations).toSorted(([, one], [, other]) => one.localeCompare(other));

/** Everything that operators wrote, the newest first. */
export default function Audit(): ReactNode {
	return (
		<Page title={words.audit.title} actions={<Verify />}>
			<List
				id="list_audit"
				caption={words.audit.title}
				filters={[
					{ name: "actor", label: words.auditLog.actorFilter },
					{ name: "operation", label: words.audit.operation, options: OPERATIONS },
					{ name: "about", label: words.audit.about },
				]}
				keyOf={({ seq }) => String(seq)}
				empty={{ title: words.audit.empty, hint: words.audit.emptyHint }}
				emptyFiltered={words.audit.emptyFiltered}
				columns={[
					{ head: words.audit.at, cell: ({ at }) => <Moment at={at} /> },
					{ head: words.audit.actor, cell: ({ actor }) => <Actor actor={actor} /> },
					{ head: words.audit.operation, cell: ({ operation }) => words.auditLog.operations[operation] ?? operation },
					{ head: words.audit.about, cell: (row) => <About row={row} /> },
					{
						head: words.audit.outcome,
						cell: ({ code }) => <State word={code ?? words.audit.done} tone={code === null ? "good" : "bad"} />,
					},
				]}
			/>
		</Page>
	);
}

function Verify(): ReactNode {
	const [verdict, setVerdict] = useState<DataOf<"verify_audit"> | null>(null);
	const [error, setError] = useState<Error | null>(null);
	const verify = (): void => {
		setError(null);
		call("verify_audit").then(setVerdict, setError);
	};
	return (
		<>
			<button type="button" onClick={verify}>
				{words.audit.verify}
			</button>
			<Problem error={error} />
			{verdict === null ? null : (
				<p role="status" className={verdict.whole ? "good" : "bad"}>
					{verdict.whole ? words.audit.whole(verdict.rows) : words.audit.broken(verdict.broken_at)}
				</p>
			)}
		</>
	);
}
