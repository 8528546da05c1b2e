import { nearest } from "../../ground/lib/nearest.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { wrongInPartnerName } from "./key-rules.ts";
import { nextKeyVersion, selectPartnerNames, selectPartners, updatePartnerName } from "./sql.ts";

/** Refuses, with `invalid_input`, an unknown partner name that nearly matches a known one. Null: it may be used. */
export async function refuseNearName(db: Query, name: string): Promise<Refusal<"invalid_input"> | null> {
	const meant = await nearName(db, name);
	return meant === null ? null : refuse("invalid_input", `There is no partner "${name}": did you mean "${meant}"?`);
}

/** The id of the partner of this name. */
export const findPartner = async (db: Query, name: string): Promise<string | Refusal<"not_found">> =>
	(await selectPartners(db, [name])).get(name) ?? (await noPartner(db, name));

/** The refusal of a name or id that no partner has; it suggests the name that was probably meant. */
export async function noPartner(db: Query, name: string): Promise<Refusal<"not_found">> {
	const meant = await nearName(db, name);
	return refuse("not_found", `There is no partner "${name}".${meant === null ? "" : ` Did you mean "${meant}"?`}`);
}

async function nearName(db: Query, name: string): Promise<string | null> {
	const names = await selectPartnerNames(db);
	if (names.includes(name)) return null;
	return nearest(
		name,
		names.filter((one) => isMisspelt(name, one)),
	);
}

/** Two different words match only if one has this many letters and neither has a digit: `Shop A` is not `Shop B`. */
const MIN_MISSPELT = 3;

const isMisspelt = (name: string, other: string): boolean => {
	const [words, others] = [name.split(" "), other.split(" ")];
	const mayBeMeant = (word: string, meant: string): boolean =>
		word === meant || (Math.max(word.length, meant.length) >= MIN_MISSPELT && !/\d/.test(word + meant));
	return words.length !== others.length || words.every((word, i) => mayBeMeant(word, others[i] ?? ""));
};

/** Renames a partner. Refuses with `not_found`, or `invalid_input` if the name is taken or invalid. */
export async function changePartnerName(
	tx: Query,
	name: string,
	to: string,
): Promise<{ readonly partnerId: string; readonly name: string } | Refusal<"not_found" | "invalid_input">> {
	const wrong = wrongInPartnerName(to);
	if (wrong !== null) return refuse("invalid_input", wrong);
	const version = await nextKeyVersion(tx); // before any key or partner row is locked, as in every change of keys
	const known = await selectPartners(tx, [name, to]);
	const partnerId = known.get(name);
	if (partnerId === undefined) return await noPartner(tx, name);
	if (known.has(to)) return refuse("invalid_input", `There is a partner "${to}" already: choose another name.`);
	await updatePartnerName(tx, partnerId, to, version);
	return { partnerId, name: to };
}
