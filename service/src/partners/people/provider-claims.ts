import { ROLES, type Role } from "../../glossary.ts";
import { MAX_EMAIL, MAX_PERSON_NAME } from "./limits.ts";
import { PERSON_NAME } from "./person.ts";

export interface ProvidedPerson {
	/** Issuer and subject: what stays the same when name and address change. */
	readonly subject: string;
	readonly name: string;
	readonly email: string | null;
	/** The highest of the roles that the claim names; null: none of ours. */
	readonly role: Role | null;
}

const NAME = new RegExp(PERSON_NAME, "u");

/**
 * Reads the claims of an id token. The name is `preferred_username`, or the part of `email` before the @. `roleClaim`
 * names the claim that has a role or a list of roles; other values are ignored. Null: there is no name that a person
 * may have.
 */
export function readClaims(claims: Readonly<Record<string, unknown>>, roleClaim: string): ProvidedPerson | null {
	const { iss, sub, preferred_username, email } = claims;
	const address = typeof email === "string" && email.length <= MAX_EMAIL ? email : null;
	const names = [preferred_username, address?.split("@", 1)[0]];
	const name = names.find((one): one is string => typeof one === "string" && isName(one));
	if (name === undefined) return null;
	const given = [claims[roleClaim]].flat();
	const role = ROLES.toReversed().find((one) => given.includes(one)) ?? null;
	return { subject: `${String(iss)} ${String(sub)}`, name, email: address, role };
}

const isName = (text: string): boolean => text.length <= MAX_PERSON_NAME && NAME.test(text);
