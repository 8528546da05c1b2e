import type { ErrorCode } from "../../glossary.ts";
import { statusOf } from "../http/errors.ts";

/** What stands in the audit log for a value that nobody may read. */
const MASKED = "***";
/** Fields of bodies that hold secrets, wherever they are. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(["password", "token", "secret", "code"]);

/** A body as the audit log keeps it: secrets masked, everything else as it was sent. */
export function masked(body: unknown): unknown {
	if (Array.isArray(body)) return body.map(masked);
	if (typeof body !== "object" || body === null) return body;
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [name, SECRET_FIELDS.has(name) ? MASKED : masked(value)]),
	);
}

/** Statuses of refusals that the audit log records: the request was understood (operator contract, section 8). */
const RECORDED: ReadonlySet<number> = new Set([401, 403, 409, 412]);

export const isRecorded = (code: ErrorCode): boolean => RECORDED.has(statusOf(code));
