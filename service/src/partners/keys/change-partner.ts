import { nearest } from "../../ground/lib/nearest.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { wrongInPartnerName } from "./key-rules.ts";
import {
	type ListedPartner,
	nextKeyVersion,
	selectAllPartners,
	selectPartnerNames,
	selectPartners,
	updatePartnerName,
} from "./sql.ts";

/** Every partner, by name. */
export const listPartners = (db: Query): Promise<ListedPartner[]> => selectAllPartners(db);

/**
 * Refuses, with `invalid_input`, a partner's name that does not exist and is nearly that of one that does. Null: it may
 * be used.
 */
export async function refuseNearName(db: Query, name: string): Promise<Refusal<"invalid_input"> | null> {
	const names = await selectPartnerNames(db);
	const meant = names.includes(name)
		? null
		: nearest(
				name,
				names.filter((one) => isMisspelt(name, one)),
			);
	if (meant === null) return null;
	return refuse("invalid_input", `There is no partner "${name}": did you mean "${meant}"?`);
}

/** Shorter words that differ are initials, and those with digits are numbers: `Shop A` is not `Shop B`. */
const MIN_MISSPELT = 3;

const isMisspelt = (name: string, other: string): boolean => {
	const [words, others] = [name.split(" "), other.split(" ")];
	const mayBeMeant = (word: string, meant: string): boolean =>
		word === meant || (Math.max(word.length, meant.length) >= MIN_MISSPELT && !/\d/.test(word + meant));
	return words.length !== others.length || words.every((word, i) => mayBeMeant(word, others[i] ?? ""));
};

/**
 * Gives a partner another name; its keys, holds, orders and endpoints stay as they are. Refuses `not_found`, and
 * `invalid_input` when the name is taken or cannot be one.
 */
export async function changePartnerName(
	tx: Query,
	name: string,
	to: string,
): Promise<{ readonly partnerId: string; readonly name: string } | Refusal<"not_found" | "invalid_input">> {
	const wrong = wrongInPartnerName(to);
	if (wrong !== null) return refuse("invalid_input", wrong);
	const version = await nextKeyVersion(tx); // before any row of a key or partner, as every change of keys
	const known = await selectPartners(tx, [name, to]);
	const partnerId = known.get(name);
	if (partnerId === undefined)
		return (await refuseNearName(tx, name)) ?? refuse("not_found", `There is no partner "${name}".`);
	if (known.has(to)) return refuse("invalid_input", `There is a partner "${to}" already: choose another name.`);
	await updatePartnerName(tx, partnerId, to, version);
	return { partnerId, name: to };
}
