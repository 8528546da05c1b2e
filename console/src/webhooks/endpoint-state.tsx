import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { State } from "../parts/page.tsx";
import { momentText } from "../parts/time.tsx";
import { words } from "../words/words.ts";

/** An endpoint as its page shows it. */
export type Endpoint = DataOf<"get_endpoint">;

type StateProps = Pick<Endpoint, "status" | "inactive_reason" | "failing_since">;

/** The state of an endpoint: why nothing is sent to it, or since when it has been failing. */
export function EndpointState({ status, inactive_reason, failing_since }: StateProps): ReactNode {
	const word = words.endpoints.states[status];
	if (inactive_reason !== null)
		return <State word={`${word}: ${words.endpoints.reasons[inactive_reason]}`} tone="bad" />;
	if (failing_since !== null)
		return <State word={`${words.endpoints.failing} ${momentText(failing_since)}`} tone="bad" />;
	return <State word={word} tone="good" />;
}

/** The events that an endpoint is sent, in words. */
export const typesText = ({ event_types }: Pick<Endpoint, "event_types">): string =>
	event_types.map((type) => words.endpoints.typeNames[type]).join(", ");
