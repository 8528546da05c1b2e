import type { Query } from "../../ground/pg/connect.ts";
import { selectFactors } from "./factor-sql.ts";
import { endOtherSessionsOf } from "./session-sql.ts";

/** A person, and the session in which the person does something. */
export interface SessionOfPerson {
	readonly personId: string;
	readonly sessionId: string | null;
}

/**
 * Prepares a locked person's first second factor: the sessions that were begun without one end, but for the one in
 * which it is added. Otherwise whoever has signed in with the password alone would be taken for somebody who has shown
 * the factor. Nothing happens if the person has factors.
 */
export async function beginFactors(tx: Query, { personId, sessionId }: SessionOfPerson): Promise<void> {
	if ((await selectFactors(tx, personId)).length === 0) await endOtherSessionsOf(tx, personId, sessionId);
}
