import { type Environment, SANDBOX_POOL_ID, type Scope } from "../glossary.ts";
import { newId } from "../lib/ids.ts";
import { type Refusal, refuse } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { digestOf, type KeyRing } from "./key-ring.ts";
import { insertKey, insertSecret, nextKeyVersion, scheduleSandboxRevocation } from "./sql.ts";
import { newPk, newSk } from "./token.ts";

/** Days a partner's sandbox keys live on after a live key is issued (contract, Limits). */
const SANDBOX_DAYS_AFTER_LIVE = 30;
/** The contract's rate, unless the operator sets another (decisions.md, section 2). */
export const DEFAULT_REQUESTS_PER_MINUTE = 60;
export const MAX_REQUESTS_PER_MINUTE = 1_000_000;
/** Characters of a key's name. */
const MAX_NAME_LENGTH = 200;

export interface MintRequest {
	readonly name: string;
	readonly partnerId: string;
	readonly environment: Environment;
	/** The brand it is bound to; null for an unbound live key. A sandbox key is always bound to the brand SANDBOX. */
	readonly poolId: number | null;
	readonly sharedPool: boolean;
	readonly scopes: readonly Scope[];
	readonly requestsPerMinute?: number;
	readonly expiresAt?: Date | null;
	/** Units in active holds at most; null or absent: no cap. */
	readonly maxHeldUnits?: number | null;
}

export interface MintedKey {
	readonly keyId: string;
	readonly pk: string;
	/** `pk_…:sk_…`: shown this once, stored nowhere. */
	readonly token: string;
	/** Sandbox keys of the partner that this live key scheduled for revocation in 30 days. */
	readonly sandboxKeysEnding: readonly string[];
}

/** Makes a key. Its scopes never change afterwards. Refuses `invalid_input` when the request contradicts itself or the name is taken. */
export async function mintKey(
	tx: Query,
	ring: KeyRing,
	request: MintRequest,
): Promise<MintedKey | Refusal<"invalid_input">> {
	const wrong = contradiction(request);
	if (wrong !== null) return refuse("invalid_input", wrong);
	const { environment, partnerId, name } = request;
	const version = await nextKeyVersion(tx);
	const [keyId, pk, sk] = [newId(), newPk(environment), newSk(environment)];
	const inserted = await insertKey(tx, {
		keyId,
		pk,
		partnerId,
		name,
		environment,
		poolId: request.poolId,
		sharedPool: request.sharedPool,
		scopes: [...new Set(request.scopes)],
		requestsPerMinute: request.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE,
		maxHeldUnits: request.maxHeldUnits ?? null,
		expiresAt: request.expiresAt ?? null,
		version,
	});
	if (!inserted) return refuse("invalid_input", `The partner already has a key named "${name}": choose another name.`);
	const pepper = ring.current;
	await insertSecret(tx, { secretId: newId(), keyId, digest: digestOf(sk, pepper), pepperId: pepper.id });
	const sandboxKeysEnding =
		environment === "live" ? await scheduleSandboxRevocation(tx, partnerId, SANDBOX_DAYS_AFTER_LIVE, version) : [];
	return { keyId, pk, token: `${pk}:${sk}`, sandboxKeysEnding };
}

/** What is wrong with the request, in a sentence, or null. */
function contradiction(request: MintRequest): string | null {
	const rate = request.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE;
	const sandboxBrand = request.poolId === SANDBOX_POOL_ID;
	if (request.name === "" || request.name.length > MAX_NAME_LENGTH)
		return `A key's name has 1 to ${MAX_NAME_LENGTH} characters.`;
	if (request.scopes.length === 0) return "A key needs at least one scope.";
	if (request.environment === "sandbox" && !sandboxBrand) return "A sandbox key is always bound to the brand SANDBOX.";
	if (request.environment === "live" && sandboxBrand) return "A live key cannot be bound to the brand SANDBOX.";
	if (request.environment === "sandbox" && request.sharedPool)
		return "A sandbox key never has access to the shared pool.";
	if (!Number.isInteger(rate) || rate < 1 || rate > MAX_REQUESTS_PER_MINUTE)
		return `Requests per minute are a whole number from 1 to ${MAX_REQUESTS_PER_MINUTE}.`;
	return null;
}
