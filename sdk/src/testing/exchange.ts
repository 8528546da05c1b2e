import type { IncomingMessage, ServerResponse } from "node:http";

/** The address that every request comes from. */
export const FROM = "127.0.0.1";

/** A request and the place for its reply, in the form in which the service's gate takes them from Node's server. */
export interface Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	/** Resolves with the reply. */
	readonly replied: Promise<Response>;
}

/** `now`: for the header Date, which Node's server adds to every reply; milliseconds since 1970. */
export function exchangeOf(asked: Request, body: Buffer | null, now: number): Exchange {
	const url = new URL(asked.url);
	const headers: Record<string, string> = { host: url.host, ...Object.fromEntries(asked.headers) };
	if (body !== null) headers["content-length"] = String(body.length);
	const socket = {};
	const request = {
		method: asked.method,
		url: url.pathname + url.search,
		headers,
		headersDistinct: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
		rawHeaders: Object.entries(headers).flat(),
		httpVersionMinor: 1,
		socket,
		on: eventsOf(body),
	};
	let settle: (reply: Response) => void = () => undefined;
	const replied = new Promise<Response>((resolve) => {
		settle = resolve;
	});
	const head = { status: 0, headers: new Headers({ date: new Date(now).toUTCString() }) };
	const response = {
		req: request,
		headersSent: false,
		destroyed: false,
		once: () => response,
		writeHead(status: number, given: readonly string[]) {
			response.headersSent = true;
			head.status = status;
			for (let at = 0; at + 1 < given.length; at += 2) head.headers.append(given[at] ?? "", given[at + 1] ?? "");
		},
		end(content?: string | Uint8Array<ArrayBuffer>) {
			const isBare = asked.method === "HEAD" || content === undefined;
			settle(new Response(isBare ? null : content, head));
		},
	};
	return {
		request: request as unknown as IncomingMessage,
		response: response as unknown as ServerResponse,
		replied,
	};
}

type Listener = (chunk?: Buffer) => void;

/** The body's events, sent once somebody listens for the end. */
function eventsOf(body: Buffer | null): (event: string, listener: Listener) => void {
	let onData: Listener = () => undefined;
	return (event, listener) => {
		if (event === "data") onData = listener;
		if (event !== "end") return;
		queueMicrotask(() => {
			if (body !== null && body.length > 0) onData(body);
			listener();
		});
	};
}
