import type { SandboxRequest } from "../../client/types.ts";
import { instant } from "../terminal.ts";

/** A request on one line. */
export function lineOf({ at, status, code, method, url, ms, requestId, message }: SandboxRequest): string {
	const answered = code === null ? String(status) : `${status} ${code}`;
	const why = message === null ? "" : `: ${message}`;
	return `${instant(at)} ${answered} ${method} ${url} in ${ms} ms, ${requestId}${why}`;
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
