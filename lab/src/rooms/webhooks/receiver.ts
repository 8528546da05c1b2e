import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { freePort } from "../../ground/ports.ts";
import type { Answer, PostNote } from "./notes.ts";
import { isSignedWith } from "./signature.ts";

/** A receiver of webhooks on this machine. */
export interface Receiver {
	readonly url: string;
	/** Registers its endpoint's secret, by which it verifies signatures from now on. */
	know(endpointId: string, secret: string): void;
	/** Resets the connections of posts without an answer; others are not touched. */
	cut(): void;
	close(): Promise<void>;
}

/** Seconds that a 429 asks for: more than the first delay of the schedule, so that ignoring it shows. */
const RETRY_AFTER_S = 7;
/** Milliseconds for which idle connections are kept: longer than by the service, so that no post hits a closing one. */
const KEEP_IDLE_MS = 30_000;
const MS = 1_000;
const TOO_MANY = 429;

/** `answer`: the answer to the next post; `note`: called with each post before it is answered. */
export async function openReceiver(
	address: string,
	answer: () => Answer,
	note: (post: PostNote) => void,
): Promise<Receiver> {
	const sockets = new Set<Socket>();
	const hanging = new Set<Socket>();
	let endpointId = "";
	let secret = "";
	const take = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
		const header = (name: string): string => String(request.headers[name] ?? "");
		const [id, timestamp] = [header("webhook-id"), header("webhook-timestamp")];
		const given = answer();
		const retryAfter = given === TOO_MANY ? RETRY_AFTER_S : null;
		note({
			what: "post",
			endpointId,
			eventId: id,
			digest: createHash("sha256").update(body).digest("hex"),
			signed: isSignedWith(secret, {
				id,
				timestamp,
				signature: header("webhook-signature"),
				body,
			}),
			aheadMs: /^\d+$/.test(timestamp) ? Number(timestamp) * MS - Date.now() : null,
			answer: given,
			retryAfter,
		});
		if (given === "hang") return void hanging.add(request.socket);
		if (given === "reset") return void request.socket.destroy();
		response.writeHead(given, retryAfter === null ? {} : { "retry-after": String(retryAfter) }).end(`answer ${given}`);
	};
	const server = createServer({ keepAliveTimeout: KEEP_IDLE_MS }, (request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("error", () => undefined); // reset before it was complete: does not count
		response.on("error", () => undefined);
		request.on("end", () => take(request, response, Buffer.concat(chunks)));
	});
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("close", () => {
			sockets.delete(socket);
			hanging.delete(socket);
		});
		socket.on("error", () => undefined);
	});
	const port = await freePort();
	server.listen(port, address);
	await once(server, "listening");
	const destroy = (some: ReadonlySet<Socket>): void => {
		for (const socket of some) socket.destroy();
	};
	return {
		url: `http://${address}:${port}/hook`,
		know: (itsId, itsSecret) => {
			endpointId = itsId;
			secret = itsSecret;
		},
		cut: () => destroy(hanging),
		close: async () => {
			const closed = once(server, "close");
			server.close();
			destroy(sockets);
			await closed;
		},
	};
}
