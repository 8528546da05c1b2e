import type { Config } from "../config.ts";
import { createTurns } from "../ground/lib/turns.ts";
import { createRateLimit } from "../partners/http/rate-limit.ts";
import type { KeyRing } from "../partners/keys/key-ring.ts";
import { createSealer } from "../partners/keys/ring-sealer.ts";
import { type AdminAddress, adminUrlOf, configuredAdminUrl, isLoopback } from "../partners/people/admin-url.ts";
import type { PeopleMeans } from "../partners/people/means.ts";
import { createProvider, type ProviderSettings } from "../partners/people/provider.ts";
import type { PeopleRules } from "./operator-surface.ts";

/** The use of the derived key under which TOTP secrets are encrypted. */
const TOTP = "holdfast totp";

type Addresses = AdminAddress & Pick<Config, "adminSecondFactor">;
type OidcSettings = Pick<Config, "oidcIssuer" | "oidcClientId" | "oidcClientSecret" | "oidcRoleClaim">;

/** How people may use the operator's API (operator contract, section 2). */
export const peopleRulesOf = (config: Addresses): PeopleRules => ({
	url: configuredAdminUrl(config),
	isSecondFactorRequired: config.adminSecondFactor ?? !isLoopback(config),
});

/** `adminUrl`: the public address of the operator's API. */
export function peopleMeansOf(config: Addresses & OidcSettings, ring: KeyRing, adminUrl: () => string): PeopleMeans {
	const provider = providerOf(config);
	return {
		adminUrl,
		secure: adminUrlOf(config).startsWith("https:"),
		isSecondFactorRequired: peopleRulesOf(config).isSecondFactorRequired,
		provider: provider === null ? null : createProvider(provider),
		totpSealer: createSealer(ring, TOTP),
		failures: createRateLimit(),
		checks: createTurns(),
	};
}

/** Null: people sign in here alone. */
function providerOf(config: OidcSettings): ProviderSettings | null {
	const {
		oidcIssuer: issuer,
		oidcClientId: clientId,
		oidcClientSecret: clientSecret,
		oidcRoleClaim: roleClaim,
	} = config;
	return issuer === null || clientId === null || clientSecret === null
		? null
		: { issuer, clientId, clientSecret, roleClaim };
}
