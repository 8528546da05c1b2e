import type { SandboxRequest } from "../../client/types.ts";
import { instant } from "../terminal.ts";

/** A request on one line. */
export function lineOf(request: SandboxRequest): string {
	const { at, status, code, method, url, ms, requestId, idempotencyKey, message } = request;
	const answered = code === null ? String(status) : `${status} ${code}`;
	const key = idempotencyKey ? `, Idempotency-Key ${idempotencyKey}` : ""; // an older service does not send it
	const why = message === null ? "" : `: ${message}`;
	return `${instant(at)} ${answered} ${method} ${url} in ${ms} ms, ${requestId}${key}${why}`;
}

/** A request with both bodies, and why it was refused. */
export function describeRequest(request: SandboxRequest): string {
	const { body, reply, explanation, message } = request;
	return [
		lineOf(request),
		...explanation.filter((sentence) => sentence !== message).map((sentence) => `  ${sentence}`),
		...(body === null ? [] : ["", "Sent:", body]),
		...(reply === null ? [] : ["", "Answered:", reply]),
	].join("\n");
}
