import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { raw } from "../../../test/raw.ts";
import { CURRENT_API_DATE } from "../../glossary.ts";

let database: TestDatabase;
let doors: Doors;
let token: string;

beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db);
	({ token } = await doors.mint());
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

const ITEM = { items: [{ sku: "A", qty: 1 }] };

describe("What hardly is HTTP is answered in the envelope, with its headers", () => {
	it.each([
		["what is not HTTP", "hello\r\n\r\n", 400],
		["headers over 16 KiB", `GET /api/versions HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(17_000)}\r\n\r\n`, 431],
		["no Host", "GET /api/versions HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
		["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
		["two lengths", "POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", 400],
	])("%s", async (_what, bytes, status) => {
		const answer = await raw(doors.port, bytes);
		expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
		expect(answer).toMatch(new RegExp(`\\r\\nX-Partner-Version: ${CURRENT_API_DATE}\\r\\n`, "i"));
		expect(answer).toMatch(/\r\nX-Request-Id: req_/i);
		expect(answer).toMatch(/\{"error":\{"code":"bad_request","message":"[^"]+"\}\}$/);
	});

	it.each([
		["two hosts", "Host: a\r\nhOST: b\r\n", "The request has two Host headers: expected one."],
		["the same host twice", "Host: a\r\nHost: a\r\n", "The request has two Host headers: expected one."],
		[
			"a second key",
			"Host: a\r\nauthorization: Bearer pk_a:sk_b\r\n",
			"The request has two Authorization headers: expected one.",
		],
		[
			"a coding before chunked",
			"Host: a\r\nTransfer-Encoding: gzip, chunked\r\n",
			"Transfer-Encoding: expected chunked alone, or none.",
		],
	])("%s, wherever it goes: 400, and the connection ends", async (_what, headers, message) => {
		const end = "Content-Type: application/json\r\n\r\n0\r\n\r\n";
		for (const [method, path] of [
			["POST", "/api/v1/echo"],
			["GET", "/api/versions"],
			["GET", "/api/v1/nothing"],
		]) {
			const answer = await raw(
				doors.port,
				`${method} ${path} HTTP/1.1\r\n${headers}Authorization: Bearer ${token}\r\n${end}`,
			);
			expect(answer).toMatch(/^HTTP\/1.1 400 /);
			expect(answer).toMatch(/\r\nConnection: close\r\n/i);
			expect(answer).toContain(JSON.stringify({ error: { code: "bad_request", message } }));
		}
	});

	it.each([
		["a second key", "Authorization: Bearer pk_a:sk_b\r\n", "The request has two Authorization headers: expected one."],
		// its parser gives up before its turn has come
		["another coding", "Transfer-Encoding: gzip\r\n", "The request is not valid HTTP/1.1."],
	])("%s in a request of HTTP/1.0 without a host: 400", async (_what, headers, message) => {
		const answer = await raw(
			doors.port,
			`GET /api/v1/nothing HTTP/1.0\r\n${headers}Authorization: Bearer ${token}\r\n\r\n`,
		);
		expect(answer).toMatch(/^HTTP\/1.1 400 /);
		expect(answer).toContain(JSON.stringify({ error: { code: "bad_request", message } }));
	});

	it("Transfer-Encoding: Chunked is chunked", async () => {
		const body = JSON.stringify(ITEM);
		const sent = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: Chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
		expect(await raw(doors.port, sent)).toMatch(/^HTTP\/1.1 201 /);
	});

	it("answers a good request that garbage follows, and hangs up", async () => {
		const body = JSON.stringify(ITEM);
		const good = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
		expect(await raw(doors.port, `${good}garbage\r\n\r\n`)).toMatch(/^HTTP\/1.1 201 [^]*"skus":\["A"\]/);
	});

	it("a request whose body nothing announced", async () => {
		const bare = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n\r\n{}`;
		for (let n = 0; n < 20; n++) expect(await raw(doors.port, bare)).toMatch(/^HTTP\/1.1 400 [^]*bad_request/);
	});

	it("a body in broken chunks", async () => {
		const broken = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\nzz\r\n`;
		expect(await raw(doors.port, broken)).toMatch(/^HTTP\/1.1 400 [^]*bad_request/);
	});

	it("lives on when a caller hangs up in the middle of anything", async () => {
		for (const start of [
			"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
			"POST /api/v1/echo HTTP/1.1\r\nHost: x\r\n",
			"GET",
		]) {
			for (let n = 0; n < 20; n++) {
				const socket = connect(doors.port, "127.0.0.1");
				socket.on("error", () => undefined);
				await new Promise<void>((resolve) => socket.write(start, () => resolve()));
				socket.resetAndDestroy();
			}
		}
		expect((await fetch(`${doors.origin}/api/versions`)).status).toBe(200);
	});

	it("headers that do not arrive in time", async () => {
		const answer = await raw(doors.port, "GET /api/versions HTTP/1.1\r\nHost: x\r\n");
		expect(answer).toMatch(/^HTTP\/1.1 408 /);
		expect(answer).toMatch(/\r\nX-Request-Id: req_/i);
	});

	it("serves an Upgrade and an unknown Expect as if they were not there", async () => {
		const get = "GET /api/versions HTTP/1.1\r\nHost: x\r\n";
		expect(
			await raw(
				doors.port,
				`${get}Connection: upgrade\r\nUpgrade: websocket\r\n\r\n`.replace("upgrade\r\nU", "upgrade, close\r\nU"),
			),
		).toMatch(/^HTTP\/1.1 200 /);
		expect(await raw(doors.port, `${get}Expect: nothing\r\nConnection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
	});
});
