import { timingSafeEqual } from "node:crypto";
import { type Caller, isUnauthenticated, type Standing, type Unauthenticated } from "../http/caller.ts";
import type { CachedKey, KeyCache, StoredSecret } from "./key-cache.ts";
import { digestOf, type KeyRing } from "./key-ring.ts";
import { createLook, type KeyPatience } from "./look.ts";
import { createStanding, isAlive, isInForce } from "./standing.ts";
import { parseToken, type Token } from "./token.ts";

/**
 * Who is calling. Answers at once when the key cache is fresh and the token good; every other token of ours waits for
 * one fresh look at the database and is judged once more, so that a key minted a moment ago on another node works, and
 * unknown, wrong, revoked, suspended and expired all take the same path and time. Rejects when the database cannot be
 * asked in time, and with TooManyWait when too many of this key's wait for it. `from`: whose requests those are whose
 * token is not known; only their own kind has to wait for them.
 */
export type Authenticate = (
	authorization: string | undefined,
	from?: () => string,
) => Standing | Unauthenticated | Promise<Standing | Unauthenticated>;

const BEARER = /^bearer +([^ ]+) *$/i;

export function createAuthenticate(cache: KeyCache, ring: KeyRing, patience?: KeyPatience): Authenticate {
	const nobody = unknownKey(ring);
	const look = createLook(cache, patience);
	const judge = (token: Token): Standing | Unauthenticated => {
		const known = cache.find(token.pk);
		const key = known ?? nobody;
		const now = cache.databaseNow();
		const secret = secretPresented(key, token.sk, ring);
		if (secret === null || known === undefined) return "unknown";
		return isAlive(secret, now) && isInForce(known, now) ? createStanding(cache, look, known, secret) : "ended";
	};
	const judgeAgain = async (token: Token, owner: string): Promise<Standing | Unauthenticated> => {
		await look(owner);
		return judge(token);
	};
	return (authorization, from) => {
		const token = parseToken(BEARER.exec(authorization ?? "")?.[1] ?? "");
		if (token === null) return "unknown";
		const judged = judge(token);
		if (!isUnauthenticated(judged) && cache.fresh()) return judged;
		// who knows no secret of a key waits in nobody's place but their own
		return judgeAgain(token, judged === "unknown" ? (from?.() ?? "") : token.pk);
	};
}

/** Which of the key's secrets this is, or null. Compares all of them whatever the answer. */
export function secretPresented(key: CachedKey, sk: string, ring: KeyRing): StoredSecret | null {
	let found: StoredSecret | null = null;
	for (const pepper of ring.peppers) {
		const digest = digestOf(sk, pepper);
		for (const secret of key.secrets) {
			const same = timingSafeEqual(secret.digest, digest);
			if (same && secret.pepperId === pepper.id) found = secret;
		}
	}
	return found;
}

/** What an unknown public half is compared with, so that it costs what a known one costs. */
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
	// no secret half is this word, so the digest fits none
	const secret = { digest: digestOf("nobody", ring.current), pepperId: ring.current.id, expiresAt: null };
	return { caller, name: "", suspended: true, issuedAt: 0, expiresAt: null, revokeAt: null, secrets: [secret] };
}
