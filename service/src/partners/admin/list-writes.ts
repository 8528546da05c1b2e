import type { Query } from "../../ground/pg/connect.ts";
import { type AuditedWrite, selectWritesAbout } from "./audit-sql.ts";

/** The writes that operators carried out on objects with these names, oldest first. */
export const listWrites = (db: Query, things: readonly string[]): Promise<AuditedWrite[]> =>
	selectWritesAbout(db, things);
