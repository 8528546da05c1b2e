import type { Query } from "../../ground/pg/connect.ts";
import { countRecoveryCodes, replaceRecoveryCodes } from "./factor-sql.ts";
import { digestOfSecret, newRecoveryCodes } from "./one-time.ts";

/** New recovery codes; the earlier ones end. */
export async function renewRecoveryCodes(tx: Query, personId: string): Promise<readonly string[]> {
	const codes = newRecoveryCodes();
	await replaceRecoveryCodes(tx, personId, codes.map(digestOfSecret));
	return codes;
}

/** The recovery codes that are made with a person's first factor; null: the person has some. */
export const firstRecoveryCodes = async (tx: Query, personId: string): Promise<readonly string[] | null> =>
	(await countRecoveryCodes(tx, personId)) > 0 ? null : await renewRecoveryCodes(tx, personId);
