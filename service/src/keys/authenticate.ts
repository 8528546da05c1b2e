import { timingSafeEqual } from "node:crypto";
import { patiently } from "../pg/patience.ts";
import type { Caller } from "./key.ts";
import type { CachedKey, KeyCache } from "./key-cache.ts";
import { digestOf, type KeyRing } from "./key-ring.ts";
import { parseToken, type Token } from "./token.ts";

/**
 * Who is calling, or null. Answers at once when the key cache is fresh and the token good; every other token of ours waits for
 * one fresh look at the database and is judged once more, so that a key minted a moment ago on another node works, and unknown, wrong, revoked,
 * suspended and expired all take the same path and time. Rejects when the database cannot be asked.
 */
export type Authenticate = (authorization: string | undefined) => Caller | null | Promise<Caller | null>;

const BEARER = /^bearer +([^ ]+) *$/i;

export function createAuthenticate(cache: KeyCache, ring: KeyRing): Authenticate {
	const nobody = unknownKey(ring);
	const judge = (token: Token): Caller | null => {
		const known = cache.find(token.pk);
		const key = known ?? nobody;
		const now = cache.databaseNow();
		const secretFits = holds(key, token.sk, ring, now);
		return secretFits && known !== undefined && inForce(key, now) ? key.caller : null;
	};
	const judgeAgain = async (token: Token): Promise<Caller | null> => {
		// a database that restarts is no reason to turn a good key away
		await patiently(() => cache.refresh());
		return judge(token);
	};
	return (authorization) => {
		const token = parseToken(BEARER.exec(authorization ?? "")?.[1] ?? "");
		if (token === null) return null;
		return (cache.fresh() ? judge(token) : null) ?? judgeAgain(token);
	};
}

/** Is the secret one of the key's, and not past its overlap? Compares all of them whatever the answer. */
function holds(key: CachedKey, sk: string, ring: KeyRing, now: number): boolean {
	let fits = false;
	for (const pepper of ring.peppers) {
		const digest = digestOf(sk, pepper);
		for (const secret of key.secrets) {
			const same = timingSafeEqual(secret.digest, digest);
			const alive = secret.pepperId === pepper.id && (secret.expiresAt === null || secret.expiresAt > now);
			fits = (same && alive) || fits;
		}
	}
	return fits;
}

function inForce(key: CachedKey, now: number): boolean {
	const revoked = key.revokeAt !== null && key.revokeAt <= now;
	const expired = key.expiresAt !== null && key.expiresAt <= now;
	return !(key.suspended || revoked || expired);
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
	return { caller, name: "", suspended: true, expiresAt: null, revokeAt: null, secrets: [secret] };
}
