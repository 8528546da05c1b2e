import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as a collector gets it. */
export interface Collected {
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly name: string;
	readonly kind: number;
	readonly startTimeUnixNano: string;
	readonly endTimeUnixNano: string;
	/** The attributes by name, as texts. */
	readonly attributes: ReadonlyMap<string, string>;
	readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
	readonly status?: { readonly code: number };
}

interface Sent {
	readonly resourceSpans: readonly {
		readonly scopeSpans: readonly { readonly spans: readonly (Omit<Collected, "attributes"> & SentAttributes)[] }[];
	}[];
}
interface SentAttributes {
	readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string | boolean>> }[];
}

/** A collector on this machine, with what it was sent. */
export interface Collector {
	readonly url: string;
	/** Path, type and body of each request. */
	readonly requests: { readonly path: string; readonly type: string; readonly body: string }[];
	spans(): Collected[];
	close(): Promise<void>;
}

/** `answers`: whether it answers at all, and with which status. */
export async function openCollector(answers: "never" | number = 200): Promise<Collector> {
	const requests: Collector["requests"] = [];
	const listener: RequestListener = (request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("error", () => undefined);
		request.on("end", () => {
			const body = Buffer.concat(chunks).toString("utf8");
			requests.push({ path: request.url ?? "", type: request.headers["content-type"] ?? "", body });
			if (answers !== "never")
				response.writeHead(answers, { "content-type": "application/json" }).end('{"partialSuccess":{}}');
		});
	};
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		spans: () =>
			requests
				.flatMap(({ body }) => (JSON.parse(body) as Sent).resourceSpans)
				.flatMap(({ scopeSpans }) => scopeSpans)
				.flatMap(({ spans }) => spans)
				.map((span) => ({
					...span,
					attributes: new Map(span.attributes.map(({ key, value }) => [key, String(Object.values(value)[0])])),
				})),
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
