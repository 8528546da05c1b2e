import type { Query } from "../../ground/pg/connect.ts";
import { deleteDemandOf } from "./set-demand-sql.ts";

/** Deletes all demand under a reference, of every formula and pool. Returns how many entries were deleted. */
export const clearDemand = async (db: Query, reference: string): Promise<number> => deleteDemandOf(db, reference);
