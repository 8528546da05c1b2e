import type { Query } from "../../ground/pg/connect.ts";
import { epochMs } from "../../ground/pg/query.ts";
import type { StoredPassword } from "./hash-password.ts";
import { LINK_MINUTES } from "./limits.ts";
import type { Person } from "./person.ts";

const COLUMNS = `person_id as "personId", name, email, role, state, password,
	provider_subject is not null as "isProvided", may_choose_name as "mayChooseName",
	${epochMs("link_expires_at")} as "linkExpiresAt", created_by as "createdBy", ${epochMs("created_at")} as "createdAt"`;

const one = async (db: Query, condition: string, values: readonly unknown[]): Promise<Person | null> =>
	(await db.query<Person>(`select ${COLUMNS} from operator_person where ${condition}`, [...values])).rows[0] ?? null;

/** A page of people by name. */
export const selectPeople = (db: Query, after: string | null, limit: number) =>
	db.query<Person>(
		`select ${COLUMNS} from operator_person where $1::text is null or lower(name) > lower($1) order by lower(name) limit $2`,
		[after, limit],
	);

/** The person with this name, whatever its case. */
export const findPerson = (db: Query, name: string): Promise<Person | null> =>
	one(db, "lower(name) = lower($1)", [name]);

export const findPersonById = (db: Query, personId: string): Promise<Person | null> =>
	one(db, "person_id = $1", [personId]);

export const lockPerson = (tx: Query, name: string): Promise<Person | null> =>
	one(tx, "lower(name) = lower($1) for update", [name]);

export const lockPersonById = (tx: Query, personId: string): Promise<Person | null> =>
	one(tx, "person_id = $1 for update", [personId]);

/** The person whom the provider knows by this subject. */
export const lockByProvider = (tx: Query, subject: string): Promise<Person | null> =>
	one(tx, "provider_subject = $1 for update", [subject]);

/** Gives an invited person without a password to a provider's subject; the set-up link ends. False: there is none. */
export async function bindToProvider(tx: Query, name: string, subject: string): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update operator_person set provider_subject = $2, link_digest = null, link_expires_at = null, may_choose_name = false
		  where lower(name) = lower($1) and state = 'invited' and password is null and provider_subject is null`,
		[name, subject],
	);
	return rowCount === 1;
}

/** The person whose set-up link has this digest, while the link is valid. */
export const findByLink = (db: Query, digest: Buffer): Promise<Person | null> =>
	one(db, "link_digest = $1 and link_expires_at > clock_timestamp() and state <> 'suspended'", [digest]);

export const lockByLink = (tx: Query, digest: Buffer): Promise<Person | null> =>
	one(tx, "link_digest = $1 and link_expires_at > clock_timestamp() and state <> 'suspended' for update", [digest]);

export const isPersonThere = async (db: Query): Promise<boolean> =>
	(await db.query("select 1 from operator_person limit 1")).rowCount === 1;

export type NewPerson = Pick<Person, "personId" | "name" | "email" | "role" | "mayChooseName" | "createdBy">;

/** False: the name is taken. */
export async function insertPerson(tx: Query, person: NewPerson): Promise<boolean> {
	const { personId, name, email, role, mayChooseName, createdBy } = person;
	const { rowCount } = await tx.query(
		`insert into operator_person (person_id, name, email, role, state, may_choose_name, created_by)
		 values ($1, $2, $3, $4, 'invited', $5, $6) on conflict do nothing`,
		[personId, name, email, role, mayChooseName, createdBy],
	);
	return rowCount === 1;
}

/** Opens a set-up link; an earlier one ends. */
export const setLink = (tx: Query, personId: string, digest: Buffer): Promise<unknown> =>
	tx.query(
		`update operator_person set link_digest = $2, link_expires_at = clock_timestamp() + make_interval(mins => $3)
		  where person_id = $1`,
		[personId, digest, LINK_MINUTES],
	);

/** A suspended person's link ends too. */
export const updatePerson = (
	tx: Query,
	personId: string,
	{ role, state, email }: Pick<Person, "role" | "state" | "email">,
): Promise<unknown> =>
	tx.query(
		`update operator_person set role = $2, state = $3, email = $4,
		        link_digest = case when $3 = 'suspended' then null else link_digest end,
		        link_expires_at = case when $3 = 'suspended' then null else link_expires_at end
		  where person_id = $1`,
		[personId, role, state, email],
	);

/** The person is active with this password, and the link has been used. False: the name is taken. */
export async function setUpPerson(
	tx: Query,
	personId: string,
	{ name, password }: { readonly name: string; readonly password: StoredPassword },
): Promise<boolean> {
	const { rowCount } = await tx.query(
		`update operator_person p set name = $2, password = $3, password_set_at = clock_timestamp(), state = 'active',
		        link_digest = null, link_expires_at = null, may_choose_name = false
		  where person_id = $1
		    and not exists (select 1 from operator_person o where lower(o.name) = lower($2) and o.person_id <> p.person_id)`,
		[personId, name, JSON.stringify(password)],
	);
	return rowCount === 1;
}

export const setPassword = (tx: Query, personId: string, password: StoredPassword): Promise<unknown> =>
	tx.query("update operator_person set password = $2, password_set_at = clock_timestamp() where person_id = $1", [
		personId,
		JSON.stringify(password),
	]);
