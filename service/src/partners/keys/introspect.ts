import type { Static } from "typebox";
import { CURRENT_API_DATE } from "../../glossary.ts";
import { rfc3339OrNull, toRfc3339 } from "../../ground/lib/clock.ts";
import { nameFrom } from "../../ground/lib/ids.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { type Caller, isUnauthenticated } from "../http/caller.ts";
import { type RateLimit, WINDOW_SECONDS } from "../http/rate-limit.ts";
import { type Authenticate, secretPresented } from "./authenticate.ts";
import type { Introspect } from "./contract.ts";
import type { CachedKey, KeyCache, StoredSecret } from "./key-cache.ts";
import type { KeyRing } from "./key-ring.ts";
import { INTROSPECTIONS_PER_MINUTE } from "./limits.ts";
import { presetOf } from "./scopes.ts";
import { parseToken } from "./token.ts";

export type Introspection = Static<(typeof Introspect)["replies"][200]>;

/** The whole answer for any token that is not a live key of the caller's partner. */
const NOT_ACTIVE: Introspection = { active: false };

export interface IntrospectDeps {
	readonly authenticate: Authenticate;
	readonly keys: KeyCache;
	readonly ring: KeyRing;
	/** The rate limit of all requests, which nodes share. */
	readonly rateLimit: RateLimit;
}

/**
 * Returns whether a token is a live key of the caller's own partner, and what it may do. A token is judged like that
 * of a request, so it takes the same path and time; another partner's token is handled like a refused one.
 * Introspections have a budget besides the key's own. Rejects if the keys cannot be read in time.
 */
export async function introspect(
	{ authenticate, keys, ring, rateLimit }: IntrospectDeps,
	caller: Caller,
	text: string,
): Promise<Introspection | Refusal<"rate_limited">> {
	const { allowed, seconds } = rateLimit.take(nameFrom(caller.keyId, "introspect"), INTROSPECTIONS_PER_MINUTE);
	if (!allowed) {
		const message = `More than ${INTROSPECTIONS_PER_MINUTE} introspections in ${WINDOW_SECONDS} seconds. Try again in ${seconds} s.`;
		return refuse("rate_limited", message, seconds);
	}
	const token = parseToken(text);
	if (token === null) return NOT_ACTIVE;
	const standing = await authenticate(`Bearer ${text}`, () => caller.pk);
	if (isUnauthenticated(standing)) return NOT_ACTIVE;
	if (standing.caller.partnerId !== caller.partnerId) {
		await standing.confirm(); // one fresh read, as for every refused token
		return NOT_ACTIVE;
	}
	const key = keys.find(token.pk);
	const secret = key === undefined ? null : secretPresented(key.secrets, token.sk, ring);
	return key === undefined || secret === null ? NOT_ACTIVE : told(key, secret);
}

function told({ caller, name, issuedAt, expiresAt, revokeAt }: CachedKey, secret: StoredSecret): Introspection {
	const ends = [expiresAt, revokeAt].filter((at) => at !== null);
	return {
		active: true,
		key_id: caller.keyId,
		name,
		environment: caller.environment,
		kind: presetOf(caller.scopes) ?? "custom",
		brand_code: caller.brandCode,
		shared_pool: caller.sharedPool,
		scopes: [...caller.scopes].sort(),
		issued_at: toRfc3339(issuedAt),
		expires_at: ends.length === 0 ? null : toRfc3339(Math.min(...ends)),
		secret_expires_at: rfc3339OrNull(secret.expiresAt),
		rate_limit: { limit: caller.requestsPerMinute, window_seconds: WINDOW_SECONDS },
		default_version: CURRENT_API_DATE,
	};
}
