import type { Query } from "../../ground/pg/connect.ts";
import { deleteDemandOf } from "./set-demand-sql.ts";

/** Takes away all demand under a reference, of every formula and pool. Returns how many entries there were. */
export const clearDemand = async (db: Query, reference: string): Promise<number> => deleteDemandOf(db, reference);
