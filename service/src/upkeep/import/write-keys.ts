import { isRefusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { KeyRing } from "../../partners/keys/key-ring.ts";
import { type MintedKey, mintKey } from "../../partners/keys/mint-key.ts";
import { pointAt } from "./entries.ts";
import { keyOf, type Plan } from "./plan.ts";
import { ImportRefused } from "./refused.ts";
import type { Advance } from "./write-catalog.ts";

/** Mints the keys that do not exist yet and returns them by natural key. Existing keys are left alone. */
export async function writeKeys(
	tx: Query,
	ring: KeyRing,
	{ keys }: Plan,
	advance: Advance,
): Promise<Map<string, MintedKey>> {
	const minted = new Map<string, MintedKey>();
	for (const { at, entry: key } of keys.created) {
		const made = await mintKey(tx, ring, key);
		if (isRefusal(made)) throw new ImportRefused([{ at: pointAt(at), message: made.message }]);
		minted.set(keyOf("keys", key), made);
		advance(1);
	}
	return minted;
}
