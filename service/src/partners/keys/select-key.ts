import { nearest } from "../../ground/lib/nearest.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { refuseEnded } from "./key-state.ts";
import { type KeyRow, keysNamed, selectKeyNames } from "./sql.ts";

/** The key of a public half or a name. Refuses with `not_found`, or `invalid_input` if a name is ambiguous. */
export async function selectKey(db: Query, selector: string): Promise<KeyRow | Refusal<"not_found" | "invalid_input">> {
	return await theOneOf(db, (await keysNamed(db, selector)).keys, selector);
}

/** The same, but refuses with `wrong_state` if the key has ended. */
export async function selectKeyInUse(
	db: Query,
	selector: string,
): Promise<KeyRow | Refusal<"not_found" | "invalid_input" | "wrong_state">> {
	const { nowMs, keys } = await keysNamed(db, selector);
	const key = await theOneOf(db, keys, selector);
	return isRefusal(key) ? key : (refuseEnded(key, nowMs) ?? key);
}

/** Matches a whole token, or its secret half, neither of which is repeated in a message. */
const HAS_SECRET = /sk_hf_/;

async function theOneOf(
	db: Query,
	keys: readonly KeyRow[],
	selector: string,
): Promise<KeyRow | Refusal<"not_found" | "invalid_input">> {
	const [key] = keys;
	if (HAS_SECRET.test(selector)) {
		return refuse(
			"invalid_input",
			"That is a secret, or a whole token: name the key by its public half alone, pk_…. Others on this machine may have seen what was typed: rotate the key.",
		);
	}
	if (key === undefined) {
		const meant = nearest(selector, await selectKeyNames(db));
		const advice = meant === null ? "" : ` Did you mean "${meant}"?`;
		return refuse("not_found", `No key has the name or public half "${selector}".${advice}`);
	}
	if (keys.length > 1 && key.pk !== selector) {
		const choices = keys.map(({ pk, partner }) => `${pk} (${partner})`).join(", ");
		return refuse(
			"invalid_input",
			`${keys.length} keys are named "${selector}". Name one by its public half, or as "partner/name": ${choices}.`,
		);
	}
	return key;
}
