import { isRefusal, type Refusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { selectKey } from "./select-key.ts";
import { nextKeyVersion, setSuspended } from "./sql.ts";

export interface SuspendedKey {
	readonly keyId: string;
	readonly pk: string;
	readonly suspended: boolean;
}

/** Keeps a key out until it is resumed; its holds stay. Doing it twice changes nothing. */
export const suspendKey = (
	tx: Query,
	selector: string,
): Promise<SuspendedKey | Refusal<"not_found" | "invalid_input">> => change(tx, selector, true);

/** Lets a suspended key in again. */
export const resumeKey = (
	tx: Query,
	selector: string,
): Promise<SuspendedKey | Refusal<"not_found" | "invalid_input">> => change(tx, selector, false);

async function change(
	tx: Query,
	selector: string,
	suspended: boolean,
): Promise<SuspendedKey | Refusal<"not_found" | "invalid_input">> {
	const version = await nextKeyVersion(tx);
	const key = await selectKey(tx, selector);
	if (isRefusal(key)) return key;
	await setSuspended(tx, key.keyId, suspended, version);
	return { keyId: key.keyId, pk: key.pk, suspended };
}
