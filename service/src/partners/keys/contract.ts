import Type, { type TSchema } from "typebox";
import { SCOPES } from "../../glossary.ts";
import { operation } from "../http/operation.ts";
import { Day, Id, Instant, ReplyObject, RequestObject, Text } from "../http/text.ts";
import { INTROSPECTIONS_PER_MINUTE } from "./limits.ts";

const OrNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

const LiveKey = ReplyObject("ActiveKey", {
	active: Type.Literal(true),
	key_id: Id(),
	name: Type.String(),
	environment: Type.Union([Type.Literal("live"), Type.Literal("sandbox")]),
	kind: Type.Enum(["read_only", "fulfilment", "self_ship", "custom"], {
		description: "The preset whose scopes the key has; `custom`: no preset has exactly these scopes.",
	}),
	brand_code: OrNull(Type.String({ description: "The brand that the key is bound to; null: none." })),
	shared_pool: Type.Boolean({ description: "Whether it may draw on the shared pool." }),
	scopes: Type.Array(Type.Enum([...SCOPES]), { description: "By name." }),
	issued_at: Instant(),
	expires_at: OrNull(
		Instant("When the key ends, by its expiry or by a revocation that is set already; null: not set."),
	),
	secret_expires_at: OrNull(Instant("When the secret in the token ends, because it was rotated; null: not set.")),
	rate_limit: ReplyObject("KeyRateLimit", {
		limit: Type.Integer({ description: "Requests." }),
		window_seconds: Type.Integer(),
	}),
	default_version: Day("The API date of requests that name none."),
});

export const Introspect = operation({
	id: "introspect",
	method: "POST",
	path: "/api/v1/keys/introspect",
	scope: "atp.introspect",
	summary: "Ask whether a token is a live key",
	description: `Says what a token of the calling key's own partner may do. Every other token is \`{"active": false}\`: another partner's, an unknown one, a wrong secret, one that is revoked, suspended or expired. At most ${INTROSPECTIONS_PER_MINUTE} in any 60 seconds, in addition to the key's own limit.`,
	body: RequestObject("IntrospectRequest", { token: Text({ min: 1, max: 512, description: "`pk_hf_…:sk_hf_…`." }) }),
	replies: {
		200: Type.Union([LiveKey, ReplyObject("NoActiveKey", { active: Type.Literal(false) })], {
			title: "Introspection",
		}),
	},
	examples: {
		request: {
			token: "pk_hf_sandbox_00000000000000000000000:sk_hf_sandbox_0000000000000000000000000000000000000000000000000",
		},
		replies: {
			200: {
				active: true,
				key_id: "0199f0a0-0000-7000-8000-0000000000c1",
				name: "web shop",
				environment: "sandbox",
				kind: "fulfilment",
				brand_code: "SANDBOX",
				shared_pool: false,
				scopes: ["atp.check", "atp.inventory", "atp.orders"],
				issued_at: "2026-09-06T12:00:00.000Z",
				expires_at: null,
				secret_expires_at: null,
				rate_limit: { limit: 60, window_seconds: 60 },
				default_version: "2026-09-06",
			},
		},
	},
});
