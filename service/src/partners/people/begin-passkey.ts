import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { CHALLENGE_MINUTES } from "./limits.ts";
import { newSecret } from "./one-time.ts";
import { insertChallenge } from "./passkey-sql.ts";
import { NO_RELYING_PARTY, type RelyingParty, relyingPartyOf } from "./relying-party.ts";

/** The relying party of an address, or a refusal that says what is missing. */
export const requireRelyingParty = (adminUrl: string): RelyingParty | Refusal<"not_possible_now"> =>
	relyingPartyOf(adminUrl) ?? refuse("not_possible_now", NO_RELYING_PARTY);

/** Makes a challenge that a passkey must sign. `personId`: who adds one; null: somebody signs in. */
export async function beginPasskey(
	db: Query,
	{ id }: RelyingParty,
	personId: string | null,
): Promise<{ readonly challenge: string; readonly rp_id: string; readonly timeout_seconds: number }> {
	const challenge = newSecret();
	await insertChallenge(db, challenge, personId);
	return { challenge, rp_id: id, timeout_seconds: CHALLENGE_MINUTES * 60 };
}
