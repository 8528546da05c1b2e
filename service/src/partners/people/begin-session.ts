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

/** Begins a session of a person. */
export async function beginSession(
	tx: Query,
	personId: string,
	{ address, userAgent = "" }: Browser,
): Promise<BegunSession> {
	const secret = newSecret();
	const sessionId = newId();
	const digest = digestOfSecret(secret);
	await insertSession(tx, { sessionId, digest, personId, address, userAgent: userAgent.slice(0, MAX_USER_AGENT) });
	return { sessionId, secret };
}
