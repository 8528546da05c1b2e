import type { Role } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { digestOfSecret, newSecret } from "./one-time.ts";
import type { Person } from "./person.ts";
import { findPerson, insertPerson, isPersonThere, lockPerson, setLink, updatePerson } from "./sql.ts";

export interface Invitation {
	readonly name: string;
	readonly role: Role;
	readonly email: string | undefined;
	/** Whoever invites, `operator:<name>`. */
	readonly by: string;
}

/**
 * Opens a set-up link for a person, who need not exist yet; an earlier link of theirs ends. The link is also the way
 * back in for a person who has lost everything. `secret` is the link's token. Refuses `not_possible_now`: the person is
 * suspended, or has another role.
 */
export async function invite(
	tx: Query,
	{ name, role, email, by }: Invitation,
): Promise<
	{ readonly person: Person; readonly secret: string; readonly isNew: boolean } | Refusal<"not_possible_now">
> {
	const isNew = await insertPerson(tx, {
		personId: newId(),
		name,
		email: email ?? null,
		role,
		mayChooseName: false,
		createdBy: by,
	});
	const person = must(await lockPerson(tx, name), "the person");
	if (person.state === "suspended") {
		return refuse("not_possible_now", `${person.name} is suspended: make ${person.name} active first.`);
	}
	if (person.role !== role) {
		const message = `${person.name} has the role ${person.role}: give that role, or change it first.`;
		return refuse("not_possible_now", message);
	}
	if (!isNew && email !== undefined) await updatePerson(tx, person.personId, { ...person, email });
	const secret = await openLink(tx, person.personId);
	return { person: must(await findPerson(tx, name), "the person"), secret, isNew };
}

async function openLink(tx: Query, personId: string): Promise<string> {
	const secret = newSecret();
	await setLink(tx, personId, digestOfSecret(secret));
	return secret;
}

/** The name that the first admin has until another is chosen at the set-up link. */
const FIRST_NAME = "admin";

/** A set-up link for the first admin, who chooses a name at it; null: there are people already. */
export async function inviteFirst(tx: Query): Promise<string | null> {
	if (await isPersonThere(tx)) return null;
	const personId = newId();
	await insertPerson(tx, {
		personId,
		name: FIRST_NAME,
		email: null,
		role: "admin",
		mayChooseName: true,
		createdBy: "holdfast",
	});
	return await openLink(tx, personId);
}

/** A set-up link. The token is in the fragment, which browsers do not send. */
export const linkOf = (adminUrl: string, secret: string): string => `${adminUrl}/admin/set-up#${secret}`;
