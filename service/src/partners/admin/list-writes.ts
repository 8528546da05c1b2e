import type { Query } from "../../ground/pg/connect.ts";
import { type AuditedWrite, selectWritesAbout } from "./audit-sql.ts";

export type { AuditedWrite };

/** What operators wrote about things with these names, without what was refused, oldest first. */
export const listWrites = (db: Query, things: readonly string[]): Promise<AuditedWrite[]> =>
	selectWritesAbout(db, things);
