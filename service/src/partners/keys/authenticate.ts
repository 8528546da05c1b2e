import { timingSafeEqual } from "node:crypto";
import { type Caller, isUnauthenticated, type Standing, type Unauthenticated, wereNeverValid } from "../http/caller.ts";
import type { CachedKey, KeyCache, StoredSecret } from "./key-cache.ts";
import { digestOf, type KeyRing } from "./key-ring.ts";
import { createRefreshKeys, type KeyPatience } from "./refresh-keys.ts";
import { createDrillStanding, createStanding, isAlive, whyEnded } from "./standing.ts";
import { parseToken, type Token } from "./token.ts";

/**
 * Authenticates a caller. Returns at once if the key cache is fresh and the token valid. Every other token of our form
 * waits for one fresh read of the database and is judged again, so that a key minted a moment ago on another node
 * works, and unknown, wrong, revoked, suspended and expired tokens take the same path and time. Rejects if the database
 * cannot be queried in time, and with TooManyWait if too many requests of this key are waiting. `from`
 * returns the caller's address: requests with unknown tokens queue under it, and delay only one another.
 */
export type Authenticate = (
	authorization: string | undefined,
	from?: () => string,
) => Standing | Unauthenticated | Promise<Standing | Unauthenticated>;

const MALFORMED: Unauthenticated = { why: "malformed" };
const UNKNOWN: Unauthenticated = { why: "unknown" };
const WRONG_SECRET: Unauthenticated = { why: "wrong_secret" };

const NO_ENDS = { expiresAt: null, revokeAt: null, drillUntil: null, unkindUntil: null } as const;

const BEARER = /^bearer +([^ ]+) *$/i;

/** The token of the header Authorization; empty if there is none. */
export const bearerOf = (authorization = ""): string => BEARER.exec(authorization)?.[1] ?? "";

export function createAuthenticate(cache: KeyCache, ring: KeyRing, patience?: KeyPatience): Authenticate {
	const nobody = unknownKey(ring);
	const refresh = createRefreshKeys(cache, patience);
	const judge = (token: Token): Standing | Unauthenticated => {
		const known = cache.find(token.pk);
		const key = known ?? nobody;
		const now = cache.databaseNow();
		const secret = secretPresented(key.secrets, token.sk, ring);
		if (known === undefined) return UNKNOWN;
		if (secret === null) return WRONG_SECRET;
		const ended = whyEnded(known, now);
		const isReplaced = !isAlive(secret, now) && (ended === null || ended === "drill");
		const why = isReplaced ? "replaced" : ended;
		if (why === null) return createStanding(cache, refresh, known, secret);
		const owner = known.caller;
		return why === "drill"
			? { why, owner, inDrill: createDrillStanding(cache, refresh, known, secret) }
			: { why, owner };
	};
	const judgeAgain = async (token: Token, owner: string): Promise<Standing | Unauthenticated> => {
		await refresh(owner);
		return judge(token);
	};
	return (authorization, from) => {
		const token = parseToken(bearerOf(authorization));
		if (token === null) return MALFORMED;
		const judged = judge(token);
		if (!isUnauthenticated(judged) && cache.fresh()) return judged;
		// callers without a valid secret queue under their own address, not under the key's name
		return judgeAgain(token, isUnauthenticated(judged) && wereNeverValid(judged) ? (from?.() ?? "") : token.pk);
	};
}

/** The one of these secrets that matches, or null. Always compares all of them. */
export function secretPresented<Secret extends Pick<StoredSecret, "digest" | "pepperId">>(
	secrets: readonly Secret[],
	sk: string,
	ring: KeyRing,
): Secret | null {
	let found: Secret | null = null;
	for (const pepper of ring.peppers) {
		const digest = digestOf(sk, pepper);
		for (const secret of secrets) {
			const same = timingSafeEqual(secret.digest, digest);
			if (same && secret.pepperId === pepper.id) found = secret;
		}
	}
	return found;
}

/** A stand-in for an unknown public half, so that it costs the same as a known one. */
function unknownKey(ring: KeyRing): CachedKey {
	const caller: Caller = {
		keyId: "",
		pk: "",
		partnerId: "",
		environment: "sandbox",
		brandCode: null,
		poolId: null,
		sharedPool: false,
		scopes: new Set(),
		requestsPerMinute: 1,
		maxHeldUnits: null,
	};
	const secrets = [{ ...nobodysSecret(ring), expiresAt: null }];
	return { caller, name: "", suspended: true, issuedAt: 0, ...NO_ENDS, secrets };
}

/** A stand-in for the secret of an unknown public half. No secret half equals this word, so it never matches. */
export const nobodysSecret = (ring: KeyRing) => ({
	digest: digestOf("nobody", ring.current),
	pepperId: ring.current.id,
});
