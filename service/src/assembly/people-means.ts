import type { Config } from "../config.ts";
import { createTurns } from "../ground/lib/turns.ts";
import { createRateLimit } from "../partners/http/rate-limit.ts";
import type { KeyRing } from "../partners/keys/key-ring.ts";
import { createSealer } from "../partners/keys/ring-sealer.ts";
import type { PeopleMeans } from "../partners/people/means.ts";
import type { PeopleRules } from "./operator-surface.ts";

/** Separates the key under which TOTP secrets are encrypted from all others. */
const TOTP = "holdfast totp";

type Addresses = Pick<Config, "adminUrl" | "adminHost" | "adminPort" | "adminSecondFactor" | "url" | "host" | "port">;

/** The configured public address of the operator's API, without a slash at the end; null: there is none. */
export const configuredAdminUrl = ({ adminUrl, adminPort, url }: Addresses): string | null =>
	adminUrl ?? (adminPort === null ? url : null);

/** The address of the operator's API: the configured one, or the one that the service binds. */
export function adminUrlOf(config: Addresses): string {
	const host = config.adminHost ?? config.host;
	const bound = `http://${host.includes(":") ? `[${host}]` : host}:${config.adminPort ?? config.port}`;
	return configuredAdminUrl(config) ?? bound;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/** How people may use the operator's API (operator contract, section 2). */
export const peopleRulesOf = (config: Addresses): PeopleRules => ({
	url: configuredAdminUrl(config),
	isSecondFactorRequired: config.adminSecondFactor ?? !isLoopbackUrl(adminUrlOf(config)),
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
