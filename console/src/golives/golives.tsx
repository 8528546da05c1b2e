import type { ReactNode } from "react";
import { Link } from "react-router";
import { hasRole, type Me } from "../app/roles.ts";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { GoLiveState } from "./state.tsx";

const STATES = Object.entries(words.golives.states);

/** Every go-live, the newest first. */
export default function GoLives({ me }: { me: Me }): ReactNode {
	const start = (
		<Link className="button" to="/golives/new">
			{words.golives.start}
		</Link>
	);
	return (
		<Page title={words.golives.title} actions={hasRole(me, "operator") ? start : undefined}>
			<List
				id="list_golives"
				caption={words.golives.title}
				filters={[
					{ name: "state", label: words.golives.state, options: STATES },
					{ name: "partner", label: words.golives.partner },
					{ name: "key", label: words.golives.key },
				]}
				keyOf={({ golive_id }) => golive_id}
				empty={{ title: words.golives.empty, hint: words.golives.emptyHint }}
				emptyFiltered={words.golives.emptyFiltered}
				columns={[
					{
						head: words.golives.number,
						cell: ({ number }) => <Link to={`/golives/${number}`}>{number}</Link>,
						isNumber: true,
					},
					{ head: words.golives.partner, cell: ({ partner }) => partner },
					{ head: words.golives.key, cell: ({ key, key_name }) => <Link to={`/api-keys/${key}`}>{key_name}</Link> },
					{ head: words.golives.state, cell: ({ state }) => <GoLiveState state={state} /> },
					{ head: words.golives.started, cell: ({ started_at }) => <Moment at={started_at} /> },
					{ head: words.golives.ended, cell: ({ ended_at }) => <Moment at={ended_at} /> },
				]}
			/>
		</Page>
	);
}
