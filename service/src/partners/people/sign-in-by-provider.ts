import type { Role } from "../../glossary.ts";
import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { recordWrite } from "../admin/mount-write.ts";
import { type Browser, beginSession } from "./begin-session.ts";
import type { Person } from "./person.ts";
import type { Provider } from "./provider.ts";
import type { ProvidedPerson } from "./provider-claims.ts";
import { endSessionsOf } from "./session-sql.ts";
import { countFailure, findThrottle, type SignedInPerson, type SignInDeps, signInEntry } from "./sign-in.ts";
import { bindToProvider, insertPerson, lockByProvider, lockPerson, updatePerson } from "./sql.ts";

interface ProviderSignInWish extends Browser {
	readonly secret: string;
	/** The query with which the browser came back from the provider. */
	readonly query: string;
	readonly requestId: string;
}

type ProviderRefusal = Refusal<"unauthorized" | "forbidden" | "rate_limited" | "retry">;

/**
 * Signs in a person who has signed in at the provider. A person whom it shows for the first time gets an account; an
 * invited one without a password keeps the account of the invitation. The role is that of the claim at each sign-in.
 */
export async function signInByProvider(
	{ db, failures }: Pick<SignInDeps, "db" | "failures">,
	provider: Provider,
	adminUrl: string,
	wish: ProviderSignInWish,
): Promise<SignedInPerson | ProviderRefusal> {
	const { address } = wish;
	const throttled = findThrottle(failures, { address });
	if (throttled !== null) return throttled;
	const provided = await provider.end(adminUrl, wish);
	const done = isRefusal(provided) ? provided : await transaction(db, (tx) => begin(tx, provided, wish));
	if (isRefusal(done) && done.refusal === "unauthorized") countFailure(failures, { address });
	return done;
}

async function begin(
	tx: Query,
	provided: ProvidedPerson,
	wish: ProviderSignInWish,
): Promise<SignedInPerson | Refusal<"unauthorized" | "forbidden">> {
	const { role, name } = provided;
	if (role === null) return await refuseWithoutRole(tx, provided, wish);
	const person = await findOrMake(tx, { ...provided, role });
	if (person === null) return await refuseTaken(tx, name, wish);
	if (person.state === "suspended") {
		const outcome = { credential: null, status: 401, code: "unauthorized" } as const;
		await recordWrite(tx, signInEntry(person, wish, outcome));
		return refuse("unauthorized", "Wrong.");
	}
	if (person.role !== role) await endSessionsOf(tx, person.personId);
	const email = provided.email ?? person.email;
	await updatePerson(tx, person.personId, { role, state: "active", email });
	const now: Person = { ...person, role, email, state: "active" };
	const { sessionId, secret } = await beginSession(tx, person.personId, wish, { byProvider: true });
	await recordWrite(tx, signInEntry(now, wish, { credential: sessionId, status: 200, code: null }));
	return { person: now, secret };
}

/** Null: the name is another person's. */
async function findOrMake(
	tx: Query,
	{ subject, name, email, role }: ProvidedPerson & { readonly role: Role },
): Promise<Person | null> {
	const known = await lockByProvider(tx, subject);
	if (known !== null) return known;
	const by = "operator:provider";
	const personId = newId();
	await insertPerson(tx, { personId, name, email, role, mayChooseName: false, createdBy: by });
	return (await bindToProvider(tx, name, subject)) ? await lockPerson(tx, name) : null;
}

const FORBIDDEN = { credential: null, status: 403, code: "forbidden" } as const;

/** The provider has taken the role away: the sessions that the person still has end, as after a change of the role. */
async function refuseWithoutRole(
	tx: Query,
	{ subject, name }: ProvidedPerson,
	wish: ProviderSignInWish,
): Promise<Refusal<"forbidden">> {
	const person = await lockByProvider(tx, subject);
	if (person !== null) {
		await endSessionsOf(tx, person.personId);
		await recordWrite(tx, signInEntry(person, wish, FORBIDDEN));
	}
	return refuse("forbidden", `The provider gives ${name} no role here: viewer, warehouse, operator or admin.`);
}

/**
 * A provider must not take over an account that somebody else has a password for. The refusal is recorded in the audit
 * log under the name, as a sign-in with a wrong password is.
 */
async function refuseTaken(tx: Query, name: string, wish: ProviderSignInWish): Promise<Refusal<"forbidden">> {
	const owner = await lockPerson(tx, name);
	if (owner !== null) await recordWrite(tx, signInEntry(owner, wish, FORBIDDEN));
	return refuse(
		"forbidden",
		`Another person here is named ${JSON.stringify(name)}. Ask an admin for another name at the provider.`,
	);
}
