/**
 * A local receiver of webhooks, in a process of its own: answers 200 at once and records when each event came. Its
 * parent queries it by messages; `bare`: posts that undici alone sent.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type ReceiverQuestion = { readonly kind: "count" } | { readonly kind: "times" };
export type ReceiverMessage =
	| { readonly kind: "listening"; readonly port: number }
	| { readonly kind: "count"; readonly count: number; readonly lastAt: number }
	/** Milliseconds since 1970 of each event's first arrival, by event id. */
	| { readonly kind: "times"; readonly times: readonly (readonly [id: string, at: number])[] };

let count = 0;
let lastAt = 0;
const times = new Map<string, number>();

const server = createServer((request, response) => {
	request.on("data", () => undefined);
	request.on("end", () => {
		count++;
		lastAt = performance.timeOrigin + performance.now();
		const id = request.headers["webhook-id"];
		if (typeof id === "string" && !times.has(id)) times.set(id, lastAt);
		response.writeHead(200, { "content-length": 0 }).end();
	});
});
server.keepAliveTimeout = 60_000;

const tell = (message: ReceiverMessage): void => void process.send?.(message);
process.on("message", ({ kind }: ReceiverQuestion) => {
	if (kind === "count") return tell({ kind: "count", count, lastAt });
	tell({ kind: "times", times: [...times] });
	times.clear();
});
process.on("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => tell({ kind: "listening", port: (server.address() as AddressInfo).port }));
