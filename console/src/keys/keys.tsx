import type { ReactNode } from "react";
import { Link } from "react-router";
import { hasRole, type Me } from "../app/roles.ts";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { KeyState } from "./state.tsx";

/** Partners' keys, the newest first. */
export default function Keys({ me }: { me: Me }): ReactNode {
	const mint = (
		<Link className="button main" to="/api-keys/new">
			{words.keys.mint}
		</Link>
	);
	return (
		<Page title={words.keys.title} actions={hasRole(me, "operator") ? mint : undefined}>
			<List
				id="list_keys"
				caption={words.keys.title}
				filters={[
					{ name: "q", label: words.keys.q },
					{ name: "environment", label: words.keys.environment, options: ["live", "sandbox"] },
				]}
				keyOf={({ pk }) => pk}
				empty={{ title: words.keys.empty, hint: words.keys.emptyHint }}
				emptyFiltered={words.keys.emptyFiltered}
				columns={[
					{ head: words.keys.name, cell: ({ pk, name }) => <Link to={`/api-keys/${pk}`}>{name}</Link> },
					{ head: words.keys.partner, cell: ({ partner }) => partner },
					{ head: words.keys.environment, cell: ({ environment }) => environment },
					{ head: words.keys.state, cell: ({ state }) => <KeyState state={state} /> },
					{ head: words.keys.created, cell: ({ created_at }) => <Moment at={created_at} /> },
					{ head: words.keys.ends, cell: ({ revoke_at, expires_at }) => <Moment at={revoke_at ?? expires_at} /> },
				]}
			/>
		</Page>
	);
}
