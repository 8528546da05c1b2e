import type { Environment } from "../../glossary.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { patiently } from "../../ground/pg/patience.ts";
import { MAX_OF_BATCH } from "./limits.ts";
import type { Certificate } from "./record.ts";
import { selectOfBatch } from "./sql.ts";

export const NONE_OF_LOT = refuse("not_found", "There is no certificate of this lot.");

/** Every certificate of a batch number but drafts, whatever its product. */
export async function findBatch(
	db: Database,
	batchNumber: string,
	environment: Environment,
): Promise<readonly Certificate[] | Refusal<"not_found">> {
	const found = await patiently(() => selectOfBatch(db, batchNumber, environment, MAX_OF_BATCH));
	return found.length > 0 ? found : NONE_OF_LOT;
}
