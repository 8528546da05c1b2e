import type { Rows } from "../../ground/engine/rows.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { BookWithHolds } from "./hold-book.ts";
import type { HoldNeeds } from "./needs.ts";
import { lockKeys, selectBlockedKeys, selectHeldByKey } from "./sql.ts";

/** Capped keys that another transaction keeps locked. */
export interface LockedKeys {
	readonly keyIds: Set<string>;
}

/** Keys with a cap on held units. They are locked so that two nodes cannot both find room under one cap. */
export const capRows: Rows<HoldNeeds, BookWithHolds, LockedKeys> = {
	async lock(tx, { cappedKeys }) {
		if (cappedKeys.size > 0) await lockKeys(tx, [plainArray([...cappedKeys])]);
		return () => undefined;
	},
	async read(tx, { cappedKeys }) {
		const held = cappedKeys.size > 0 ? await selectHeldByKey(tx, [plainArray([...cappedKeys])]) : [];
		return ({ holds, now }) => {
			for (const keyId of cappedKeys) holds.heldByKey.set(keyId, 0);
			for (const [keyId, endsSoonAt, units] of held)
				if (endsSoonAt === null || endsSoonAt > now) holds.noteHeld(keyId, units);
		};
	},
	async findLocked(tx, { cappedKeys }, { keyIds }) {
		const keys = cappedKeys.size > 0 ? await selectBlockedKeys(tx, [plainArray([...cappedKeys])]) : [];
		for (const [keyId] of keys) keyIds.add(keyId);
		return keys.length > 0;
	},
	conflictsWith: ({ cappedKeys }, { keyIds }) => [...cappedKeys].some((keyId) => keyIds.has(keyId)),
};
