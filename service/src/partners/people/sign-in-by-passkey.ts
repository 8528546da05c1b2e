import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { transaction } from "../../ground/pg/transaction.ts";
import { recordWrite } from "../admin/mount-write.ts";
import { acceptPasskeyAnswer, challengeOf, type PasskeyAnswer } from "./accept-passkey.ts";
import { type Browser, beginSession } from "./begin-session.ts";
import { findPasskey, lockPasskey, notePasskeyUse, useChallenge } from "./passkey-sql.ts";
import type { RelyingParty } from "./relying-party.ts";
import { countFailure, findThrottle, type SignedInPerson, type SignInDeps, signInEntry } from "./sign-in.ts";
import { lockPersonById } from "./sql.ts";

interface PasskeySignInWish extends Browser, PasskeyAnswer {
	readonly requestId: string;
}

/**
 * Signs a person in by a passkey whose device has verified the person, which is a whole sign-in (operator contract,
 * section 2). A challenge is used up whether or not its answer is accepted.
 */
export async function signInByPasskey(
	{ db, failures }: Pick<SignInDeps, "db" | "failures">,
	party: RelyingParty,
	wish: PasskeySignInWish,
): Promise<SignedInPerson | Refusal<"unauthorized" | "rate_limited">> {
	const { address, credentialId } = wish;
	const throttled = findThrottle(failures, { address });
	if (throttled !== null) return throttled;
	const found = await findPasskey(db, credentialId);
	const done =
		found === null
			? refuse("unauthorized", "Wrong.")
			: await transaction(db, (tx) => checkAndBegin(tx, party, found.personId, wish));
	if (isRefusal(done)) countFailure(failures, { address });
	return done;
}

async function checkAndBegin(
	tx: Query,
	party: RelyingParty,
	personId: string,
	wish: PasskeySignInWish,
): Promise<SignedInPerson | Refusal<"unauthorized">> {
	const person = await lockPersonById(tx, personId);
	const passkey = await lockPasskey(tx, wish.credentialId);
	if (passkey === null || person === null) return refuse("unauthorized", "Wrong.");
	const challenge = challengeOf(wish.clientData);
	const isOurs = await useChallenge(tx, challenge, null);
	const counter = isOurs ? await acceptPasskeyAnswer(party, challenge, passkey, wish) : null;
	if (counter === null || person.state !== "active") {
		const outcome = { credential: null, status: 401, code: "unauthorized" } as const;
		await recordWrite(tx, signInEntry(person, wish, outcome));
		return refuse("unauthorized", "Wrong.");
	}
	await notePasskeyUse(tx, passkey.factorId, counter);
	const { sessionId, secret } = await beginSession(tx, personId, wish);
	await recordWrite(tx, signInEntry(person, wish, { credential: sessionId, status: 200, code: null }));
	return { person, secret };
}
