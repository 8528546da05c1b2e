import type { Query } from "../../ground/pg/connect.ts";
import { clearLate, selectLate, setLate } from "./late-sql.ts";

/**
 * Has one event of a sandbox endpoint be late: new events wait for so many seconds until this finds one of them. That
 * one is sent late, and the others at once. To be called again every few seconds until it returns the id of the
 * delivery; null: there was no event yet. If nobody calls it again, it ends by itself.
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

/** Has no further event of a partner's sandbox endpoints be late. */
export const sendLateNoMore = async (tx: Query, partnerId: string): Promise<void> => {
	await clearLate(tx, partnerId);
};
