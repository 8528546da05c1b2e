import Type from "typebox";
import { operation } from "../http/operation.ts";
import { ReplyObject, RequestObject, Text } from "../http/text.ts";
import {
	BROWSER_HEADERS,
	COOKIE_HEADERS,
	FOREIGN_EXAMPLE,
	SIGNED_IN,
	SignedIn,
	THROTTLED_EXAMPLE,
	TOO_MANY_EXAMPLE,
} from "./contract.ts";
import { AWAY } from "./provider.ts";

/** Maximum number of sign-ins that one address may begin at the provider in any 60 seconds. */
const BEGUN_PER_MINUTE = 30;
const MAX_SECRET = 100;
/** Maximum length of what a provider sends back, in characters. */
const MAX_QUERY = 4_000;

export const NO_PROVIDER = "There is no sign-in provider here: HOLDFAST_ADMIN_OIDC_ISSUER names one.";

export const BeginProviderSignIn = operation({
	id: "begin_provider_sign_in",
	method: "POST",
	path: "/admin/api/v1/sign-in/oidc/options",
	scope: null,
	perAddress: BEGUN_PER_MINUTE,
	summary: "Begin to sign in at the provider",
	description: "Returns the address of the OpenID Connect provider at which a person signs in.",
	replies: {
		200: ReplyObject("ProviderSignIn", {
			url: Type.String({ description: "Open it in the browser. It comes back to `/admin/sign-in`." }),
			secret: Type.String({ description: "Keep it in the browser until then: it proves that this browser began." }),
		}),
	},
	examples: {
		replies: {
			200: {
				url: "https://id.example.com/authorize?client_id=holdfast&response_type=code",
				secret: "3mWjCkz5xH0b6r1V9sQeT2uYp8LgN4dA7fKoXiJwBvE",
			},
		},
		errors: {
			not_possible_now: NO_PROVIDER,
			retry: AWAY,
			forbidden: FOREIGN_EXAMPLE,
			rate_limited: TOO_MANY_EXAMPLE,
		},
	},
});

export const SignInByProvider = operation({
	id: "sign_in_by_provider",
	method: "POST",
	path: "/admin/api/v1/sign-in/oidc",
	scope: null,
	summary: "Sign in at the provider",
	description:
		"Begins a session for a person who has signed in at the provider, and sets its cookie. The role is read from the provider's claim at each sign-in.",
	headers: BROWSER_HEADERS,
	body: RequestObject("SignInByProviderRequest", {
		secret: Text({ min: 1, max: MAX_SECRET, description: "The secret of `/sign-in/oidc/options`." }),
		query: Text({ min: 1, max: MAX_QUERY, description: "What the provider sent back, after the `?` of the address." }),
	}),
	replies: { 200: SignedIn },
	replyHeaders: COOKIE_HEADERS,
	examples: {
		request: { secret: "3mWjCkz5xH0b6r1V9sQeT2uYp8LgN4dA7fKoXiJwBvE", query: "code=Yzk1&state=Qm9n" },
		replies: { 200: SIGNED_IN },
		errors: {
			unauthorized: "Missing or invalid credentials of an operator.",
			not_possible_now: NO_PROVIDER,
			retry: AWAY,
			forbidden: "The provider gives anna no role here: viewer, warehouse, operator or admin.",
			rate_limited: THROTTLED_EXAMPLE,
		},
	},
});
