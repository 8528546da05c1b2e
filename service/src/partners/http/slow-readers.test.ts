import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { endSlowReaders } from "./slow-readers.ts";

/** More than the buffers on both sides can hold. */
const REPLY_BYTES = 32 * 1024 * 1024;
const LOOK_EVERY_MS = 1_000;
/** Milliseconds without progress that end a connection. On a busy machine, a reader makes none for a while. */
const SILENT_MS = 2_000;

let server: Server;
/** Connections that the server ever had. */
let arrived = 0;
const callers: Socket[] = [];
afterEach(async () => {
	for (const caller of callers.splice(0)) caller.destroy();
	server.closeAllConnections();
	await new Promise((resolve) => server.close(resolve));
});

/** A server whose replies are long, and its connections. */
async function open(everyMs: number, timeoutMs: number): Promise<Set<Socket>> {
	const reply = Buffer.alloc(REPLY_BYTES, "x");
	server = createServer((_, response) => void response.end(reply));
	server.setTimeout(timeoutMs);
	endSlowReaders(server, everyMs);
	const sockets = new Set<Socket>();
	arrived = 0;
	server.on("connection", (socket) => {
		arrived++;
		sockets.add(socket);
		socket.on("error", () => undefined);
		socket.once("close", () => sockets.delete(socket));
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return sockets;
}

/** Requests the reply. */
function ask(): Socket {
	const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
	caller.on("error", () => undefined);
	callers.push(caller);
	caller.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
	return caller;
}

it("a reply that nobody reads ends with its connection, without one more byte on its way", async () => {
	const sockets = await open(60_000, SILENT_MS);
	const unread = Array.from({ length: 20 }, ask);
	const read = ask();
	read.resume();
	await expect.poll(() => arrived).toBe(unread.length + 1); // some may be gone again by now
	await expect.poll(() => sockets.size).toBe(1);
	await expect.poll(() => read.bytesRead).toBeGreaterThan(REPLY_BYTES);
	for (const caller of unread) {
		const closed = new Promise<boolean>((resolve) => caller.once("close", resolve));
		caller.resume();
		expect(await closed).toBe(true); // with an error: it was reset, and no data was kept for it
	}
});

it("a reader who takes a little now and then is cut off too, and one who takes enough is not", async () => {
	const sockets = await open(LOOK_EVERY_MS, 60_000);
	const slow = ask();
	slow.pause();
	const drips = setInterval(() => slow.read(1), LOOK_EVERY_MS / 20);
	const steady = ask();
	let taken = 0;
	steady.on("data", (chunk: Buffer) => {
		taken += chunk.length;
		steady.pause();
		setTimeout(() => steady.resume(), 1);
	});
	await expect.poll(() => taken).toBeGreaterThan(REPLY_BYTES);
	await expect.poll(() => sockets.size).toBe(1);
	clearInterval(drips);
	expect(slow.bytesRead).toBeLessThan(REPLY_BYTES);
});
