import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { newRequestId } from "../../ground/lib/ids.ts";
import { errorBody } from "./errors.ts";
import type { HelpLinks } from "./help-links.ts";
import { MAX_HEADER_BYTES } from "./limits.ts";
import { replyOn } from "./node-internals.ts";

type RawStatus = 400 | 405 | 408 | 431;

/** The parts of every such reply that depend on the address. */
export interface RawFacts {
	readonly apiDate: string;
	readonly help: HelpLinks;
}

/** Answers input that Node could not parse as HTTP, with the usual envelope and headers, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, facts: RawFacts): RawStatus | null {
	const working = replyOn(socket);
	if (error.code === "ECONNRESET" || !socket.writable) {
		socket.destroy();
		return null;
	}
	// invalid input after a request that was answered, or is being answered: that reply is the connection's last
	if (working?.writableEnded) {
		socket.end();
		return null;
	}
	if (working?.headersSent || working?.req.complete) {
		working.shouldKeepAlive = false;
		working.once("close", () => socket.destroy());
		return null;
	}
	const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
	const message = {
		400: "The request is not valid HTTP/1.1.",
		408: "The request did not arrive in time.",
		431: `The request's headers are larger than ${MAX_HEADER_BYTES} bytes.`,
	}[status];
	// a handler already started for this request must not write after us, so the answer goes out as its reply
	if (working === undefined) answerRaw(socket, status, message, facts);
	else answerOn(working, status, message, facts);
	return status;
}

/** CONNECT is treated as a method that no path supports. */
export function answerConnect(socket: Socket, facts: RawFacts): void {
	// Node hands over the bare socket: without a listener, a disconnect would end the process
	socket.on("error", () => socket.destroy());
	answerRaw(socket, 405, "CONNECT is not supported.", facts, "Allow: GET, POST\r\n");
}

function answerOn(response: ServerResponse, status: RawStatus, message: string, facts: RawFacts): void {
	const body = errorBody("bad_request", message);
	response.writeHead(status, headersOf(body, facts).flat());
	response.end(body);
}

function answerRaw(socket: Socket, status: RawStatus, message: string, facts: RawFacts, more = ""): void {
	const body = errorBody("bad_request", message);
	const lines = headersOf(body, facts).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}${more}\r\n${body}`);
}

const headersOf = (body: string, { apiDate, help }: RawFacts): [name: string, value: string][] => [
	["Content-Type", "application/json; charset=utf-8"],
	["Content-Length", String(Buffer.byteLength(body))],
	["Cache-Control", "no-store"],
	["Link", help.of("bad_request")],
	["X-Content-Type-Options", "nosniff"],
	["X-Partner-Version", apiDate],
	["X-Request-Id", newRequestId()],
	["Connection", "close"],
];
