import type { Database } from "../src/ground/pg/connect.ts";
import { transaction } from "../src/ground/pg/transaction.ts";
import { setStatusIn } from "../src/inventory/certificates/set-status.ts";

type Rest = Parameters<typeof setStatusIn> extends [unknown, ...infer More] ? More : never;

/** Sets the status of a certificate in a transaction of its own. */
export const setStatus = (db: Database, ...rest: Rest) => transaction(db, (tx) => setStatusIn(tx, ...rest));
