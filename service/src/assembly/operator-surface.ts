import { userInfo } from "node:os";
import type { ErrorCode, Permission, Role } from "../glossary.ts";
import { nameFrom } from "../ground/lib/ids.ts";
import { refuse } from "../ground/lib/refusal.ts";
import type { Database } from "../ground/pg/connect.ts";
import { auditEntry, namedIn, recordEnded, recordRefusal } from "../partners/admin/mount-write.ts";
import { actorOf, hasRole, type Operator } from "../partners/admin/operator.ts";
import type { LEAST_ROLE } from "../partners/admin/role.ts";
import { statusOf } from "../partners/http/errors.ts";
import { createRateLimit } from "../partners/http/rate-limit.ts";
import type { Surface, SurfaceDocument } from "../partners/http/surface.ts";
import type { AuthenticateOperator } from "../partners/operators/authenticate-operator.ts";
import { OPERATOR_REQUESTS_PER_MINUTE } from "../partners/operators/limits.ts";
import type { AuthenticateSession } from "../partners/people/authenticate-session.ts";
import { isFromElsewhere, isOwnOrigin } from "../partners/people/own-origin.ts";

/**
 * The codes that every operator's operation can answer besides its own. They lack the codes about API dates, which this
 * surface does not have.
 */
const OPERATOR_ERRORS = [
	"bad_request",
	"invalid_input",
	"unauthorized",
	"forbidden",
	"rate_limited",
	"internal_error",
] as const satisfies readonly ErrorCode[];

const DESCRIPTION = `What an operator of this deployment may do, for scripts and the command line. Send
\`Authorization: Bearer op_hf_…:os_hf_…\`, a token that \`holdfast operators token\` creates; on the Unix socket in the data folder no
credentials are needed. Each operation names the lowest role that it requires: \`viewer\`, \`warehouse\`, \`operator\`, \`admin\`. Replies and
errors have the form of the partner API; there are no API dates. Every write, and every write that is refused once it was understood,
leaves one row in the audit log. A write under an \`Idempotency-Key\` is carried out once in 24 hours.`;

/** What a person without the required second factor may do until there is one. */
const BEFORE_SECOND_FACTOR: ReadonlySet<string> = new Set<keyof typeof LEAST_ROLE>([
	"get_me",
	"sign_out",
	"list_my_factors",
	"add_totp",
	"confirm_totp",
	"begin_passkey",
	"add_passkey",
]);

export const OPERATOR_DOCUMENT: SurfaceDocument = {
	id: "operator",
	title: "Holdfast operator API",
	description: DESCRIPTION,
	tag: { name: "Operator API", description: "What an operator may do." },
	dates: null,
	errors: OPERATOR_ERRORS,
	errorsOf: ({ id }) => (BEFORE_SECOND_FACTOR.has(id) ? [] : ["second_factor_needed"]),
	security: {
		caller: "operator",
		id: "operator",
		scheme: { type: "http", scheme: "bearer", description: "An operator's token: `op_hf_…:os_hf_…`." },
		challenge: "Bearer",
		message: "Missing or invalid credentials of an operator.",
		lacks: (role) => `This requires the role ${role} or a higher one.`,
		needs: (role) => `Needs the role \`${role}\` or a higher one.`,
	},
};

/** The operator's API for callers that `authenticate` accepts. A partner's key is not accepted here. */
export function operatorSurface(
	db: Database,
	rules: PeopleRules,
	authenticate: Surface<Operator>["authenticate"],
): Surface<Operator> {
	// spares the database a flood of requests with an ended token; the statement of the audit log enforces the limit
	// over all nodes
	const ended = createRateLimit();
	return {
		...OPERATOR_DOCUMENT,
		authenticate,
		// nodes exchange request counts under names in the form of a key's id
		budget: {
			nameOf: (operator) => nameFrom(actorOf(operator), "operator"),
			perMinute: () => OPERATOR_REQUESTS_PER_MINUTE,
		},
		may: (operator: Operator, permission: Permission) => hasRole(operator, permission as Role),
		nameOf: actorOf,
		refuseByHeaders: refuseByHeaders(rules),
		async recordRefused(operator, { operation: { id, method }, params, requestId, code }) {
			if (method === "GET") return;
			const refused = { status: statusOf(code), code, body: null, about: namedIn(params) } as const;
			const entry = auditEntry(operator, { operation: id, ...refused, request_id: requestId });
			if (code !== "unauthorized") await recordRefusal(db, entry);
			else if (ended.take(operator.credential ?? "", 1).allowed) await recordEnded(db, entry);
		},
	};
}

/** Authenticates callers at an address on the network: by their tokens, or by the sessions of their browsers. */
export const byCredentials =
	(byToken: AuthenticateOperator, bySession: AuthenticateSession): Surface<Operator>["authenticate"] =>
	(request, from) => {
		const { authorization } = request.headers;
		const session = authorization === undefined ? bySession(request, from) : null;
		return session ?? byToken(authorization, from);
	};

const ADD_ONE = "A second factor is required here: add one to your account first.";
const FOREIGN = "A page of another address made this request. Open the console at its own address.";

/**
 * Refuses a write that another site's page made a browser send, and everything that a person may not do before there is
 * a second factor.
 */
const refuseByHeaders =
	({ url, isSecondFactorRequired }: PeopleRules): NonNullable<Surface<Operator>["refuseByHeaders"]> =>
	(request, { id, method }, who) => {
		if (who === null) return isFromElsewhere(request, url) ? refuse("forbidden", FOREIGN) : null;
		if (who.session === undefined) return null;
		if (method !== "GET" && !isOwnOrigin(request, url)) return refuse("forbidden", FOREIGN);
		const mustAdd = isSecondFactorRequired && !who.session.hasFactor && !BEFORE_SECOND_FACTOR.has(id);
		return mustAdd ? refuse("second_factor_needed", ADD_ONE) : null;
	};

/** How people may use the operator's API. */
export interface PeopleRules {
	/** The configured public address of the operator's API; null: that of the header Host. */
	readonly url: string | null;
	/** Whether every person must have a second factor. */
	readonly isSecondFactorRequired: boolean;
}

/**
 * Admits whoever can open the Unix socket. The kernel lets in only the account of the service and root, so the caller
 * is an admin (operator contract, section 2).
 */
export function bySocket(): Surface<Operator>["authenticate"] {
	const caller: Operator = { name: userInfo().username, role: "admin", via: "socket", credential: null, address: "" };
	const standing = { caller, inForce: () => true, confirm: async () => true };
	return () => standing;
}
