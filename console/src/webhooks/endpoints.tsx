import { type ReactNode, useState } from "react";
import { Link, useNavigate } from "react-router";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import type { DataOf } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Choice, problemAt, textOf } from "../parts/form.tsx";
import { type Column, List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";
import { ENDPOINT_FIELDS, EndpointFields, endpointIn } from "./endpoint-fields.tsx";
import { EndpointState, typesText } from "./endpoint-state.tsx";
import { EndpointSecret } from "./secret.tsx";

const { environment: ENVIRONMENTS } = FIELDS.make_endpoint;
const STATES = Object.entries(words.endpoints.states);
/** Maximum number of partners that the form offers. */
const OFFERED = 500;

type ListedEndpoint = DataOf<"list_endpoints">["items"][number];
type MadeEndpoint = DataOf<"make_endpoint">;

/** Where events are sent, of every partner, the newest first. */
export default function Endpoints({ me }: { me: Me }): ReactNode {
	const navigate = useNavigate();
	const [isMaking, setMaking] = useState(false);
	const [made, setMade] = useState<MadeEndpoint | null>(null);
	if (made !== null) {
		return (
			<Page title={words.endpoint.title(made.partner)}>
				<EndpointSecret secret={made.secret} onKept={() => void navigate(`/webhooks/endpoints/${made.endpoint_id}`)} />
			</Page>
		);
	}
	return (
		<Page
			title={words.endpoints.title}
			actions={
				<>
					<Link className="button" to="/webhooks/deliveries">
						{words.endpoints.deliveries}
					</Link>
					<Link className="button" to="/webhooks/events">
						{words.endpoints.events}
					</Link>
					{hasRole(me, "operator") ? (
						<button type="button" className="main" onClick={() => setMaking(true)}>
							{words.endpoints.add}
						</button>
					) : null}
				</>
			}
		>
			<List
				id="list_endpoints"
				caption={words.endpoints.title}
				filters={[
					{ name: "q", label: words.endpoints.q },
					{ name: "environment", label: words.endpoints.environment, options: ENVIRONMENTS },
					{ name: "status", label: words.endpoints.state, options: STATES },
				]}
				keyOf={({ endpoint_id }) => endpoint_id}
				empty={{ title: words.endpoints.empty, hint: words.endpoints.emptyHint }}
				emptyFiltered={words.endpoints.emptyFiltered}
				columns={COLUMNS}
			/>
			{isMaking ? <MakeEndpoint onClose={() => setMaking(false)} onDone={setMade} /> : null}
		</Page>
	);
}

const COLUMNS: readonly Column<ListedEndpoint>[] = [
	{
		head: words.endpoints.url,
		cell: ({ endpoint_id, url }) => <Link to={`/webhooks/endpoints/${endpoint_id}`}>{url}</Link>,
	},
	{ head: words.endpoints.partner, cell: ({ partner }) => partner },
	{ head: words.endpoints.environment, cell: ({ environment }) => environment },
	{ head: words.endpoints.state, cell: (one) => <EndpointState {...one} /> },
	{ head: words.endpoints.types, cell: typesText },
	{ head: words.endpoints.waiting, cell: ({ pending }) => pending, isNumber: true },
];

interface MakeProps {
	readonly onClose: () => void;
	readonly onDone: (made: MadeEndpoint) => void;
}

function MakeEndpoint({ onClose, onDone }: MakeProps): ReactNode {
	const { data: partners } = useRead("list_partners", { query: { limit: OFFERED } });
	return (
		<WriteDialog
			id="make_endpoint"
			title={words.endpoints.add}
			fields={["partner", "environment", ...ENDPOINT_FIELDS]}
			asked={(form) => ({
				body: {
					partner: textOf(form, "partner") ?? "",
					environment: ENVIRONMENTS.find((one) => one === textOf(form, "environment")) ?? "sandbox",
					...endpointIn(form),
				},
			})}
			onClose={onClose}
			onDone={onDone}
		>
			{(error) => (
				<>
					<p className="hint">{words.endpoints.addHint}</p>
					{partners?.items.length === 0 ? (
						<p className="wrong">
							{words.endpoints.noPartner} <Link to="/api-keys/new">{words.keys.mint}</Link>
						</p>
					) : null}
					<Choice
						label={words.endpoints.partner}
						name="partner"
						problem={problemAt(error, "partner")}
						options={[
							["", words.endpoints.choosePartner] as const,
							...(partners?.items ?? []).map(({ name }) => [name, name] as const),
						]}
						required
					/>
					<Choice
						label={words.endpoints.environment}
						name="environment"
						problem={problemAt(error, "environment")}
						defaultValue="sandbox"
						options={ENVIRONMENTS.map((one) => [one, words.endpoints.environments[one]] as const)}
					/>
					<EndpointFields of={null} error={error} />
				</>
			)}
		</WriteDialog>
	);
}
