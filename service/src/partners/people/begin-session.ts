import { newId } from "../../ground/lib/ids.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { MAX_USER_AGENT } from "./limits.ts";
import { digestOfSecret, newSecret } from "./one-time.ts";
import { insertSession } from "./session-sql.ts";

/** Where a sign-in comes from. */
export interface Browser {
	readonly address: string;
	readonly userAgent: string | undefined;
}

export interface BegunSession {
	readonly sessionId: string;
	/** For the cookie alone; stored nowhere. */
	readonly secret: string;
}

/**
 * Begins a session of a person. `byProvider`: who has signed in at a provider, which counts as a second factor.
 * `insteadOf`: the id of a session that it goes on with, and whose sign-in is its own.
 */
export async function beginSession(
	tx: Query,
	personId: string,
	{ address, userAgent = "" }: Browser,
	{ byProvider = false, insteadOf = null }: { readonly byProvider?: boolean; readonly insteadOf?: string | null } = {},
): Promise<BegunSession> {
	const secret = newSecret();
	const sessionId = newId();
	const digest = digestOfSecret(secret);
	const kept = userAgent.slice(0, MAX_USER_AGENT);
	await insertSession(tx, { sessionId, digest, personId, address, userAgent: kept, byProvider, insteadOf });
	return { sessionId, secret };
}
