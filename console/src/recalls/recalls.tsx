import type { ReactNode } from "react";
import { Link } from "react-router";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { RecallState } from "./state.tsx";

/** All recalls, the newest first. */
export default function Recalls({ me }: { me: Me }): ReactNode {
	const make = (
		<Link className="button main" to="/recalls/new">
			{words.recalls.make}
		</Link>
	);
	return (
		<Page title={words.recalls.title} actions={hasRole(me, "operator") ? make : undefined}>
			<List
				id="list_recalls"
				caption={words.recalls.title}
				filters={[{ name: "status", label: words.recalls.state, options: Object.entries(words.recalls.states) }]}
				keyOf={({ recall_id }) => recall_id}
				empty={{ title: words.recalls.empty, hint: words.recalls.emptyHint }}
				emptyFiltered={words.recalls.emptyFiltered}
				columns={[
					{
						head: words.recalls.what,
						cell: ({ recall_id, batch_number, fg_id }) => (
							<Link className="whole" to={`/recalls/${recall_id}`}>
								{batch_number ?? (fg_id === null ? words.recalls.oneLot : <LotName fgId={fg_id} />)}
							</Link>
						),
					},
					{ head: words.recalls.formula, cell: ({ formula }) => formula },
					{ head: words.reason, cell: ({ reason }) => reason },
					{ head: words.recalls.state, cell: ({ status }) => <RecallState status={status} /> },
					{ head: words.recalls.started, cell: ({ started_at }) => <Moment at={started_at} /> },
					{ head: words.recalls.moved, cell: ({ moved }) => moved, isNumber: true },
					{ head: words.recalls.lost, cell: ({ lost }) => lost, isNumber: true },
					{ head: words.recalls.actor, cell: ({ actor }) => actor },
				]}
			/>
		</Page>
	);
}

/** What one lot is called. */
function LotName({ fgId }: { fgId: string }): ReactNode {
	const { data } = useRead("get_lot", { params: { fg_id: fgId } });
	return data === undefined ? words.recalls.oneLot : `${data.formula} ${data.batch_number}`;
}
