import type { IncomingMessage } from "node:http";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";

const NO_HOST = refuse("bad_request", "The Host header is missing.");
const TWO_HOSTS = refuse("bad_request", "The request has two Host headers: expected one.");
const OTHER_CODING = refuse("bad_request", "Transfer-Encoding: expected chunked alone, or none.");
const TWO_CREDENTIALS = refuse("bad_request", "The request has two Authorization headers: expected one.");
const HOST_LENGTH = 4;
const AUTHORIZATION_LENGTH = 13;

/**
 * Why a request is ambiguous: a proxy before us may have read another host, another key or another end of its body than
 * Node did (RFC 9112, sections 3.2 and 6.1; RFC 9110, section 5.3; settlements, section 12). The connection ends with
 * the refusal.
 */
export function framingProblem({
	headers,
	rawHeaders,
	httpVersionMinor,
}: IncomingMessage): Refusal<"bad_request"> | null {
	if (headers.host === undefined && httpVersionMinor > 0) return NO_HOST;
	let hosts = 0;
	let credentials = 0;
	// names and values in turn; `headers` keeps only the first Host and Authorization
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const name = rawHeaders[at] as string;
		if (name.length === HOST_LENGTH && name.toLowerCase() === "host") hosts++;
		else if (name.length === AUTHORIZATION_LENGTH && name.toLowerCase() === "authorization") credentials++;
	}
	if (hosts > 1) return TWO_HOSTS;
	if (credentials > 1) return TWO_CREDENTIALS;
	const coding = headers["transfer-encoding"];
	return coding === undefined || coding.toLowerCase() === "chunked" ? null : OTHER_CODING;
}
