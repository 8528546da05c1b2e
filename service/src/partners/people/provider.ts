import { hash } from "node:crypto";
import * as client from "openid-client";
import { monotonicMs } from "../../ground/lib/clock.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { FRESH_MINUTES } from "./limits.ts";
import { newSecret } from "./one-time.ts";
import { type ProvidedPerson, readClaims } from "./provider-claims.ts";

/** The settings of an OpenID Connect provider at which people sign in. */
export interface ProviderSettings {
	readonly issuer: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** The claim that has a person's roles. */
	readonly roleClaim: string;
}

/** The provider, as far as signing in needs it. */
export interface Provider {
	/** The address at which a person signs in, and the secret that the browser keeps until it comes back. */
	begin(adminUrl: string): Promise<{ readonly url: string; readonly secret: string } | Refusal<"retry">>;
	/** Who has signed in. `query`: the query with which the browser came back. */
	end(
		adminUrl: string,
		asked: { readonly secret: string; readonly query: string },
	): Promise<ProvidedPerson | Refusal<"unauthorized" | "retry">>;
}

/** Seconds before a request to the provider is given up. */
const TIMEOUT_S = 10;
/** Milliseconds for which the provider's own description is used. */
const KEPT_MS = 600_000;
/** Seconds for which a sign-in at the provider counts: an older one is asked for again. */
const MAX_AGE_S = FRESH_MINUTES * 60;

export const AWAY = "The sign-in provider does not answer. Try again, or sign in with your password.";

const redirectOf = (adminUrl: string): string => `${adminUrl}/admin/sign-in`;
/** State and nonce follow from the secret that only this browser has, so nothing is stored until it comes back. */
const derived = (secret: string, use: "state" | "nonce"): string => hash("sha256", `${use} ${secret}`, "base64url");

export function createProvider({ issuer, clientId, clientSecret, roleClaim }: ProviderSettings): Provider {
	let known: { readonly configuration: client.Configuration; readonly atMs: number } | null = null;
	const discover = async (): Promise<client.Configuration> => {
		if (known !== null && monotonicMs() - known.atMs < KEPT_MS) return known.configuration;
		// plain http is for a provider on this machine: the setting is checked at the start
		const execute = issuer.startsWith("http:") ? [client.allowInsecureRequests] : [];
		const options = { execute, timeout: TIMEOUT_S };
		const configuration = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
		known = { configuration, atMs: monotonicMs() };
		return configuration;
	};
	return {
		async begin(adminUrl) {
			const secret = newSecret();
			const configuration = await discover().catch(() => null);
			if (configuration === null) return refuse("retry", AWAY);
			const url = client.buildAuthorizationUrl(configuration, {
				redirect_uri: redirectOf(adminUrl),
				scope: "openid profile email",
				code_challenge: await client.calculatePKCECodeChallenge(secret),
				code_challenge_method: "S256",
				state: derived(secret, "state"),
				nonce: derived(secret, "nonce"),
				max_age: String(MAX_AGE_S),
			});
			return { url: url.href, secret };
		},
		async end(adminUrl, { secret, query }) {
			const configuration = await discover().catch(() => null);
			if (configuration === null) return refuse("retry", AWAY);
			try {
				const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectOf(adminUrl)}?${query}`), {
					pkceCodeVerifier: secret,
					expectedState: derived(secret, "state"),
					expectedNonce: derived(secret, "nonce"),
					idTokenExpected: true,
					maxAge: MAX_AGE_S,
				});
				return readClaims({ ...tokens.claims() }, roleClaim) ?? refuse("unauthorized", "Wrong.");
			} catch (error) {
				// the library throws for whatever the provider or the browser sent, and for a provider that is away
				return isAway(error) ? refuse("retry", AWAY) : refuse("unauthorized", "Wrong.");
			}
		},
	};
}

/**
 * A connection that failed is a TypeError with a cause (Fetch standard). The library has a code for a time limit, and
 * names a reply of another status as the cause.
 */
const isAway = (error: unknown): boolean =>
	(error instanceof TypeError && error.cause instanceof Error) ||
	(error instanceof client.ClientError &&
		(error.code === "OAUTH_TIMEOUT" || (error.cause instanceof Response && error.cause.status >= 500)));
