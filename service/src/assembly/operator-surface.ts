import type { ErrorCode } from "../glossary.ts";
import type { Surface, SurfaceDocument } from "../partners/http/surface.ts";

/** The codes that every operator's operation can answer beside its own: without API dates, none of them is refused. */
const OPERATOR_ERRORS = [
	"bad_request",
	"invalid_input",
	"unauthorized",
	"forbidden",
	"rate_limited",
	"internal_error",
] as const satisfies readonly ErrorCode[];

const DESCRIPTION = `What an operator of this deployment may do, for the console and for scripts. It has no operations yet, and lets nobody in:
no operator has an account. Replies and errors have the form of the partner API; there are no API dates.`;

export const OPERATOR_DOCUMENT: SurfaceDocument = {
	id: "operator",
	title: "Holdfast operator API",
	description: DESCRIPTION,
	tag: { name: "Operator API", description: "What an operator may do." },
	dates: null,
	errors: OPERATOR_ERRORS,
	security: {
		caller: "operator",
		id: "operator",
		scheme: { type: "http", scheme: "bearer", description: "A token of an operator. None can be made yet." },
		challenge: "Bearer",
		message: "Missing or invalid credentials of an operator.",
	},
};

/** A person or a script that runs this deployment. */
export interface Operator {
	readonly name: string;
}

/** Requests of one operator per 60 seconds. */
const OPERATOR_REQUESTS_PER_MINUTE = 600;

/** The operator's API. No accounts exist yet, so it refuses everybody, partners' keys included. */
export const OPERATOR_SURFACE: Surface<Operator> = {
	...OPERATOR_DOCUMENT,
	authenticate: () => "unknown",
	budget: {
		nameOf: ({ name }) => `operator:${name}`,
		perMinute: () => OPERATOR_REQUESTS_PER_MINUTE,
	},
	may: () => false,
	nameOf: ({ name }) => `operator:${name}`,
};
