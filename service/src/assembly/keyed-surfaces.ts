import type { Permission, Scope } from "../glossary.ts";
import { type ApiDates, createApiDates } from "../partners/http/api-date.ts";
import type { Caller } from "../partners/http/caller.ts";
import { COMMON_ERRORS } from "../partners/http/errors.ts";
import type { Budget, Security, Surface, SurfaceDocument } from "../partners/http/surface.ts";
import type { Authenticate } from "../partners/keys/authenticate.ts";
import { wrongForm } from "../partners/keys/credentials-form.ts";
import { EVENTS } from "./events.ts";
import { PARTNER_FLOW } from "./flow.ts";

/** How to send a key: the end of every message about a key that is refused. */
const HOW = "Send 'Authorization: Bearer <API_KEY>:<SECRET>' with the whole key, pk_hf_…:sk_hf_….";

const KEY: Security = {
	caller: "key",
	id: "key",
	scheme: {
		type: "http",
		scheme: "bearer",
		bearerFormat: "<API_KEY>:<SECRET>",
		description: "The two halves of a key joined by a colon: `pk_hf_…:sk_hf_…`.",
	},
	challenge: "Bearer",
	message: `Missing or invalid credentials. ${HOW} The key must be in force.`,
	lacks: (scope) => `This key does not have the scope ${scope}.`,
	needs: (scope) => `Needs the scope \`${scope}\`.`,
	wrongForm({ headers }) {
		const wrong = wrongForm(headers.authorization);
		return wrong === null ? null : `${wrong}. ${HOW}`;
	},
};

/** The rate limit of a key, shared by all surfaces that accept keys. */
const KEY_BUDGET: Budget<Caller> = {
	nameOf: ({ keyId }) => keyId,
	perMinute: ({ requestsPerMinute }) => requestsPerMinute,
};

/** A surface for partners' keys. `authenticate` checks the Authorization header. */
export const keyedSurface = (document: SurfaceDocument, authenticate: Authenticate): Surface => ({
	...document,
	authenticate: ({ headers }, from) => authenticate(headers.authorization, from),
	budget: KEY_BUDGET,
	may: ({ scopes }: Caller, permission: Permission) => scopes.has(permission as Scope),
	nameOf: ({ pk }) => pk,
});

const PARTNER_DESCRIPTION = `Live availability, holds and consumes over a manufacturer's lots.

Every success is \`{"data": …}\`, every error \`{"error": {"code", "message"}}\`: match on \`code\`, never on \`message\`. Send
\`Authorization: Bearer <API_KEY>:<SECRET>\`. Texts are well-formed Unicode without NUL, are never trimmed, and are measured in code
points. Unknown fields and parameters are refused. Times are RFC 3339 in UTC with milliseconds; counts are integers.`;

/** The partner API. `dates`: its API dates; tests may pass others. */
export const partnerDocument = (dates: ApiDates = createApiDates()): SurfaceDocument => ({
	id: "partner",
	title: "Holdfast partner API",
	description: PARTNER_DESCRIPTION,
	groups: PARTNER_FLOW,
	tag: { name: "Further operations", description: "What else a partner with a key may do." },
	dates,
	events: EVENTS,
	errors: COMMON_ERRORS,
	security: KEY,
});

const COA_DESCRIPTION = `Certificates of analysis, at an address of their own, for the same keys as the partner API. Requests of a key to
both addresses draw on one budget. Replies and errors have the form of the partner API. The page that looks up a lot, and the PDFs, need
no key.`;

/** The COA address: the same keys, other operations. */
export const coaDocument = (dates: ApiDates = createApiDates()): SurfaceDocument => ({
	id: "coa",
	title: "Holdfast certificates of analysis",
	description: COA_DESCRIPTION,
	tag: { name: "Certificates", description: "What a partner with a key may read, and what anybody may see of a lot." },
	dates,
	errors: COMMON_ERRORS,
	security: KEY,
});
