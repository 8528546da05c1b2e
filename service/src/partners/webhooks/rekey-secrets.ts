import type { Database, Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { type RingUse, selectRingUse, selectUnderOthers, updateSealed } from "./endpoint-sql.ts";
import { openSecret, sealSecret } from "./secret.ts";

/** Maximum number of secrets per transaction. */
const AT_ONCE = 500;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";

export interface Rekeyed {
	/** The current entry of the ring, under which the secrets are encrypted now. */
	readonly current: string;
	readonly rekeyed: number;
	/** Webhook secrets that cannot be decrypted, because their entry is not in the ring. */
	readonly unreadable: number;
	/** The uses of each entry afterwards. */
	readonly uses: readonly (RingUse & { readonly inRing: boolean })[];
}

/**
 * Encrypts every webhook secret under the current entry of the ring, and returns the uses that remain of each entry.
 */
export async function rekeySecrets(db: Database, ring: KeyRing): Promise<Rekeyed> {
	const current = ring.current.id;
	let [rekeyed, unreadable, after] = [0, 0, BEFORE_ALL];
	for (;;) {
		const step = await transaction(db, (tx) => rekeySome(tx, ring, after));
		rekeyed += step.rekeyed;
		unreadable += step.unreadable;
		if (step.last === null) break;
		after = step.last;
	}
	const { rows } = await selectRingUse(db);
	const known = new Set(ring.peppers.map(({ id }) => id));
	return { current, rekeyed, unreadable, uses: rows.map((use) => ({ ...use, inRing: known.has(use.ringId) })) };
}

async function rekeySome(tx: Query, ring: KeyRing, after: string) {
	const { rows } = await selectUnderOthers(tx, ring.current.id, after, AT_ONCE);
	const fresh = rows.flatMap((row) => {
		const secret = openSecret(ring, row);
		return secret === null ? [] : [sealSecret(ring, row.secretId, secret)];
	});
	if (fresh.length > 0) await updateSealed(tx, fresh);
	return { rekeyed: fresh.length, unreadable: rows.length - fresh.length, last: rows.at(-1)?.secretId ?? null };
}
