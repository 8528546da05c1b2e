import type { Query } from "../../ground/pg/connect.ts";
import { type ListedBuffer, selectAllBuffers } from "./list-buffers-sql.ts";

/** Every safety buffer, by formula and brand. */
export async function listBuffers(db: Query): Promise<ListedBuffer[]> {
	return await selectAllBuffers(db);
}
