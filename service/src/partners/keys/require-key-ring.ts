import { OperatorError } from "../../ground/lib/operator-error.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type KeyRing, parseKeyRing } from "./key-ring.ts";
import { findKeyRing, type KeyRingSettings, loadKeyRing } from "./load-key-ring.ts";
import { type StoredPepper, selectStoredPeppers } from "./stored-peppers-sql.ts";

export interface RequiredRingSettings extends KeyRingSettings {
	readonly acceptLostKeys: boolean;
}

/**
 * The ring in force, which must have the entry of at least one stored secret. A new one is created only if nothing is
 * stored yet, or the operator accepts the loss of the keys. @throws OperatorError naming the missing entry
 */
export async function requireKeyRing(
	settings: RequiredRingSettings,
	db: Query,
	say: (line: string) => void,
): Promise<KeyRing> {
	const stored = await selectStoredPeppers(db);
	const found = stored.length === 0 ? null : await findKeyRing(settings);
	const missing = missingPeppers(stored, found === null ? null : parseKeyRing(found.text));
	if (missing.length === 0) return await loadKeyRing(settings);
	if (missing.length === stored.length && !settings.acceptLostKeys)
		throw new OperatorError(lostRing(missing, settings));
	say(
		`${entriesOf(missing)} not in the key ring: these keys are refused, and all others are accepted. Put the entry back, or rotate them.`,
	);
	return await loadKeyRing(settings);
}

/** The entries that stored secrets use and the ring does not have. */
export function missingPeppers(stored: readonly StoredPepper[], ring: KeyRing | null): StoredPepper[] {
	const known = ring?.peppers.map(({ id }) => id) ?? [];
	return stored.filter(({ id }) => !known.includes(id));
}

/** The message for an operator whose ring has none of the entries in use. */
export function lostRing(
	missing: readonly StoredPepper[],
	{ secretKeys, databaseUrl, dataDir }: KeyRingSettings,
): string {
	const place = secretKeys !== null || databaseUrl !== null ? "HOLDFAST_SECRET_KEYS" : `${dataDir}/secret-keys`;
	return `${entriesOf(missing)} not in the key ring of ${place}: no key would be accepted. Put back the ring that belongs to this database; a backup made with --with-key-ring has it. If it is lost for good, start with HOLDFAST_ACCEPT_LOST_KEYS=1, rotate every key with the same variable set, and hand out the new tokens.`;
}

/** "2 keys and 1 webhook endpoint have secrets under the entry 7c2a, which is". */
const entriesOf = (missing: readonly StoredPepper[]): string =>
	missing
		.map((stored) => `${usesOf(stored)} secrets under the entry ${stored.id}`)
		.join(", ")
		.concat(missing.length === 1 ? ", which is" : ", which are");

function usesOf({ keys, webhooks, tokens = 0 }: StoredPepper): string {
	const uses = [
		...(keys > 0 ? [`${keys} ${keys === 1 ? "key" : "keys"}`] : []),
		...(webhooks > 0 ? [`${webhooks} webhook ${webhooks === 1 ? "endpoint" : "endpoints"}`] : []),
		...(tokens > 0 ? [`${tokens} operator ${tokens === 1 ? "token" : "tokens"}`] : []),
	];
	return `${uses.join(" and ")} ${keys + webhooks + tokens === 1 ? "has" : "have"}`;
}
