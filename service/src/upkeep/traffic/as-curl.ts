import type { LoggedRequest } from "./list-sql.ts";

/** Stands for the key, whose secret half the log does not have. */
const KEY = '"Authorization: Bearer $HOLDFAST_KEY"';
const NO_BODY = "'<the body, which is not kept for live keys>'";
/** A request as a curl command. `base`: the public address at which it arrived, without a slash at the end. */
export function asCurl(request: LoggedRequest, base: string): string {
	const { method, url, date_sent, idempotency_key, body_in, bytes_in } = request;
	const parts = [`curl -X ${method} ${quoted(base + url)}`, `-H ${KEY}`];
	if (date_sent !== null) parts.push(`-H ${quoted(`X-Partner-Version: ${date_sent}`)}`);
	if (idempotency_key !== null) parts.push(`-H ${quoted(`Idempotency-Key: ${idempotency_key}`)}`);
	if (bytes_in > 0) {
		parts.push("-H 'Content-Type: application/json'", `--data-raw ${body_in === null ? NO_BODY : quoted(body_in)}`);
	}
	return parts.join(" \\\n  ");
}

/** For a POSIX shell: within single quotes nothing but the quote itself is special. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
