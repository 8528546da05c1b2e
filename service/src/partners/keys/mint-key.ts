import type { Environment } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { adviceOn } from "../../ground/lib/nearest.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { NumberedWrite } from "../../ground/pg/epoch.ts";
import { selectNow } from "../../ground/pg/query.ts";
import { digestOf, type KeyRing } from "./key-ring.ts";
import { type MintRequest, wrongInKey } from "./key-rules.ts";
import { DEFAULT_REQUESTS_PER_MINUTE, SANDBOX_DAYS_AFTER_LIVE } from "./limits.ts";
import { putPartners } from "./put-partners.ts";
import {
	insertKey,
	insertSecret,
	nextKeyVersion,
	scheduleSandboxRevocation,
	selectBrandCodes,
	selectPoolOf,
} from "./sql.ts";
import { newPk, newSk } from "./token.ts";

export interface MintedKey {
	readonly keyId: string;
	readonly pk: string;
	/** `pk_…:sk_…`: shown only once, stored nowhere. */
	readonly token: string;
	/** Public halves of the partner's sandbox keys that this live key scheduled for revocation. */
	readonly sandboxKeysEnding: readonly string[];
	/** When they end; null if there are none. */
	readonly sandboxEndsAt: Date | null;
}

/**
 * Returns the pool of the sandbox of the partner with this name. Creates and stocks it if there is none, with the
 * partner if necessary. Passed in, because stock is on a higher floor. `numbered` collects the writes that use numbers
 * of lists; without it they are sent immediately.
 */
export type OpenSandbox = (tx: Query, partner: string, numbered?: NumberedWrite[]) => Promise<number>;

export interface Minting {
	readonly ring: KeyRing;
	readonly openSandbox: OpenSandbox;
}

/**
 * Creates a key, and its partner if necessary; with the partner's first sandbox key, also its sandbox. Its scopes never
 * change. Refuses with `invalid_input`, after which the caller rolls back, if the request contradicts itself, the brand
 * does not exist or the name is taken.
 */
export async function mintKey(
	tx: Query,
	{ ring, openSandbox }: Minting,
	request: MintRequest,
): Promise<MintedKey | Refusal<"invalid_input">> {
	const [wrong] = wrongInKey(request);
	if (wrong !== undefined) return refuse("invalid_input", wrong.message);
	const { environment, partner, name } = request;
	const brandPoolId = await findBrandPool(tx, request);
	if (isRefusal(brandPoolId)) return brandPoolId;
	if (request.expiresAt && request.expiresAt.getTime() <= (await selectNow(tx)))
		return refuse(
			"invalid_input",
			`${request.expiresAt.toISOString()} is past: a key that ends then would never work.`,
		);
	// the catalogue, partners, and last the lock of all keys: the same order as in an import
	const poolId = environment === "sandbox" ? await openSandbox(tx, partner) : brandPoolId;
	const partnerId = must((await putPartners(tx, [partner])).get(partner), "the partner");
	const version = await nextKeyVersion(tx);
	const [keyId, pk, sk] = [newId(), newPk(environment), newSk(environment)];
	const inserted = await insertKey(tx, {
		keyId,
		pk,
		partnerId,
		name,
		environment,
		poolId,
		sharedPool: request.sharedPool,
		scopes: [...new Set(request.scopes)],
		requestsPerMinute: request.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE,
		maxHeldUnits: request.maxHeldUnits ?? null,
		expiresAt: request.expiresAt ?? null,
		version,
	});
	if (!inserted) {
		const message = `${partner} already has a key named "${name}": choose another name, or rotate that key.`;
		return refuse("invalid_input", message);
	}
	const pepper = ring.current;
	await insertSecret(tx, { secretId: newId(), keyId, digest: digestOf(sk, pepper), pepperId: pepper.id });
	const ending = await endSandboxKeys(tx, environment, partnerId, version);
	return { keyId, pk, token: `${pk}:${sk}`, ...ending };
}

/** The pool of the brand that a live key is bound to; null for an unbound key and for a sandbox key. */
async function findBrandPool(
	tx: Query,
	{ environment, brandCode }: MintRequest,
): Promise<number | null | Refusal<"invalid_input">> {
	if (environment === "sandbox" || brandCode === null) return null;
	const advice = async (): Promise<string> => adviceOn(brandCode, await selectBrandCodes(tx), "import it first.");
	return (
		(await selectPoolOf(tx, brandCode)) ??
		refuse("invalid_input", `There is no brand ${JSON.stringify(brandCode)}: ${await advice()}`)
	);
}

/** A live key ends the partner's sandbox keys after 30 days (contract, section 8). */
async function endSandboxKeys(
	tx: Query,
	environment: Environment,
	partnerId: string,
	version: number,
): Promise<Pick<MintedKey, "sandboxKeysEnding" | "sandboxEndsAt">> {
	if (environment === "sandbox") return { sandboxKeysEnding: [], sandboxEndsAt: null };
	const ended = await scheduleSandboxRevocation(tx, partnerId, SANDBOX_DAYS_AFTER_LIVE, version);
	return { sandboxKeysEnding: ended.map(({ pk }) => pk), sandboxEndsAt: ended[0]?.revokeAt ?? null };
}
