import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, expect, it } from "vitest";
import { limitsOf } from "./budget.ts";
import { createShipStationClient, isSilence, type PlatformQuestion, type ShipStationClient } from "./client.ts";

const KEY = "the-secret-api-key";
const ASK: PlatformQuestion = {
	method: "GET",
	path: "/v2/x",
	urgency: "in_background",
	signal: new AbortController().signal,
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0).toReversed()) await close();
});

async function serve(
	listener: RequestListener,
): Promise<{ client: ShipStationClient; seen: string[]; server: Server }> {
	const seen: string[] = [];
	const server = createServer((request, response) => {
		seen.push(`${request.method} ${request.url} ${request.headers["api-key"]}`);
		listener(request, response);
	});
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	const { port } = server.address() as AddressInfo;
	const client = createShipStationClient({ url: `http://127.0.0.1:${port}`, apiKey: KEY, limits: limitsOf(190) });
	closing.push(
		() => server.closeAllConnections(),
		() => server.close(),
		() => client.close(),
	);
	return { client, seen, server };
}

it("an answer is its status and its JSON; the key goes in its header", async () => {
	const { client, seen } = await serve((_, response) => response.writeHead(404).end('{"errors":[]}'));
	expect(await client.ask({ ...ASK, query: { page: 2, since: "a b" } })).toMatchObject({
		status: 404,
		body: { errors: [] },
	});
	expect(seen).toEqual([`GET /v2/x?page=2&since=a%20b ${KEY}`]);
});

it("a body that is no JSON is null", async () => {
	const { client } = await serve((_, response) => response.end("<html>"));
	expect(await client.ask(ASK)).toMatchObject({ status: 200, body: null });
});

it("a redirect is not followed: the key goes to no other address", async () => {
	const other = await serve((_, response) => response.end("{}"));
	const { port } = other.server.address() as AddressInfo;
	const { client } = await serve((_, response) =>
		response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end(),
	);
	expect(await client.ask(ASK)).toMatchObject({ status: 307 });
	expect(other.seen).toEqual([]);
});

it("an answer that is too long is given up, and the next one is read", async () => {
	let first = true;
	const { client } = await serve((_, response) => {
		response.end(first ? Buffer.alloc(5 * 1024 * 1024, " ") : "{}");
		first = false;
	});
	expect(await client.ask(ASK)).toMatchObject({ silence: expect.stringContaining("more than") as string });
	expect(await client.ask(ASK)).toMatchObject({ status: 200 });
});

it("429 is honoured: nothing is sent before the time that Retry-After names", async () => {
	const { client, seen } = await serve((_, response) => response.writeHead(429, { "retry-after": "40" }).end());
	expect(await client.ask(ASK)).toMatchObject({ afterMs: 40_000 });
	const second = await client.ask({ ...ASK, urgency: "somebody_waits" });
	expect(isSilence(second) && second.afterMs).toBeGreaterThan(39_000);
	expect(seen).toHaveLength(1);
});

it("a platform that does not answer again and again is left alone for a while, but for those for whom somebody waits", async () => {
	const { client, seen } = await serve((request) => request.socket.destroy());
	for (let n = 0; n < 4; n++) await client.ask(ASK);
	expect(seen).toHaveLength(4);
	expect(await client.ask(ASK)).toMatchObject({ crowded: true });
	expect(seen).toHaveLength(4);
	expect(await client.ask({ ...ASK, urgency: "somebody_waits" })).not.toHaveProperty("crowded");
	expect(seen).toHaveLength(5);
});

it("a connection that is cut, refused or called off is a value that does not hold the key", async () => {
	const { client, server } = await serve((request) => request.socket.destroy());
	const cut = await client.ask(ASK);
	const off = AbortSignal.abort();
	const calledOff = await client.ask({ ...ASK, signal: off });
	server.close();
	const refused = await client.ask(ASK);
	for (const answer of [cut, calledOff, refused]) {
		expect(isSilence(answer)).toBe(true);
		expect(inspect(answer, { depth: null })).not.toContain(KEY);
	}
});

it("a platform that says nothing is given up when the question is called off", async () => {
	const controller = new AbortController();
	const { client } = await serve(() => controller.abort());
	const answer = await client.ask({ ...ASK, signal: controller.signal });
	expect(isSilence(answer)).toBe(true);
});
