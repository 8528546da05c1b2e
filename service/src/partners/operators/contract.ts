import Type from "typebox";
import { ROLES } from "../../glossary.ts";
import { FRESH_SIGN_IN_EXAMPLE, REASON_QUERY } from "../admin/headers.ts";
import { adminOperation, adminWrite } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { Day, Instant, OrNull, ReplyObject, RequestObject, Text } from "../http/text.ts";
import { MAX_TOKEN_NAME } from "./limits.ts";

export const RoleName = (description: string) => Type.Enum([...ROLES], { description });

const TOKEN_FIELDS = {
	id: Type.String({ description: "The public half without `op_hf_`." }),
	name: Type.String({ description: "Unique forever: no later token gets it." }),
	role: RoleName("What it may do."),
	state: Type.Enum(["active", "expired", "revoked"], { description: "Only an active token is accepted." }),
	created_by: Type.String({ description: "The operator that created it." }),
	created_at: Instant("When it was created."),
	expires_at: OrNull(Instant("Null: it does not expire.")),
	revoked_at: OrNull(Instant("Null: it was not revoked.")),
};
const Token = ReplyObject("OperatorToken", TOKEN_FIELDS);
const TOKEN_EXAMPLE = {
	id: "3ZrT0mGq8yXvB2kLw9QaE1nHc",
	name: "nightly-import",
	role: "operator",
	state: "active",
	created_by: "operator:anna",
	created_at: "2026-09-06T12:00:00.000Z",
	expires_at: null,
	revoked_at: null,
} as const;

export const ListTokens = adminOperation({
	id: "list_tokens",
	method: "GET",
	path: "/admin/api/v1/tokens",
	summary: "List the tokens of scripts",
	description: "By name, including ended tokens. Secrets are not stored, and are shown once, when a token is created.",
	query: pageQuery({}),
	replies: { 200: pageOf(Token, "OperatorTokens") },
	examples: { replies: { 200: { items: [TOKEN_EXAMPLE], next_cursor: null } } },
});

export const MintToken = adminWrite({
	id: "mint_token",
	method: "POST",
	path: "/admin/api/v1/tokens",
	summary: "Create a token for a script",
	description:
		"The reply has the whole token, `op_hf_…:os_hf_…`, only this once: keep it. Its name is never used again.",
	body: RequestObject("MintTokenRequest", {
		name: Text({ min: 1, max: MAX_TOKEN_NAME, description: "Unique. Shown as `operator:token/<name>`." }),
		role: RoleName("What it may do."),
		expires_at: Type.Optional(
			Text({
				min: 2,
				max: 40,
				description:
					"An RFC 3339 time, or a duration from now: `90d`, `12h`, `30m`. Without it the token does not expire.",
			}),
		),
	}),
	replies: {
		201: ReplyObject("MintedOperatorToken", {
			...TOKEN_FIELDS,
			token: Type.String({ description: "The whole token, shown only this once." }),
		}),
	},
	examples: {
		request: { name: "nightly-import", role: "operator", expires_at: "90d" },
		replies: {
			201: {
				...TOKEN_EXAMPLE,
				expires_at: "2026-12-05T12:00:00.000Z",
				token: "op_hf_3ZrT0mGq8yXvB2kLw9QaE1nHc:os_hf_…",
			},
		},
		errors: { fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE },
	},
});

export const RevokeToken = adminWrite({
	id: "revoke_token",
	method: "DELETE",
	path: "/admin/api/v1/tokens/:id",
	summary: "Revoke a token",
	description: "For good; every node refuses it within a second. A token that is already revoked is returned as it is.",
	params: Type.Object({ id: Text({ min: 1, max: 60, description: "The token's `id`." }) }),
	query: REASON_QUERY,
	replies: { 200: Token },
	examples: {
		params: { id: TOKEN_EXAMPLE.id },
		replies: { 200: { ...TOKEN_EXAMPLE, state: "revoked", revoked_at: "2026-09-07T08:00:00.000Z" } },
		errors: { not_found: "There is no token with this id." },
	},
});

const AuditEntry = ReplyObject("AuditEntry", {
	seq: Type.Integer({ description: "1, 2, 3, …, without gaps." }),
	at: Instant("When the transaction wrote it."),
	actor: Type.String({ description: "`operator:<name>`." }),
	via: Type.Enum(["token", "socket", "session"], { description: "How the operator was connected." }),
	credential: OrNull(
		Type.String({
			description: "The public half of the token or the id of the session; null: the socket, or a sign-in that failed.",
		}),
	),
	address: Type.String({ description: "Where the request came from; empty for the socket." }),
	operation: Type.String({ description: "The id of the operation." }),
	about: OrNull(Type.String({ description: "The thing that was written, by its own name; null: none is known." })),
	body: Type.Unknown({ description: "As it was sent, secrets masked; null: it was never read." }),
	status: Type.Integer({ description: "The status of the reply." }),
	code: OrNull(Type.String({ description: "The code of a refusal; null: the write was carried out." })),
	request_id: Type.String({ description: "The `X-Request-Id` of the reply." }),
});

export const ListAudit = adminOperation({
	id: "list_audit",
	method: "GET",
	path: "/admin/api/v1/audit",
	summary: "List what operators did",
	description:
		"The audit log, newest first: one row for each write that was carried out, or refused once it was understood.",
	query: pageQuery({
		actor: Type.Optional(Text({ min: 1, max: 200, description: "Only of this operator, `operator:<name>`." })),
		operation: Type.Optional(Text({ min: 1, max: 100, description: "Only of this operation." })),
		about: Type.Optional(Text({ min: 1, max: 200, description: "Only about this thing." })),
	}),
	replies: { 200: pageOf(AuditEntry, "AuditEntries") },
	examples: {
		replies: {
			200: {
				items: [
					{
						seq: 17,
						at: "2026-09-06T12:00:00.000Z",
						actor: "operator:anna",
						via: "socket",
						credential: null,
						address: "",
						operation: "mint_token",
						about: "nightly-import",
						body: { name: "nightly-import", role: "operator" },
						status: 201,
						code: null,
						request_id: "req_6338a9e505ca7ce31dbcadef",
					},
				],
				next_cursor: null,
			},
		},
	},
});

export const VerifyAudit = adminOperation({
	id: "verify_audit",
	method: "GET",
	path: "/admin/api/v1/audit/verify",
	summary: "Prove the audit log",
	description:
		"Checks that no row was changed, removed, swapped or added since it was written, and that the last row of each sealed day is still the one that was sealed; names the first row and day where this fails. Store `sealed_to` elsewhere: whoever owns the database can still replace the log and all seals with older ones, and then a later `sealed_to` lacks that day or has another digest.",
	replies: {
		200: ReplyObject("AuditVerdict", {
			whole: Type.Boolean({ description: "Nothing is wrong." }),
			rows: Type.Integer({ description: "Rows that were checked." }),
			broken_at: OrNull(
				Type.Integer({
					description:
						"The `seq` of the first row that is missing or was changed; if a day was rewritten from some row on, the first row of that day.",
				}),
			),
			broken_day: OrNull(Day("The day of that row, in UTC; null: nothing is wrong, or no sealed day has the row.")),
			why: OrNull(Type.String({ description: "What is wrong there." })),
			sealed_to: OrNull(
				Type.Object(
					{
						day: Day("The day, in UTC."),
						seq: Type.Integer({ description: "The last row of this day or of the days before it." }),
						digest: Type.String({ description: "SHA-256 over the ends of all days up to this one." }),
					},
					{ title: "SealedDay", description: "The last day that is sealed; null: none is." },
				),
			),
		}),
	},
	examples: {
		replies: {
			200: {
				whole: true,
				rows: 17,
				broken_at: null,
				broken_day: null,
				why: null,
				sealed_to: {
					day: "2026-09-05",
					seq: 12,
					digest: "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4",
				},
			},
		},
	},
});
