import { hash } from "node:crypto";
import type { ErrorCode } from "../../glossary.ts";
import { withoutSecrets } from "../../ground/lib/mask-secrets.ts";
import { statusOf } from "../http/errors.ts";
import type { UploadedFile } from "../http/form.ts";

/** Replaces a secret value in the audit log. */
const MASKED = "***";
/** Fields of bodies whose values are not written down, wherever they are. */
const MASKED_FIELDS: ReadonlySet<string> = new Set([
	"password",
	"current_password",
	"one_time_code",
	"token",
	"secret",
	"passphrase",
	// not a secret, but a customer's address, which the log would keep forever
	"customer_email",
]);

/**
 * A body as the audit log keeps it: secrets are masked, even where they were put by mistake, such as a whole token as
 * the name of a key; everything else is unchanged.
 */
export function masked(body: unknown): unknown {
	if (typeof body === "string") return withoutSecrets(body);
	if (Array.isArray(body)) return body.map(masked);
	if (typeof body !== "object" || body === null) return body;
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [name, MASKED_FIELDS.has(name) ? MASKED : masked(value)]),
	);
}

/** A body with the names, sizes and digests of its files. */
export function withFiles(body: unknown, files: readonly UploadedFile[]): unknown {
	if (files.length === 0) return body;
	const described = files.map(({ name, bytes }) => ({
		name,
		bytes: bytes.length,
		sha256: hash("sha256", bytes, "hex"),
	}));
	return { ...(body as object | undefined), files: described };
}

/**
 * The statuses of refusals that the audit log records, because the request was understood (operator contract, section
 * 8).
 */
const RECORDED: ReadonlySet<number> = new Set([401, 403, 409, 412]);

export const isRecorded = (code: ErrorCode): boolean => RECORDED.has(statusOf(code));
