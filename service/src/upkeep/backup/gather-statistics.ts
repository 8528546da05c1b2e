import type { Query } from "../../ground/pg/connect.ts";
import { analyze } from "./sql.ts";
import { CARRIED } from "./tables.ts";

/** Tells the server how its tables look now: until then it plans as if they were empty. */
export async function gatherStatistics(db: Query): Promise<void> {
	await db.query(analyze(CARRIED));
}
