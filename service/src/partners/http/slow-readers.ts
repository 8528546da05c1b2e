import type { Server } from "node:http";
import type { Socket } from "node:net";
import { LEAST_READ_BYTES, LOOK_AT_READERS_EVERY_MS } from "./limits.ts";
import { writtenOn } from "./node-internals.ts";

/** Ends connections of callers that do not read their replies, and discards their queues, in the kernel too. */
export function endSlowReaders(server: Server, everyMs: number = LOOK_AT_READERS_EVERY_MS): void {
	/** Bytes sent until the last check, for the connections that still had bytes queued then. */
	let before = new Map<Socket, number>();
	const open = new Set<Socket>();
	server.on("connection", (socket: Socket) => {
		open.add(socket);
		socket.once("close", () => open.delete(socket));
	});
	// nothing was written or read for the server's `timeout`
	server.on("timeout", (socket: Socket) => drop(socket));
	const look = (): void => {
		const now = new Map<Socket, number>();
		for (const socket of open) {
			const handle = writtenOn(socket);
			if (!handle || handle.writeQueueSize === 0) continue;
			const left = handle.bytesWritten - handle.writeQueueSize;
			const last = before.get(socket);
			if (last !== undefined && left - last < LEAST_READ_BYTES) drop(socket);
			else now.set(socket, left);
		}
		before = now;
	};
	const timer = setInterval(look, everyMs).unref();
	server.once("close", () => clearInterval(timer));
}

/** A connection that is closed normally keeps its unread bytes for minutes; a reset one keeps none. */
function drop(socket: Socket): void {
	if ((writtenOn(socket)?.writeQueueSize ?? 0) > 0 || socket.writableLength > 0) socket.resetAndDestroy();
	else socket.destroy();
}
