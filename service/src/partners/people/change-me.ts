import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type BegunSession, type Browser, beginSession } from "./begin-session.ts";
import { isPassword, type StoredPassword, storePassword } from "./hash-password.ts";
import { FAILED_SIGN_INS_PER_MINUTE } from "./limits.ts";
import { passwordProblem } from "./password.ts";
import type { Person } from "./person.ts";
import { endSessionsOf, selectSession } from "./session-sql.ts";
import type { SignInDeps } from "./sign-in.ts";
import { lockPersonById, setPassword, updatePerson } from "./sql.ts";

export interface MyWish {
	readonly email?: string | null | undefined;
	readonly password?: string | undefined;
	readonly current_password?: string | undefined;
}

/** A password that was checked and may replace the current one. */
export interface CheckedPassword {
	readonly stored: StoredPassword;
	/** The stored form of the current password that was checked. */
	readonly before: StoredPassword | null;
}

/**
 * Checks a new password before the transaction begins, because that takes long; undefined: none is asked for. Refuses
 * `invalid_input`: the current password is missing or wrong, or the new one is too weak.
 */
export async function checkNewPassword(
	{ checks, failures }: Pick<SignInDeps, "checks" | "failures">,
	{ name, personId, password: before }: Person,
	{ password, current_password: current }: MyWish,
): Promise<CheckedPassword | undefined | Refusal<"invalid_input" | "rate_limited">> {
	if (password === undefined) return undefined;
	const problem = passwordProblem(password, name);
	if (problem !== null) return refuse("invalid_input", `/password: it ${problem}`);
	if (current === undefined) return refuse("invalid_input", "/current_password: type the current password too");
	const guesses = `change of ${personId}`;
	const { allowed, seconds } = failures.look(guesses, FAILED_SIGN_INS_PER_MINUTE);
	if (!allowed) return refuse("rate_limited", `Too many wrong passwords. Try again in ${seconds} s.`, seconds);
	return (await checks.take(personId, async () => {
		if (await isPassword(current, before)) return { stored: await storePassword(password), before };
		failures.take(guesses, FAILED_SIGN_INS_PER_MINUTE);
		return refuse("invalid_input", "/current_password: this is not the current password");
	})) as CheckedPassword | Refusal<"invalid_input" | "rate_limited">;
}

/** Where a change of one's own row comes from. */
interface MyBrowser extends Browser {
	readonly sessionId: string | null;
}

/**
 * Changes one's own row. A new password ends every session; `begun` replaces this one; null: none was ended. It is no
 * sign-in, because nobody was asked for a second factor: the new session is as old as the one that it replaces.
 */
export async function changeMe(
	tx: Query,
	personId: string,
	{ email, checked, browser }: { email: MyWish["email"]; checked: CheckedPassword | undefined; browser: MyBrowser },
): Promise<{ begun: BegunSession | null; changed: boolean } | Refusal<"invalid_input" | "unauthorized">> {
	const person = must(await lockPersonById(tx, personId), "the person");
	const isNewEmail = email !== undefined && email !== person.email;
	if (isNewEmail) await updatePerson(tx, personId, { ...person, email });
	const begun = checked === undefined ? null : await replacePassword(tx, person, checked, browser);
	return isRefusal(begun) ? begun : { begun, changed: isNewEmail || begun !== null };
}

async function replacePassword(
	tx: Query,
	{ personId, password }: Person,
	{ stored, before }: CheckedPassword,
	browser: MyBrowser,
): Promise<BegunSession | Refusal<"invalid_input" | "unauthorized">> {
	// somebody may have ended it while the passwords were compared
	const session = browser.sessionId === null ? null : await selectSession(tx, personId, browser.sessionId);
	if (session?.endedAt !== null) return refuse("unauthorized", "This session has ended.");
	if (password?.hash !== before?.hash)
		return refuse("invalid_input", "/current_password: the password was changed meanwhile");
	await setPassword(tx, personId, stored);
	await endSessionsOf(tx, personId);
	return await beginSession(tx, personId, browser, { insteadOf: browser.sessionId });
}
