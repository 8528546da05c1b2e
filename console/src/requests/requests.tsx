import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import { List } from "../parts/list.tsx";
import { Page, State } from "../parts/page.tsx";
import { Moment, startOfDay } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { CallerOf, operationOf } from "./caller.tsx";

const ENVIRONMENTS = Object.entries(words.requests.environments);

/** The requests of partners, the newest first; new ones appear without a reload. */
export default function Requests(): ReactNode {
	const [search] = useSearchParams();
	// the address has days of the reader's time zone, and the service is asked for times
	const days = ["from", "to"].flatMap((name) => {
		const start = startOfDay(search.get(name));
		return start === null ? [] : [[name, start] as const];
	});
	return (
		<Page
			title={words.requests.title}
			actions={
				<Link className="button" to="/requests/errors">
					{words.requests.errors}
				</Link>
			}
		>
			<List
				id="list_requests"
				caption={words.requests.title}
				query={Object.fromEntries(days)}
				filters={[
					{ name: "q", label: words.requests.q },
					{ name: "key", label: words.requests.key },
					{ name: "operation", label: words.requests.operation },
					{ name: "status", label: words.requests.status },
					{ name: "code", label: words.requests.code },
					{ name: "environment", label: words.requests.environment, options: ENVIRONMENTS },
					{ name: "from", label: words.requests.from, type: "date" },
					{ name: "to", label: words.requests.to, type: "date" },
				]}
				keyOf={({ request_id }) => request_id}
				empty={{ title: words.requests.empty, hint: words.requests.emptyHint }}
				emptyFiltered={words.requests.emptyFiltered}
				columns={[
					{
						head: words.requests.at,
						cell: ({ at, request_id }) => (
							<Link to={`/requests/${request_id}`}>
								<Moment at={at} exact />
							</Link>
						),
					},
					{ head: words.requests.key, cell: (one) => <CallerOf of={one} /> },
					{ head: words.requests.operation, cell: operationOf },
					{
						head: words.requests.answer,
						cell: ({ status, code }) => (
							<State
								word={code === null ? String(status) : `${status} ${code}`}
								tone={code === null ? "good" : "bad"}
							/>
						),
					},
					{ head: words.requests.ms, cell: ({ ms }) => ms, isNumber: true },
					{ head: words.requests.about, cell: ({ about }) => about.join(", ") },
				]}
			/>
		</Page>
	);
}
