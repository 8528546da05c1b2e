import type { StoredPepper } from "../../partners/keys/stored-peppers-sql.ts";
import { bad, type Diagnosis, good } from "./diagnosis.ts";

export const KEY_RING = "key ring";

/** Judges a ring by the entries that stored secrets need and the ring lacks. `ring`: how findings name it. Pure. */
export function judgeRing(missing: readonly StoredPepper[], ring: string): Diagnosis {
	if (missing.length === 0) return good(KEY_RING, ring);
	const entries = missing.map(({ id, keys }) => `${id} (${keys} of the keys)`).join(", ");
	const advice = "Put the entry back, after the current one, or rotate those keys.";
	return bad(KEY_RING, `${ring}; it lacks ${entries}`, advice);
}
