import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { allowedNetworks } from "./address-rules.ts";
import { createPoster, type Poster } from "./post.ts";

const WITHIN_MS = 5_000;
const never = new AbortController().signal;
const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of opened.splice(0)) await close();
});

/** A receiver that answers each request with arbitrary bytes; returns how many bytes it could send. */
async function openWire(answer: (socket: Socket) => void): Promise<{ readonly url: string; sent(): number }> {
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on("error", () => undefined);
		socket.on("data", () => answer(socket));
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	opened.push(async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	});
	const sent = (): number => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sent };
}

function openPoster(): Poster {
	const poster = createPoster({ allowed: allowedNetworks(["127.0.0.0/8"]), withinMs: WITHIN_MS });
	opened.push(() => poster.close());
	return poster;
}

/** Writes this repeatedly, as fast as it is read. */
function pour(socket: Socket, text: string): void {
	const chunk = text.repeat(Math.ceil(16_384 / text.length));
	const more = (): void => {
		while (!socket.destroyed && socket.write(chunk));
	};
	socket.on("drain", more);
	more();
}

const HEAD = "HTTP/1.1 200 OK\r\n";
const HOSTILE: readonly (readonly [string, (socket: Socket) => void])[] = [
	["interim answers without end", (socket) => pour(socket, "HTTP/1.1 102 Processing\r\n\r\n")],
	["early hints without end", (socket) => pour(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")],
	["headers without end", (socket) => (socket.write(HEAD), pour(socket, "x-a: b\r\n"))],
	["one header without end", (socket) => (socket.write(`${HEAD}x-a: `), pour(socket, "b"))],
	["a body without end", (socket) => (socket.write(`${HEAD}\r\n`), pour(socket, "b"))],
	[
		"chunks of one byte without end",
		(socket) => (socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`), pour(socket, "1\r\nb\r\n")),
	],
	[
		"an extension of a chunk without end",
		(socket) => (socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n1;`), pour(socket, "e")),
	],
	[
		"trailers without end",
		(socket) => (socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n`), pour(socket, "x-a: b\r\n")),
	],
	[
		"a chunk's size without end",
		(socket) => (socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`), pour(socket, "0")),
	],
];

describe("A receiver that answers without end", () => {
	it.each(HOSTILE)("%s: is cut off long before the time is over", async (_, answer) => {
		const wire = await openWire(answer);
		const { durationMs } = await openPoster().post({ owner: "o", url: wire.url, headers: {}, body: "{}" }, never);
		expect(durationMs).toBeLessThan(WITHIN_MS / 2);
		// the size of the kernels' buffers, and no more
		await expect
			.poll(() => {
				const before = wire.sent();
				return new Promise((resolve) => setImmediate(() => resolve(wire.sent() - before)));
			})
			.toBe(0);
		expect(wire.sent()).toBeLessThan(32 * 1024 * 1024);
	});

	it("is told of with why, when it never comes to an answer", async () => {
		const wire = await openWire((socket) => pour(socket, "HTTP/1.1 102 Processing\r\n\r\n"));
		const { outcome, error } = await openPoster().post({ owner: "o", url: wire.url, headers: {}, body: "{}" }, never);
		expect([outcome.kind, error]).toEqual(["no_answer", "the answer has too many interim answers"]);
	});

	it("twenty interim answers are taken, and the connection is used again and again", async () => {
		const interim = "HTTP/1.1 102 Processing\r\n\r\n".repeat(20);
		const wire = await openWire((socket) =>
			socket.write(`${interim}${HEAD}content-length: 40000\r\n\r\n${"b".repeat(40_000)}`),
		);
		const poster = openPoster();
		for (let n = 0; n < 40; n++) {
			const { outcome } = await poster.post({ owner: "o", url: wire.url, headers: {}, body: "{}" }, never);
			expect(outcome).toMatchObject({ kind: "answered", status: 200 });
		}
	});
});

it("one owner's many origins take none of another's", async () => {
	const poster = openPoster();
	const open: Socket[] = [];
	const silent = await Promise.all(Array.from({ length: 8 }, () => openWire((socket) => void open.push(socket))));
	const posts = silent.map(({ url }) => poster.post({ owner: "many", url, headers: {}, body: "{}" }, never));
	await expect.poll(() => open.length).toBe(4);
	const wire = await openWire((socket) => socket.write(`${HEAD}content-length: 0\r\n\r\n`));
	const { outcome } = await poster.post({ owner: "other", url: wire.url, headers: {}, body: "{}" }, never);
	expect(outcome).toMatchObject({ kind: "answered", status: 200 });
	for (const socket of open) socket.destroy();
	expect((await Promise.all(posts)).map(({ outcome: { kind } }) => kind)).toEqual(posts.map(() => "no_answer"));
});
