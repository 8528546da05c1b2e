import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Client, ConnectionLost } from "./http.ts";

let server: Server;
let client: Client;
let connections = 0;

/**
 * A server that answers each request with the result of `answer` for its text: pieces to write, or null to close the
 * connection.
 */
async function serve(answer: (request: string) => string[] | null): Promise<void> {
	connections = 0;
	server = createServer((socket) => {
		connections += 1;
		socket.setNoDelay(true);
		socket.on("error", () => {});
		socket.on("data", (bytes) => {
			const pieces = answer(bytes.toString());
			if (pieces === null) socket.destroy();
			else void trickle(socket, pieces);
		});
	});
	await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
	client = new Client(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
}

async function trickle(socket: Socket, pieces: readonly string[]): Promise<void> {
	for (const piece of pieces) {
		socket.write(piece);
		await new Promise((next) => setTimeout(next, 5));
	}
}

afterEach(() => {
	client.close();
	server.close();
});

const reply = (body: string, more = "") =>
	`HTTP/1.1 409 Conflict\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;

test("a reply is read whole however it arrives, and the connection is used again", async () => {
	const text = reply('{"name":"süß"}', "Retry-After: 3\r\n");
	const bytes = [text.slice(0, 12), text.slice(12, 40), text.slice(40, -5), text.slice(-5)];
	await serve(() => bytes);
	const send = () => client.send({ method: "POST", path: "/x", token: "pk:sk", body: { a: 1 } });
	const expected = { status: 409, retryAfter: 3, replayed: false, body: { name: "süß" } };
	expect(await send()).toEqual(expected);
	expect(await send()).toEqual(expected);
	expect(connections).toBe(1);
});

test("a request carries its token, its length in bytes and its body", async () => {
	let seen = "";
	await serve((request) => {
		seen = request;
		return [reply("{}")];
	});
	await client.send({ method: "POST", path: "/x", token: "pk:sk", body: { a: "ü" } });
	expect(seen).toContain("authorization: Bearer pk:sk\r\n");
	expect(seen).toContain("content-length: 10\r\n");
	expect(seen.endsWith('\r\n\r\n{"a":"ü"}')).toBe(true);
});

test("no answer is said as such: the server hung up, or nobody listens", async () => {
	await serve(() => null);
	await expect(client.send({ method: "GET", path: "/x" })).rejects.toBeInstanceOf(ConnectionLost);
	server.close();
	await expect(client.send({ method: "GET", path: "/x" })).rejects.toBeInstanceOf(ConnectionLost);
});

test.each(["sent", "answered"] as const)("a connection cut when %s loses the answer, not the request", async (cut) => {
	let requests = 0;
	await serve(() => {
		requests += 1;
		return [reply("{}")];
	});
	await expect(client.send({ method: "POST", path: "/x", body: {}, cut })).rejects.toBeInstanceOf(ConnectionLost);
	await expect.poll(() => requests).toBe(1);
	expect((await client.send({ method: "POST", path: "/x", body: {} })).status).toBe(409);
	expect(connections).toBe(2);
});

test("each request in flight has a connection of its own", async () => {
	await serve(() => [reply("{}")]);
	const replies = await Promise.all(Array.from({ length: 8 }, () => client.send({ method: "GET", path: "/x" })));
	expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 409));
	expect(connections).toBe(8);
});
