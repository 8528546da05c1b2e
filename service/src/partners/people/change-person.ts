import type { Role } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Operator } from "../admin/operator.ts";
import type { Person } from "./person.ts";
import { endSessionsOf } from "./session-sql.ts";
import { findPerson, lockPerson, updatePerson } from "./sql.ts";

export interface PersonWish {
	readonly role?: Role | undefined;
	readonly state?: "active" | "suspended" | undefined;
	readonly email?: string | null | undefined;
}

/**
 * Changes a person. A new role or state ends the person's sessions, on every node within a second. `changed` false:
 * everything was already so. Refuses to let people suspend themselves or give up their own role, so that nobody locks
 * the last admin out.
 */
export async function changePerson(
	tx: Query,
	by: Operator,
	name: string,
	wish: PersonWish,
): Promise<{ readonly person: Person; readonly changed: boolean } | Refusal<"not_found" | "not_possible_now">> {
	const person = await lockPerson(tx, name);
	if (person === null) return refuse("not_found", `There is no person named ${JSON.stringify(name)}.`);
	const role = wish.role ?? person.role;
	const state = stateOf(person, wish.state);
	const email = wish.email === undefined ? person.email : wish.email;
	const isCut = role !== person.role || state !== person.state;
	if (isCut && by.session?.personId === person.personId) {
		return refuse("not_possible_now", "You cannot change your own role or state: ask another admin.");
	}
	if (!isCut && email === person.email) return { person, changed: false };
	await updatePerson(tx, person.personId, { role, state, email });
	if (isCut) await endSessionsOf(tx, person.personId);
	return { person: must(await findPerson(tx, name), "the person"), changed: true };
}

/** Only a suspended person is resumed: as invited, without a password and an account at the provider. */
const stateOf = ({ state, password, isProvided }: Person, wished: PersonWish["state"]): Person["state"] => {
	if (wished !== "active") return wished ?? state;
	if (state !== "suspended") return state;
	return password === null && !isProvided ? "invited" : "active";
};
