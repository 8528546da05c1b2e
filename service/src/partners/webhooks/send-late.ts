import type { Query } from "../../ground/pg/connect.ts";
import { clearLate, selectLate, setLate } from "./late-sql.ts";

/**
 * Makes one event of a sandbox endpoint late. New events wait for `seconds`, until a call finds one of them: that one
 * is sent late, and the others at once. Call it every few seconds until it returns the id of the delivery; null: there
 * was no event yet. Without further calls the waiting ends by itself.
 */
export async function sendLate(
	tx: Query,
	endpointId: string,
	{ since, seconds }: { readonly since: Date; readonly seconds: number },
): Promise<string | null> {
	await setLate(tx, endpointId, seconds); // locks the endpoint first, as its sender does
	const late = await selectLate(tx, endpointId, since);
	if (late !== null) await setLate(tx, endpointId, 0);
	return late;
}

/** Makes no further event of a partner's sandbox endpoints late. */
export const sendLateNoMore = async (tx: Query, partnerId: string): Promise<void> => {
	await clearLate(tx, partnerId);
};
