import type { Query } from "../../ground/pg/connect.ts";
import { replaceRecoveryCodes } from "./factor-sql.ts";
import { digestOfSecret, newRecoveryCodes } from "./one-time.ts";

/** New recovery codes; the earlier ones end. */
export async function renewRecoveryCodes(tx: Query, personId: string): Promise<readonly string[]> {
	const codes = newRecoveryCodes();
	await replaceRecoveryCodes(tx, personId, codes.map(digestOfSecret));
	return codes;
}
