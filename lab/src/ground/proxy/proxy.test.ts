import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Proxy } from "./proxy.ts";

/** A server that answers every byte with the same byte, and records what it received. */
let server: Server;
let seen: { heard: string; ends: number };
let proxy: Proxy;
let clients: Socket[];

beforeEach(async () => {
	const mine = { heard: "", ends: 0 }; // sockets of the previous test may end late
	seen = mine;
	clients = [];
	server = createServer((socket) => {
		socket.on("data", (chunk: Buffer) => {
			mine.heard += chunk.toString();
			socket.write(chunk);
		});
		socket.on("error", () => undefined); // a reset counts as an end
		socket.on("close", () => mine.ends++);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	proxy = new Proxy((server.address() as { port: number }).port);
	await proxy.listen();
});
afterEach(() => {
	for (const client of clients) client.destroy();
	proxy.close();
	server.close();
});

async function join(): Promise<{ socket: Socket; answers: () => string }> {
	const socket = connect(proxy.state.port, "127.0.0.1");
	clients.push(socket);
	let answers = "";
	socket.on("data", (chunk: Buffer) => {
		answers += chunk.toString();
	});
	socket.on("error", () => undefined); // cuts are intended
	await once(socket, "connect");
	return { socket, answers: () => answers };
}

/** Resolves when it is closed, by an end or by a reset. */
const closed = (socket: Socket): Promise<void> => new Promise((done) => socket.once("close", () => done()));

const until = async (is: () => boolean): Promise<void> => {
	while (!is()) await new Promise((done) => setTimeout(done, 2));
};

test("bytes pass in both directions", async () => {
	const { socket, answers } = await join();
	socket.write("hello");
	await until(() => answers() === "hello");
	expect(seen.heard).toBe("hello");
});

test("a silent connection passes nothing, not even its end; afterwards what was held arrives late", async () => {
	const { socket, answers } = await join();
	socket.write("a");
	await until(() => answers() === "a");
	proxy.silence(["up", "down"], false);
	socket.write("b");
	const other = await join();
	other.socket.write("c");
	await until(() => other.answers() === "c"); // new ones work, and the byte before this one had time to pass
	socket.destroy();
	await closed(socket);
	expect(seen.heard).toBe("ac");
	expect(seen.ends).toBe(0);
	proxy.heal("late");
	await until(() => seen.heard === "acb" && seen.ends === 1);
});

test("what a lost connection held never arrives, and both ends hear of it", async () => {
	const { socket, answers } = await join();
	socket.write("a");
	await until(() => answers() === "a");
	proxy.silence(["up"], false);
	const gone = closed(socket);
	socket.write("b");
	const other = await join();
	other.socket.write("c");
	await until(() => other.answers() === "c");
	proxy.heal("lost");
	await gone;
	await until(() => seen.ends === 1);
	expect(seen.heard).toBe("ac");
});

test("new connections can be silent too, and reach the server when the silence is over", async () => {
	proxy.silence(["up", "down"], true);
	const { socket, answers } = await join();
	socket.write("a");
	expect(proxy.state.upstreamPorts).toEqual([]);
	proxy.heal("late");
	await until(() => answers() === "a");
});

test("a connection is cut after the bytes that were drawn for it, in the middle of what it passes", async () => {
	proxy.cut({ seed: 3, leastBytes: 4, mostBytes: 4 });
	const { socket } = await join();
	const gone = closed(socket);
	socket.write("123456789");
	await gone;
	await until(() => seen.ends === 1);
	expect(proxy.state.cuts).toBe(1);
	proxy.stopCutting();
	const { socket: spared, answers } = await join();
	spared.write("123456789");
	await until(() => answers() === "123456789");
});

test("a COMMIT that is waited for does not arrive, and nothing after it", async () => {
	const { socket, answers } = await join();
	const vanished = proxy.silenceAtCommit();
	socket.write("work;");
	await until(() => answers() === "work;");
	socket.write("\0commit\0more");
	await vanished;
	expect(proxy.state.vanished).toBe(true);
	expect(seen.heard).toBe("work;");
});

test("a slow connection passes everything, in order, piece by piece", async () => {
	const { socket, answers } = await join();
	proxy.slowDown({ delayMs: 1, pieceBytes: 2 });
	socket.write("abcdefgh");
	await until(() => answers() === "abcdefgh");
	expect(seen.heard).toBe("abcdefgh");
});

test("new connections go where the proxy was switched to", async () => {
	const second = createServer((socket) => socket.end("second"));
	second.listen(0, "127.0.0.1");
	await once(second, "listening");
	proxy.switchTo((second.address() as { port: number }).port);
	const { answers } = await join();
	await until(() => answers() === "second");
	second.close();
});
