import type { Query } from "../../ground/pg/connect.ts";
import { type AuditedWrite, selectWritesAbout } from "./audit-sql.ts";

export type { AuditedWrite };

/** The writes of operators about things with these names, without refused ones, oldest first. */
export const listWrites = (db: Query, things: readonly string[]): Promise<AuditedWrite[]> =>
	selectWritesAbout(db, things);
