import type { Config } from "../config.ts";
import { createTurns } from "../ground/lib/turns.ts";
import { createRateLimit } from "../partners/http/rate-limit.ts";
import type { KeyRing } from "../partners/keys/key-ring.ts";
import { createSealer } from "../partners/keys/ring-sealer.ts";
import { type AdminAddress, adminUrlOf, configuredAdminUrl, isLoopback } from "../partners/people/admin-url.ts";
import type { PeopleMeans } from "../partners/people/means.ts";
import type { PeopleRules } from "./operator-surface.ts";

/** The use of the derived key under which TOTP secrets are encrypted. */
const TOTP = "holdfast totp";

type Addresses = AdminAddress & Pick<Config, "adminSecondFactor">;

/** How people may use the operator's API (operator contract, section 2). */
export const peopleRulesOf = (config: Addresses): PeopleRules => ({
	url: configuredAdminUrl(config),
	isSecondFactorRequired: config.adminSecondFactor ?? !isLoopback(config),
});

/** `adminUrl`: the public address of the operator's API. */
export const peopleMeansOf = (config: Addresses, ring: KeyRing, adminUrl: () => string): PeopleMeans => ({
	adminUrl,
	secure: adminUrlOf(config).startsWith("https:"),
	isSecondFactorRequired: peopleRulesOf(config).isSecondFactorRequired,
	totpSealer: createSealer(ring, TOTP),
	failures: createRateLimit(),
	checks: createTurns(),
});
