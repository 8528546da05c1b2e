import type { ReactNode } from "react";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { Field, problemAt, textOf } from "../parts/form.tsx";
import { words } from "../words/words.ts";
import type { Endpoint } from "./endpoint-state.tsx";

const { event_types: TYPES } = FIELDS.make_endpoint;
/** The event types that an endpoint is sent if it chooses none: the two of the contract. */
const DEFAULT_TYPES: ReadonlySet<string> = new Set(["order.shipped", "order.held"]);
/** The fields that show their own problems. */
export const ENDPOINT_FIELDS = ["url", "event_types", "description"];

/** The fields of an endpoint that can be changed at any time: its address, its events, its description. */
export function EndpointFields({ of: one, error }: { of: Endpoint | null; error: Error | null }): ReactNode {
	const problem = problemAt(error, "event_types");
	return (
		<>
			<Field
				label={words.endpoints.url}
				hint={words.endpoints.urlHint}
				name="url"
				type="url"
				maxLength={2000}
				defaultValue={one?.url}
				problem={problemAt(error, "url")}
				autoComplete="off"
				required
			/>
			<fieldset>
				<legend>{words.endpoints.types}</legend>
				{TYPES.map((type) => (
					<label key={type} className="check">
						<input
							type="checkbox"
							name="event_types"
							value={type}
							defaultChecked={one === null ? DEFAULT_TYPES.has(type) : one.event_types.includes(type)}
						/>{" "}
						{words.endpoints.typeNames[type]}
					</label>
				))}
				<p className="hint">{words.endpoints.typesHint}</p>
				{problem === null ? null : <p className="wrong">{problem}</p>}
			</fieldset>
			<Field
				label={words.endpoints.description}
				name="description"
				maxLength={500}
				defaultValue={one?.description ?? ""}
				problem={problemAt(error, "description")}
				autoComplete="off"
			/>
		</>
	);
}

/** What was typed there, as members of a request body. */
export const endpointIn = (form: FormData) => ({
	url: textOf(form, "url")?.trim() ?? "",
	event_types: TYPES.filter((type) => form.getAll("event_types").includes(type)),
	description: textOf(form, "description") ?? null,
});
