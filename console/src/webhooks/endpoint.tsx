import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { useRead } from "../api/use.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Facts, Failed, Loading, Page, Problem } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { EndpointState, typesText } from "./endpoint-state.tsx";

/** One endpoint, what can be done with it, and everything that was sent to it. */
export default function EndpointPage({ me }: { me: Me }): ReactNode {
	const { id = "" } = useParams();
	const { data: one, error, refetch } = useRead("get_endpoint", { params: { id } });
	const retry = (): void => void refetch();
	// what was read stays until the dialog that deletes it is done
	if (one === undefined) {
		return error === null ? <Loading /> : <Failed title={words.endpoints.title} error={error} retry={retry} />;
	}
	const mayWrite = hasRole(me, "operator");
	return (
		<Page title={words.endpoint.title(one.partner)}>
			<Problem error={error} retry={retry} />
			{mayWrite ? <EndpointActions of={one} /> : null}
			<Facts
				facts={[
					[words.endpoints.state, <EndpointState key="state" {...one} />],
					[words.endpoints.url, one.url],
					[words.endpoints.partner, <PartnerLink key="partner" name={one.partner} />],
					[words.endpoints.environment, words.endpoints.environments[one.environment]],
					[words.endpoints.types, typesText(one)],
					[words.endpoints.description, one.description],
					[words.endpoint.version, one.version],
					[words.endpoint.created, <Moment key="created" at={one.created_at} />],
					[words.endpoint.changed, <Moment key="changed" at={one.updated_at} />],
				]}
			/>
			<h2>{words.endpoint.deliveries}</h2>
			<DeliveryList
				mayResend={mayWrite}
				endpoint_id={id}
				empty={{ title: words.endpoint.noDeliveries, hint: words.endpoint.noDeliveriesHint }}
			/>
		</Page>
	);
}

/** The keys of the partner. */
const PartnerLink = ({ name }: { name: string }): ReactNode => (
	<Link to={`/api-keys?q=${encodeURIComponent(name)}`}>{name}</Link>
);
