import Type from "typebox";
import {
	CHANGED_EXAMPLE,
	CONFLICT_EXAMPLE,
	EDIT_HEADERS,
	FRESH_SIGN_IN_EXAMPLE,
	REASON_QUERY,
	RETRY_EXAMPLE,
	WRITE_REPLY_HEADERS,
} from "../admin/headers.ts";
import { adminOperation, adminWrite } from "../admin/operation.ts";
import { pageOf, pageQuery } from "../admin/page.ts";
import { GivenId, Id, Instant, OrNull, ReplyObject, RequestObject, Text } from "../http/text.ts";
import { RoleName } from "../operators/contract.ts";
import { BROWSER_HEADERS, NewPassword, Password } from "./contract.ts";
import { PASSKEY_ALGORITHMS } from "./limits.ts";
import { ATTESTATION, CHALLENGE_EXAMPLE, CLIENT_DATA, CREDENTIAL_ID, NewPasskeyChallenge } from "./passkey-text.ts";
import { Email, SESSION_EXAMPLE, Session, SessionParam, Sessions } from "./people-contract.ts";
import { NO_RELYING_PARTY } from "./relying-party.ts";

const MAX_FACTOR_NAME = 100;
export const ONLY_PEOPLE = "This is for people who have signed in; tokens and the socket have nothing to change here.";

const Me = ReplyObject("Me", {
	name: Type.String({ description: "As ledger and audit log show it, without `operator:`." }),
	role: RoleName("The role."),
	via: Type.Enum(["token", "socket", "session"], { description: "How the caller was connected." }),
	email: OrNull(Type.String({ description: "Of a person; null: none is known." })),
	second_factor: Type.Enum(["none", "needed", "set"], {
		description: "Of a person. `needed`: one must be added before anything else is possible.",
	}),
	fresh_until: OrNull(
		Instant("Until when the sign-in counts as fresh; null: it need not be, for tokens and the socket."),
	),
	session: Type.Union([Session, Type.Null()], { description: "This session; null: for tokens and the socket." }),
});
const ME_EXAMPLE = {
	name: "anna",
	role: "operator",
	via: "session",
	email: "anna@example.com",
	second_factor: "set",
	fresh_until: "2026-09-06T12:10:00.000Z",
	session: SESSION_EXAMPLE,
} as const;

/** The members about the session, not about the person: they change with every use. */
export const OF_THE_SESSION = ["fresh_until", "session"] as const;

export const GetMe = adminOperation({
	id: "get_me",
	method: "GET",
	path: "/admin/api/v1/me",
	summary: "Read who you are",
	description:
		"The operator that the credentials belong to. The ETag ignores the session, which changes whenever it is used.",
	editTagWithout: OF_THE_SESSION,
	replies: { 200: Me },
	examples: { replies: { 200: ME_EXAMPLE } },
});

export const ChangeMe = adminOperation({
	id: "change_me",
	method: "PATCH",
	path: "/admin/api/v1/me",
	summary: "Change your password or email address",
	description:
		"A new password ends all your sessions; this one is replaced by a new one, which counts as the same sign-in.",
	headers: { ...EDIT_HEADERS, ...BROWSER_HEADERS },
	body: RequestObject("ChangeMeRequest", {
		email: Type.Optional(OrNull(Email)),
		password: Type.Optional(NewPassword),
		current_password: Type.Optional(Password("Required with `password`.")),
	}),
	replies: { 200: Me },
	replyHeaders: {
		...WRITE_REPLY_HEADERS,
		"Set-Cookie": "With a new password: the session that replaces this one.",
	},
	examples: {
		request: { current_password: "correct horse and its stable", password: "a quiet river under old bridges" },
		replies: { 200: ME_EXAMPLE },
		errors: {
			not_possible_now: ONLY_PEOPLE,
			changed_meanwhile: CHANGED_EXAMPLE,
			idempotency_conflict: CONFLICT_EXAMPLE,
			retry: RETRY_EXAMPLE,
		},
	},
});

export const SignOut = adminOperation({
	id: "sign_out",
	method: "POST",
	path: "/admin/api/v1/sign-out",
	summary: "Sign out",
	description: "Ends this session, on every node within a second.",
	replies: {
		200: ReplyObject("SignedOut", { signed_out: Type.Literal(true, { description: "The session has ended." }) }),
	},
	replyHeaders: { "Set-Cookie": "Removes the cookie." },
	examples: {
		replies: { 200: { signed_out: true } },
		errors: { not_possible_now: ONLY_PEOPLE, retry: RETRY_EXAMPLE },
	},
});

export const ListMySessions = adminOperation({
	id: "list_my_sessions",
	method: "GET",
	path: "/admin/api/v1/me/sessions",
	summary: "List your sessions",
	description: "The browsers in which you are signed in, the newest first; none for tokens and the socket.",
	query: pageQuery({}),
	replies: { 200: Sessions },
	examples: { replies: { 200: { items: [SESSION_EXAMPLE], next_cursor: null } } },
});

export const EndMySession = adminWrite({
	id: "end_my_session",
	method: "DELETE",
	path: "/admin/api/v1/me/sessions/:id",
	summary: "End one of your sessions",
	description: "On every node within a second. A session that has ended is returned as it is.",
	params: SessionParam,
	query: REASON_QUERY,
	replies: { 200: Session },
	examples: {
		params: { id: SESSION_EXAMPLE.id },
		replies: { 200: { ...SESSION_EXAMPLE, current: false } },
		errors: { not_found: "You have no session with this id." },
	},
});

const FACTOR_FIELDS = {
	id: Id("The factor's id."),
	kind: Type.Enum(["totp", "passkey"], { description: "`totp`: an authenticator app." }),
	name: Type.String({ description: "As the person calls it." }),
	created_at: Instant("When it was added."),
	used_at: OrNull(Instant("When it was used last; null: never.")),
};
const Factor = ReplyObject("Factor", FACTOR_FIELDS);
const FACTOR_EXAMPLE = {
	id: "0199a3f2-5c11-7d3e-8a54-0b6f2f6f5f02",
	kind: "totp",
	name: "phone",
	created_at: "2026-09-06T12:00:00.000Z",
	used_at: "2026-09-06T12:00:00.000Z",
} as const;
const RecoveryCodes = Type.Array(Type.String(), { description: "Each works once. Shown only this once: keep them." });
const CODES_EXAMPLE = ["K3QX-7TDN-LW2C-5HVA"];
const FactorParam = Type.Object({ id: GivenId("The factor's `id`.") });
const FactorName = Text({ min: 1, max: MAX_FACTOR_NAME, description: "As you call the device." });

export const ListMyFactors = adminOperation({
	id: "list_my_factors",
	method: "GET",
	path: "/admin/api/v1/me/factors",
	summary: "List your second factors",
	description: "Authenticator apps and passkeys, the oldest first, and how many recovery codes are left.",
	query: pageQuery({}),
	replies: {
		200: ReplyObject("Factors", {
			...pageOf(Factor, "Factors").properties,
			recovery_codes_left: Type.Integer({ description: "Recovery codes that were not used." }),
		}),
	},
	examples: { replies: { 200: { items: [FACTOR_EXAMPLE], next_cursor: null, recovery_codes_left: 10 } } },
});

export const AddTotp = adminWrite({
	id: "add_totp",
	method: "POST",
	path: "/admin/api/v1/me/factors/totp",
	summary: "Begin to add an authenticator app",
	description: "The app counts once it has been confirmed with a first code.",
	body: RequestObject("AddTotpRequest", { name: FactorName }),
	replies: {
		201: ReplyObject("NewTotp", {
			id: Id("The factor's id."),
			secret: Type.String({ description: "For typing it into the app: base32. Shown only this once." }),
			otpauth_url: Type.String({ description: "The address that apps read." }),
			qr_svg: Type.String({ description: "This address as a QR code, to scan with the app: SVG." }),
		}),
	},
	examples: {
		request: { name: "phone" },
		replies: {
			201: {
				id: FACTOR_EXAMPLE.id,
				secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
				otpauth_url: "otpauth://totp/Holdfast:anna?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Holdfast",
				qr_svg: "<svg>…</svg>",
			},
		},
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			not_possible_now: ONLY_PEOPLE,
		},
	},
});

export const ConfirmTotp = adminWrite({
	id: "confirm_totp",
	method: "POST",
	path: "/admin/api/v1/me/factors/:id/confirm",
	summary: "Confirm an authenticator app",
	description:
		"With the first factor of a person, the reply shows ten recovery codes, and sessions that were begun with the password alone end, but for this one.",
	params: FactorParam,
	body: RequestObject("ConfirmTotpRequest", {
		one_time_code: Text({ min: 6, max: 6, description: "The code that the app shows now." }),
	}),
	replies: {
		200: ReplyObject("ConfirmedTotp", {
			factor: Type.Object(FACTOR_FIELDS, { description: "The confirmed app." }),
			recovery_codes: OrNull(RecoveryCodes),
		}),
	},
	examples: {
		params: { id: FACTOR_EXAMPLE.id },
		request: { one_time_code: "287082" },
		replies: { 200: { factor: FACTOR_EXAMPLE, recovery_codes: CODES_EXAMPLE } },
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			not_found: "There is no authenticator app that waits for its first code.",
			not_possible_now: ONLY_PEOPLE,
		},
	},
});

export const BeginPasskey = adminOperation({
	id: "begin_passkey",
	method: "POST",
	path: "/admin/api/v1/me/factors/passkey/options",
	summary: "Begin to add a passkey",
	description: "Returns a challenge for the device.",
	replies: { 200: NewPasskeyChallenge },
	examples: {
		replies: {
			200: {
				...CHALLENGE_EXAMPLE,
				user_id: "MDE5OWEzZjI",
				user_name: "anna",
				algorithms: [...PASSKEY_ALGORITHMS],
				known: [],
			},
		},
		errors: { not_possible_now: NO_RELYING_PARTY },
	},
});

export const AddPasskey = adminWrite({
	id: "add_passkey",
	method: "POST",
	path: "/admin/api/v1/me/factors/passkey",
	summary: "Add a passkey",
	description:
		"A passkey whose device verifies the person, by a fingerprint or a PIN, is a whole sign-in and a second factor. With the first factor of a person, the reply shows ten recovery codes, and sessions that were begun with the password alone end, but for this one.",
	body: RequestObject("AddPasskeyRequest", {
		name: FactorName,
		credential_id: CREDENTIAL_ID,
		client_data: CLIENT_DATA,
		attestation: ATTESTATION,
	}),
	replies: {
		201: ReplyObject("AddedPasskey", {
			factor: Type.Object(FACTOR_FIELDS, { description: "The passkey." }),
			recovery_codes: OrNull(RecoveryCodes),
		}),
	},
	examples: {
		request: {
			name: "laptop",
			credential_id: "Yk3n8ZcT0q2RvJx5",
			client_data: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
			attestation: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ",
		},
		replies: {
			201: { factor: { ...FACTOR_EXAMPLE, kind: "passkey", name: "laptop" }, recovery_codes: CODES_EXAMPLE },
		},
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			not_possible_now: NO_RELYING_PARTY,
		},
	},
});

export const RemoveMyFactor = adminWrite({
	id: "remove_my_factor",
	method: "DELETE",
	path: "/admin/api/v1/me/factors/:id",
	summary: "Remove a second factor",
	description: "The last one stays where a second factor is required.",
	params: FactorParam,
	replies: { 200: ReplyObject("RemovedFactor", { removed: Type.String({ description: "Its name." }) }) },
	examples: {
		params: { id: FACTOR_EXAMPLE.id },
		replies: { 200: { removed: "phone" } },
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			not_found: "You have no second factor with this id.",
			not_possible_now: "A second factor is required here: add another before you remove the last one.",
		},
	},
});

export const RenewRecoveryCodes = adminWrite({
	id: "renew_recovery_codes",
	method: "POST",
	path: "/admin/api/v1/me/factors/recovery-codes",
	summary: "Make new recovery codes",
	description: "The earlier ones end.",
	replies: { 201: ReplyObject("NewRecoveryCodes", { recovery_codes: RecoveryCodes }) },
	examples: {
		replies: { 201: { recovery_codes: CODES_EXAMPLE } },
		errors: {
			fresh_sign_in_needed: FRESH_SIGN_IN_EXAMPLE,
			not_possible_now: ONLY_PEOPLE,
		},
	},
});
