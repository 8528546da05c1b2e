import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { auditEntry, recordWrite } from "../admin/mount-write.ts";
import { type Browser, beginSession } from "./begin-session.ts";
import { deleteFactors } from "./factor-sql.ts";
import { type StoredPassword, storePassword } from "./hash-password.ts";
import { digestOfSecret } from "./one-time.ts";
import { passwordProblem } from "./password.ts";
import { PERSON_NAME, type Person } from "./person.ts";
import { endSessionsOf } from "./session-sql.ts";
import type { SignedInPerson, SignInDeps } from "./sign-in.ts";
import { findByLink, lockByLink, lockPersonById, setUpPerson } from "./sql.ts";

export interface SetUpWish extends Browser {
	readonly token: string;
	readonly password: string;
	/** Only where the link lets its holder choose it. */
	readonly name: string | undefined;
	readonly requestId: string;
}

export const GONE =
	"This set-up link is not valid: it was used, is older than 15 minutes, or was replaced by a newer one. Ask for another: holdfast operators invite";

/** Whose link this is. */
export async function findInvited(db: Database, token: string): Promise<Person | Refusal<"not_found">> {
	return (await findByLink(db, digestOfSecret(token))) ?? refuse("not_found", GONE);
}

/**
 * Sets a person up with a password and signs them in. Everything that let them in before ends: sessions, second factors
 * and recovery codes. The link can be used once.
 */
export async function setUp(
	{ db, checks }: Pick<SignInDeps, "db" | "checks">,
	wish: SetUpWish,
): Promise<SignedInPerson | Refusal<"not_found" | "invalid_input" | "rate_limited">> {
	const found = await findInvited(db, wish.token);
	if (isRefusal(found)) return found;
	const name = wish.name ?? found.name;
	const wrong = problemOf(found, name, wish.password);
	if (wrong !== null) return refuse("invalid_input", wrong);
	const password = await checks.take(wish.address, () => storePassword(wish.password));
	if ("refusal" in password) return password;
	return await transaction(db, async (tx) => {
		const person = await lockByLink(tx, digestOfSecret(wish.token));
		if (person === null) return refuse("not_found", GONE);
		const { personId } = person;
		if (!(await setUpPerson(tx, personId, { name, password: password as StoredPassword })))
			return refuse("invalid_input", `/name: another person is named ${JSON.stringify(name)}: choose another name`);
		await deleteFactors(tx, personId);
		await endSessionsOf(tx, personId);
		const { sessionId, secret } = await beginSession(tx, personId, wish);
		const after = (await lockPersonById(tx, personId)) ?? person;
		const operator = { name, role: after.role, via: "session", credential: sessionId, address: wish.address } as const;
		const body = wish.name === undefined ? {} : { name };
		const outcome = { status: 200, code: null, request_id: wish.requestId };
		await recordWrite(tx, auditEntry(operator, { operation: "set_up", about: name, body, ...outcome }));
		return { person: after, secret };
	});
}

const NAME = new RegExp(PERSON_NAME, "u");

function problemOf({ mayChooseName, name: given }: Person, name: string, password: string): string | null {
	if (name !== given && !mayChooseName) return "/name: this link is for the name it was made with";
	if (!NAME.test(name)) return "/name: use letters, digits and . _ @ -, with a letter or a digit first";
	const problem = passwordProblem(password, name);
	return problem === null ? null : `/password: it ${problem}`;
}
