import Type from "typebox";
import { operation } from "../http/operation.ts";
import { Instant, ReplyObject, RequestObject, Text } from "../http/text.ts";
import { RoleName } from "../operators/contract.ts";
import { MAX_PASSWORD, MAX_PERSON_NAME } from "./limits.ts";
import {
	AUTHENTICATOR_DATA,
	CHALLENGE_EXAMPLE,
	CLIENT_DATA,
	CREDENTIAL_ID,
	PasskeyChallenge,
	SIGNATURE,
} from "./passkey-text.ts";
import { NO_RELYING_PARTY } from "./relying-party.ts";
import { GONE } from "./set-up.ts";

/** Maximum length of a text that can be a password or a token. */
const MAX_TYPED = 1_000;
const MAX_CODE = 40;

export const BROWSER_HEADERS = {
	"User-Agent": { schema: Text({ max: 1_000, description: "Shown in the list of sessions." }), missing: null },
} as const;
export const COOKIE_HEADERS = {
	"Set-Cookie": "The session: `__Host-holdfast`, or `holdfast` over plain http; HttpOnly, SameSite=Strict.",
} as const;
export const Password = (description: string) => Text({ min: 1, max: MAX_TYPED, description });
export const NewPassword = Password(`12 to ${MAX_PASSWORD} characters; neither the name nor a common password.`);

export const SignedIn = ReplyObject("SignedIn", {
	name: Type.String({ description: "The person's name." }),
	role: RoleName("What the person may do."),
});
export const SIGNED_IN = { name: "anna", role: "operator" } as const;

export const FOREIGN_EXAMPLE = "A page of another address made this request. Open the console at its own address.";
export const THROTTLED_EXAMPLE = "Too many sign-ins have failed. Try again in 42 s.";
export const TOO_MANY_EXAMPLE = "More than 30 requests in a minute from this address. Try again in 12 s.";

export const SignIn = operation({
	id: "sign_in",
	method: "POST",
	path: "/admin/api/v1/sign-in",
	scope: null,
	summary: "Sign in",
	description:
		"Begins a session and hands it over as a cookie. An unknown name, a wrong password and a suspended person are refused in the same words and time.",
	headers: BROWSER_HEADERS,
	body: RequestObject("SignInRequest", {
		name: Text({ min: 1, max: MAX_PERSON_NAME, description: "Upper and lower case are the same." }),
		password: Password("The person's password."),
		code: Type.Optional(
			Text({ min: 1, max: MAX_CODE, description: "The code that an authenticator app shows, or a recovery code." }),
		),
	}),
	replies: { 200: SignedIn },
	replyHeaders: COOKIE_HEADERS,
	examples: {
		request: { name: "anna", password: "correct horse and its stable", code: "287082" },
		replies: { 200: SIGNED_IN },
		errors: {
			unauthorized: "Missing or invalid credentials of an operator.",
			second_factor_needed: "Sign in with the code of your app, or with a recovery code.",
			forbidden: FOREIGN_EXAMPLE,
			rate_limited: THROTTLED_EXAMPLE,
		},
	},
});

/** Maximum number of challenges that one address may ask for in any 60 seconds. */
const CHALLENGES_PER_MINUTE = 30;

export const BeginPasskeySignIn = operation({
	id: "begin_passkey_sign_in",
	method: "POST",
	path: "/admin/api/v1/sign-in/passkey/options",
	scope: null,
	perAddress: CHALLENGES_PER_MINUTE,
	summary: "Begin to sign in with a passkey",
	description: "Returns a challenge for a passkey of this console's host name, whoever it belongs to.",
	replies: { 200: PasskeyChallenge },
	examples: {
		replies: { 200: CHALLENGE_EXAMPLE },
		errors: {
			not_possible_now: NO_RELYING_PARTY,
			forbidden: FOREIGN_EXAMPLE,
			rate_limited: TOO_MANY_EXAMPLE,
		},
	},
});

export const SignInByPasskey = operation({
	id: "sign_in_by_passkey",
	method: "POST",
	path: "/admin/api/v1/sign-in/passkey",
	scope: null,
	summary: "Sign in with a passkey",
	description:
		"Begins a session and hands it over as a cookie. The device must have verified the person: then no password and no code is needed.",
	headers: BROWSER_HEADERS,
	body: RequestObject("SignInByPasskeyRequest", {
		credential_id: CREDENTIAL_ID,
		client_data: CLIENT_DATA,
		authenticator_data: AUTHENTICATOR_DATA,
		signature: SIGNATURE,
	}),
	replies: { 200: SignedIn },
	replyHeaders: COOKIE_HEADERS,
	examples: {
		request: {
			credential_id: "Yk3n8ZcT0q2RvJx5",
			client_data: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
			authenticator_data: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
			signature: "MEUCIQDx3m0w",
		},
		replies: { 200: SIGNED_IN },
		errors: {
			unauthorized: "Missing or invalid credentials of an operator.",
			not_possible_now: NO_RELYING_PARTY,
			forbidden: FOREIGN_EXAMPLE,
			rate_limited: THROTTLED_EXAMPLE,
		},
	},
});

const LINK_TOKEN = Text({ min: 1, max: MAX_TYPED, description: "The part of the set-up link after `#`." });

/** Maximum number of set-up links that one address may try in any 60 seconds. */
const LINKS_PER_MINUTE = 30;

export const FindInvitation = operation({
	id: "find_invitation",
	method: "POST",
	path: "/admin/api/v1/invitation",
	scope: null,
	perAddress: LINKS_PER_MINUTE,
	summary: "Read whose set-up link this is",
	description: "Does not use the link up.",
	body: RequestObject("FindInvitationRequest", { token: LINK_TOKEN }),
	replies: {
		200: ReplyObject("Invitation", {
			name: Type.String({ description: "The person's name." }),
			role: RoleName("What the person may do."),
			may_choose_name: Type.Boolean({
				description: "Whether another name may be chosen: only with the link of the first start.",
			}),
			expires_at: Instant("When the link ends."),
		}),
	},
	examples: {
		request: { token: "0MvcX0Lk…" },
		replies: { 200: { ...SIGNED_IN, may_choose_name: false, expires_at: "2026-09-06T12:15:00.000Z" } },
		errors: {
			not_found: GONE,
			forbidden: FOREIGN_EXAMPLE,
			rate_limited: TOO_MANY_EXAMPLE,
		},
	},
});

export const SetUp = operation({
	id: "set_up",
	method: "POST",
	path: "/admin/api/v1/set-up",
	scope: null,
	perAddress: LINKS_PER_MINUTE,
	summary: "Use a set-up link",
	description:
		"Sets the password of the person whose link it is and signs them in. Their earlier sessions, second factors and recovery codes end. A link works once.",
	headers: BROWSER_HEADERS,
	body: RequestObject("SetUpRequest", {
		token: LINK_TOKEN,
		password: NewPassword,
		name: Type.Optional(
			Text({ min: 1, max: MAX_PERSON_NAME, description: "Another name, where the link lets its holder choose one." }),
		),
	}),
	replies: { 200: SignedIn },
	replyHeaders: COOKIE_HEADERS,
	examples: {
		request: { token: "0MvcX0Lk…", password: "correct horse and its stable" },
		replies: { 200: SIGNED_IN },
		errors: {
			not_found: GONE,
			forbidden: FOREIGN_EXAMPLE,
			rate_limited: TOO_MANY_EXAMPLE,
		},
	},
});
