import type { Task } from "../../ground/lib/task.ts";
import type { Database } from "../../ground/pg/connect.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import { sealAudit } from "./seal-audit.ts";

/** Milliseconds between two searches for days that are over. */
const SEAL_EVERY_MS = 600_000;

const SEAL_AUDIT: Task<{ readonly db: Database; readonly ring: KeyRing }> = {
	name: "seal_audit_log",
	everyMs: SEAL_EVERY_MS,
	failure: "past days of the audit log could not be sealed",
	run: ({ db, ring }) => sealAudit(db, ring),
};

export const OPERATOR_TASKS = [SEAL_AUDIT] as const;
