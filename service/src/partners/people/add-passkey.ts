import { must } from "../../ground/lib/assert.ts";
import { newId } from "../../ground/lib/ids.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { acceptPasskey, challengeOf, type NewPasskeyWish } from "./accept-passkey.ts";
import { beginFactors, type SessionOfPerson } from "./begin-factors.ts";
import { selectFactors } from "./factor-sql.ts";
import { MAX_FACTORS } from "./limits.ts";
import { insertPasskey, useChallenge } from "./passkey-sql.ts";
import type { Factor } from "./person.ts";
import type { RelyingParty } from "./relying-party.ts";
import { firstRecoveryCodes } from "./renew-recovery-codes.ts";
import { lockPersonById } from "./sql.ts";

interface AddedPasskey {
	readonly factor: Factor;
	/** Recovery codes, which are made with a person's first factor and shown only this once; null: there are some. */
	readonly codes: readonly string[] | null;
}

/** Adds a passkey of a person. Refuses `not_possible_now` if there are too many factors. */
export async function addPasskey(
	tx: Query,
	party: RelyingParty,
	{ personId, sessionId }: SessionOfPerson,
	wish: NewPasskeyWish & { readonly name: string },
): Promise<AddedPasskey | Refusal<"invalid_input" | "not_possible_now">> {
	await lockPersonById(tx, personId);
	if ((await selectFactors(tx, personId)).length >= MAX_FACTORS) {
		return refuse("not_possible_now", `You have ${MAX_FACTORS} second factors already: remove one first.`);
	}
	const challenge = challengeOf(wish.clientData);
	const isOurs = await useChallenge(tx, challenge, personId);
	const accepted = isOurs ? await acceptPasskey(party, challenge, wish) : null;
	if (accepted === null) {
		return refuse("invalid_input", "/attestation: this does not answer the challenge; add the passkey again");
	}
	await beginFactors(tx, { personId, sessionId });
	const factorId = newId();
	if (!(await insertPasskey(tx, { factorId, personId, name: wish.name, ...accepted }))) {
		return refuse("not_possible_now", "This passkey has been added already.");
	}
	const factor = (await selectFactors(tx, personId)).find((one) => one.factorId === factorId);
	return { factor: must(factor, "the added factor"), codes: await firstRecoveryCodes(tx, personId) };
}
