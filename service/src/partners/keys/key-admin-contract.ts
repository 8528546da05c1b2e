import Type from "typebox";
import { SCOPES } from "../../glossary.ts";
import { DRY_RUN, DRY_RUN_REPLY, FRESH_SIGN_IN_EXAMPLE, REASON, WRITE_ERRORS } from "../admin/headers.ts";
import { adminEdit, adminOperation, adminWrite } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../http/text.ts";
import {
	DEFAULT_OVERLAP_HOURS,
	DEFAULT_REQUESTS_PER_MINUTE,
	MAX_HELD_UNITS,
	MAX_KEY_NAME_LENGTH,
	MAX_OVERLAP_HOURS,
	MAX_PARTNER_NAME_LENGTH,
	MAX_REQUESTS_PER_MINUTE,
} from "./limits.ts";

const LIVE = "A live key requires the role admin.";
const NO_KEY = 'No key has the name or public half "pk_hf_live_x".';
const EDGE = "Key pk_hf_live_x is revoked, which cannot be undone. Nothing was changed: mint another key.";

const Environment = Type.Enum(["live", "sandbox"], {
	description: "A sandbox key is bound to its partner's sandbox, of the brand `SANDBOX`.",
});
const Scopes = { description: "Permissions of the key." };

const KEY_FIELDS = {
	key_id: Id("The id of the key."),
	pk: Type.String({ description: "The public half." }),
	name: Type.String({ description: "Unique within the partner." }),
	partner: Type.String({ description: "The partner's name." }),
	environment: Environment,
	brand_code: OrNull(Type.String({ description: "The brand that the key is bound to; null: none." })),
	shared_pool: Type.Boolean({ description: "Whether it may draw on the shared pool." }),
	scopes: Type.Array(Type.Enum([...SCOPES]), Scopes),
	requests_per_minute: Type.Integer({ description: "Requests in any 60 seconds." }),
	max_held_units: OrNull(Type.Integer({ description: "Maximum number of units in its active holds; null: no cap." })),
	state: Type.Enum(["live", "suspended", "expired", "revoked"], {
		description: "Only a key whose state is `live` is accepted.",
	}),
	created_at: Instant("When it was created."),
	expires_at: OrNull(Instant("Null: it does not expire.")),
	revoke_at: OrNull(Instant("When it is to be, or was, revoked; null: never.")),
	drill_until: OrNull(
		Instant("Until then it is refused with 401, for a drill of its go-live; null: there is no drill."),
	),
	golive_report: OrNull(Type.Integer({ description: "The number of the go-live report with which it was minted." })),
	secrets: Type.Array(
		ReplyObject("KeySecret", {
			created_at: Instant("When it was created."),
			expires_at: OrNull(Instant("When it ends, after a rotation's overlap; null: it does not end.")),
		}),
		{ description: "Secrets that still work, oldest first." },
	),
};
export const Key = ReplyObject("Key", KEY_FIELDS);
const RevokedKey = ReplyObject("RevokedKey", { ...KEY_FIELDS, ...DRY_RUN_REPLY });
export const KEY_EXAMPLE = {
	key_id: "0199f0a0-0000-7000-8000-0000000000c1",
	pk: "pk_hf_live_3ZrT0mGq8yXvB2kLw9QaE1nHc",
	name: "web",
	partner: "North Web Shop",
	environment: "live" as const,
	brand_code: "ACME",
	shared_pool: false,
	scopes: ["atp.check", "atp.inventory", "atp.orders"] as const,
	requests_per_minute: 60,
	max_held_units: null,
	state: "live" as const,
	created_at: "2026-09-06T12:00:00.000Z",
	expires_at: null,
	revoke_at: null,
	drill_until: null,
	golive_report: null,
	secrets: [{ created_at: "2026-09-06T12:00:00.000Z", expires_at: null }],
};
const KeyParams = Type.Object({
	pk: Text({ min: 1, max: 200, description: "The public half `pk_hf_…`, the name, or `partner/name`." }),
});
const KEY_PARAMS_EXAMPLE = { pk: KEY_EXAMPLE.pk };

export const ListKeys = adminOperation({
	id: "list_keys",
	method: "GET",
	path: "/admin/api/v1/keys",
	summary: "List keys",
	description: "Newest first, including ended keys. Secrets are not stored.",
	query: pageQuery({
		partner: Type.Optional(Text({ min: 1, max: 200, description: "Only of the partner of this name." })),
		environment: Type.Optional(Environment),
		brand_code: Type.Optional(Text({ min: 1, max: 64, description: "Only keys bound to this brand." })),
		q: Type.Optional(
			Text({ min: 1, max: 200, description: "Only keys whose name, partner or public half contains this." }),
		),
	}),
	replies: { 200: pageOf(Key, "Keys") },
	examples: { replies: { 200: { items: [KEY_EXAMPLE], next_cursor: null } } },
});

export const GetKey = adminOperation({
	id: "get_key",
	method: "GET",
	path: "/admin/api/v1/keys/:pk",
	summary: "Read a key",
	description: "Everything about it except its secrets.",
	params: KeyParams,
	conditional: true,
	replies: { 200: Key },
	examples: { params: KEY_PARAMS_EXAMPLE, replies: { 200: KEY_EXAMPLE }, errors: { not_found: NO_KEY } },
});

/** What a key that is minted may do beyond its preset, how much it may draw on, and how often it may ask. */
export const KEY_RIGHTS = {
	scopes: Type.Optional(
		Type.Array(Type.Enum([...SCOPES]), {
			maxItems: SCOPES.length,
			description: "Its scopes; with a preset, those in addition to the preset's.",
		}),
	),
	shared_pool: Type.Optional(Type.Boolean({ description: "Whether it may draw on the shared pool (false)." })),
	requests_per_minute: Type.Optional(
		Type.Integer({
			minimum: 1,
			maximum: MAX_REQUESTS_PER_MINUTE,
			description: `Requests in any 60 seconds (${DEFAULT_REQUESTS_PER_MINUTE}).`,
		}),
	),
};

export const MintKey = adminWrite({
	id: "mint_key",
	method: "POST",
	path: "/admin/api/v1/keys",
	summary: "Mint a key",
	description:
		"Also creates its partner, if there is none of that name, and with the first sandbox key of a partner its sandbox, which has stock at once. The reply has the whole token, only this once. A live key requires the role `admin`, and schedules the partner's sandbox keys for revocation 30 days later.",
	body: RequestObject("MintKeyRequest", {
		name: Text({ min: 1, max: MAX_KEY_NAME_LENGTH, description: "Unique within the partner." }),
		partner: Text({ min: 1, max: MAX_PARTNER_NAME_LENGTH, description: "The partner's name." }),
		new_partner: Type.Optional(
			Type.Boolean({ description: "Create the partner although its name is nearly that of another." }),
		),
		environment: Environment,
		brand_code: Type.Optional(
			OrNull(Text({ min: 1, max: 64, description: "The brand that it is bound to; null or absent: none." })),
		),
		preset: Type.Optional(
			Type.Enum(["read_only", "fulfilment", "self_ship"], { description: "Its scopes by name; or give `scopes`." }),
		),
		...KEY_RIGHTS,
		max_held_units: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: MAX_HELD_UNITS,
				description: "Maximum number of units in its active holds.",
			}),
		),
		expires_at: Type.Optional(Text({ min: 1, max: 40, description: "An RFC 3339 time from which it is refused." })),
	}),
	replies: {
		201: ReplyObject("MintedKey", {
			...KEY_FIELDS,
			token: Type.String({ description: "`pk_hf_…:sk_hf_…`, shown only this once." }),
			sandbox_keys_ending: Type.Array(Type.String(), {
				description: "Public halves of the partner's sandbox keys that this live key scheduled for revocation.",
			}),
			sandbox_ends_at: OrNull(Instant("When they end; null: there are none.")),
		}),
	},
	examples: {
		request: {
			name: "web",
			partner: "North Web Shop",
			environment: "live",
			brand_code: "ACME",
			preset: "fulfilment",
		},
		replies: {
			201: { ...KEY_EXAMPLE, token: `${KEY_EXAMPLE.pk}:sk_hf_live_…`, sandbox_keys_ending: [], sandbox_ends_at: null },
		},
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			forbidden: LIVE,
		},
	},
});

const CHANGE_EXAMPLES = {
	forbidden: LIVE,
	not_found: NO_KEY,
	not_possible_now: EDGE,
	...WRITE_ERRORS,
};

export const RotateKey = adminEdit({
	id: "rotate_key",
	method: "POST",
	path: "/admin/api/v1/keys/:pk/rotate",
	summary: "Give a key a new secret",
	description:
		"The older secrets work until the overlap is over. Holds and orders belong to the public half, which stays.",
	params: KeyParams,
	body: RequestObject("RotateKeyRequest", {
		overlap_hours: Type.Optional(
			Type.Number({
				minimum: 0,
				maximum: MAX_OVERLAP_HOURS,
				description: `Hours for which the older secrets continue to work (${DEFAULT_OVERLAP_HOURS}).`,
			}),
		),
		...REASON,
	}),
	replies: {
		200: ReplyObject("RotatedKey", {
			key_id: Id("The id of the key."),
			pk: Type.String({ description: "The public half, which stays." }),
			token: Type.String({ description: "The public half with its new secret, shown only this once." }),
			old_secret_ends_at: Instant("When the older secrets stop working."),
			old_secrets: Type.Array(
				ReplyObject("OldSecret", { created_at: Instant("When it was created."), ends_at: Instant("When it ends.") }),
				{
					description: "Those that worked until now, oldest first.",
				},
			),
		}),
	},
	examples: {
		params: KEY_PARAMS_EXAMPLE,
		request: { overlap_hours: 24 },
		replies: {
			200: {
				key_id: KEY_EXAMPLE.key_id,
				pk: KEY_EXAMPLE.pk,
				token: `${KEY_EXAMPLE.pk}:sk_hf_live_…`,
				old_secret_ends_at: "2026-09-07T12:00:00.000Z",
				old_secrets: [{ created_at: "2026-09-06T12:00:00.000Z", ends_at: "2026-09-07T12:00:00.000Z" }],
			},
		},
		errors: { fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE, ...CHANGE_EXAMPLES },
	},
});

export const SuspendKey = adminEdit({
	id: "suspend_key",
	method: "POST",
	path: "/admin/api/v1/keys/:pk/suspend",
	summary: "Suspend a key",
	description:
		"It is refused until it is resumed; its holds stay. A key that is already suspended is returned as it is.",
	params: KeyParams,
	body: RequestObject("SuspendKeyRequest", REASON),
	replies: { 200: Key },
	examples: {
		params: KEY_PARAMS_EXAMPLE,
		request: { reason: "The shop reports a leaked secret." },
		replies: { 200: { ...KEY_EXAMPLE, state: "suspended" } },
		errors: CHANGE_EXAMPLES,
	},
});

export const ResumeKey = adminEdit({
	id: "resume_key",
	method: "POST",
	path: "/admin/api/v1/keys/:pk/resume",
	summary: "Resume a suspended key",
	description: "It is served again. A key that is not suspended is returned as it is.",
	params: KeyParams,
	body: RequestObject("ResumeKeyRequest", REASON),
	replies: { 200: Key },
	examples: {
		params: KEY_PARAMS_EXAMPLE,
		request: {},
		replies: { 200: KEY_EXAMPLE },
		errors: CHANGE_EXAMPLES,
	},
});

export const RevokeKey = adminEdit({
	id: "revoke_key",
	method: "POST",
	path: "/admin/api/v1/keys/:pk/revoke",
	summary: "Revoke a key",
	description:
		"For good, now or from a given time: every node refuses it within a second. An earlier revocation remains. A key that is already revoked is returned as it is.",
	params: KeyParams,
	body: RequestObject("RevokeKeyRequest", {
		at: Type.Optional(Text({ min: 1, max: 40, description: "An RFC 3339 time; absent: now." })),
		...REASON,
		...DRY_RUN,
	}),
	replies: { 200: RevokedKey },
	examples: {
		params: KEY_PARAMS_EXAMPLE,
		request: { reason: "The shop closed." },
		replies: { 200: { ...KEY_EXAMPLE, state: "revoked", revoke_at: "2026-09-07T08:00:00.000Z" } },
		errors: CHANGE_EXAMPLES,
	},
});
