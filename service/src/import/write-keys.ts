import type { KeyRing } from "../keys/key-ring.ts";
import { type MintedKey, mintKey } from "../keys/mint-key.ts";
import { PRESETS } from "../keys/scopes.ts";
import { must } from "../lib/assert.ts";
import { isRefusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { type KeyEntry, pointAt } from "./entries.ts";
import { keyOf, type Plan } from "./plan.ts";
import { ImportRefused } from "./refused.ts";
import { type Advance, type Ids, poolOf } from "./write-catalog.ts";

/** Mints the keys that do not exist yet. Returns them by natural key; existing ones are left alone. */
export async function writeKeys(
	tx: Query,
	ring: KeyRing,
	{ keys }: Plan,
	ids: Ids,
	advance: Advance,
): Promise<Map<string, MintedKey>> {
	const minted = new Map<string, MintedKey>();
	for (const key of keys.created) {
		const made = await mintKey(tx, ring, {
			name: key.name,
			partnerId: must(ids.partners.get(key.partner), key.partner),
			environment: key.environment,
			poolId: key.brandCode === null ? null : poolOf(key.brandCode, ids),
			sharedPool: key.sharedPool,
			scopes: scopesOf(key),
			...(key.requestsPerMinute === null ? {} : { requestsPerMinute: key.requestsPerMinute }),
			expiresAt: key.expiresAt === null ? null : new Date(key.expiresAt),
			maxHeldUnits: key.maxHeldUnits,
		});
		if (isRefusal(made)) throw new ImportRefused([{ at: pointAt(key.at), message: made.message }]);
		minted.set(keyOf("keys", key), made);
		advance(1);
	}
	return minted;
}

const scopesOf = ({ grants }: KeyEntry) => ("preset" in grants ? PRESETS[grants.preset] : grants.scopes);
