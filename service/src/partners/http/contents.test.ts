import { once } from "node:events";
import { get } from "node:http";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import {
	CSV,
	CSV_TEXT,
	FILE,
	lastStream,
	mountExamples,
	PDF,
	PIECE,
	PIECES,
	ReadFile,
} from "../../../test/example-operations.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { CURRENT_API_DATE } from "../../glossary.ts";
import { mount } from "./mount.ts";

/** Longer than any test, so that no connection ends here because it stalls. */
const NEVER_MS = 24 * 60 * 60 * 1_000;

let database: TestDatabase;
let doors: Doors;
let token: string;

beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db, { extend: mountExamples, streamStallMs: NEVER_MS });
	({ token } = await doors.mint());
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
	fetch(doors.origin + path, { method, headers: { authorization: `Bearer ${token}`, ...headers } });

describe("A reply that is a text", () => {
	it("is sent as it is, with the headers of every reply and its own media type", async () => {
		const answer = await ask("/api/v1/report", { accept: "text/csv" });
		expect([answer.status, await answer.text()]).toEqual([200, CSV_TEXT]);
		expect(answer.headers.get("content-type")).toBe(CSV);
		expect(answer.headers.get("content-length")).toBe(String(Buffer.byteLength(CSV_TEXT)));
		expect(answer.headers.get("x-partner-version")).toBe(CURRENT_API_DATE);
		expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
		expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
		expect(answer.headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+$/);
		expect(answer.headers.get("x-next-cursor")).toBe("c2");
		expect(answer.headers.get("cache-control")).toBe("private, no-cache");
		expect(answer.headers.get("vary")).toBe("Authorization, X-Partner-Version, Accept");
	});

	it("answers 304 to its ETag, and another content of the same address has another", async () => {
		const etag = (await ask("/api/v1/report", { accept: "text/csv" })).headers.get("etag") ?? "";
		expect(etag).toMatch(/^"[\w-]{27}"$/);
		const again = await ask("/api/v1/report", { accept: "text/csv", "if-none-match": `W/${etag}` });
		expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
		const json = await ask("/api/v1/report", { accept: "application/json", "if-none-match": etag });
		expect([json.status, await json.json()]).toEqual([200, { data: { rows: 1 } }]);
	});

	it("needs the key and the scope that a reply in JSON needs", async () => {
		const { token: narrow } = await doors.mint({ scopes: ["atp.products"] });
		expect((await ask("/api/v1/report", { accept: "text/csv", authorization: "" })).status).toBe(401);
		expect((await ask("/api/v1/report", { accept: "text/csv", authorization: `Bearer ${narrow}` })).status).toBe(403);
	});
});

describe("A reply of bytes", () => {
	it("comes byte for byte, has the digest as its ETag, and answers HEAD and 304", async () => {
		const answer = await ask("/api/v1/files/small", { authorization: "" });
		expect(Buffer.from(await answer.arrayBuffer())).toEqual(FILE);
		expect([answer.status, answer.headers.get("content-type")]).toEqual([200, PDF]);
		expect(answer.headers.get("cache-control")).toBe("public, no-cache");
		expect(answer.headers.get("vary")).toBe("X-Partner-Version");
		const etag = answer.headers.get("etag") ?? "";
		const head = await ask("/api/v1/files/small", {}, "HEAD");
		expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "8", ""]);
		const again = await ask("/api/v1/files/small", { "if-none-match": etag });
		expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
	});
});

describe("A reply that is a stream", () => {
	it("arrives whole, however large, with the ETag that its use case gave", async () => {
		const answer = await ask("/api/v1/files/large");
		expect([answer.status, answer.headers.get("content-type"), answer.headers.get("etag")]).toEqual([
			200,
			PDF,
			'"d1g3st"',
		]);
		expect((await answer.arrayBuffer()).byteLength).toBe(PIECES * PIECE.length);
		expect((await ask("/api/v1/files/small")).status).toBe(200);
	});

	it("is not read for HEAD or 304, and is let go of", async () => {
		for (const [method, headers, status] of [
			["HEAD", {}, 200],
			["GET", { "if-none-match": '"d1g3st"' }, 304],
		] as const) {
			const answer = await ask("/api/v1/files/large", headers, method);
			expect([answer.status, await answer.text()]).toEqual([status, ""]);
			expect(lastStream?.destroyed).toBe(true);
		}
	});

	it("that fails halfway breaks the connection, so that nobody takes a part for the whole", async () => {
		const answer = await ask("/api/v1/files/broken");
		expect(answer.status).toBe(200);
		await expect(answer.arrayBuffer()).rejects.toThrow();
		expect((await ask("/api/v1/files/small")).status).toBe(200);
	});

	it("is destroyed when the caller goes away", async () => {
		await new Promise<void>((resolve, reject) => {
			const request = get(`${doors.origin}/api/v1/files/large`, (response) => {
				response.once("data", () => {
					lastStream?.once("close", resolve);
					response.destroy();
				});
			});
			request.on("error", reject);
		});
		expect([lastStream?.destroyed, lastStream?.readableEnded]).toEqual([true, false]);
	});
});

it("a stream that stands still is given up, and its connection with it", async () => {
	const endless = new Readable({ read: () => undefined });
	endless.push("the beginning");
	const letGo = once(endless, "close");
	const other = await openDoors(database.db, {
		streamStallMs: 200,
		extend: (gate) => mount(gate, ReadFile, () => ({ status: 200, type: PDF, content: endless })),
	});
	const answer = await fetch(`${other.origin}/api/v1/files/endless`);
	expect([answer.status, answer.headers.get("etag"), answer.headers.get("cache-control")]).toEqual([
		200,
		null,
		"no-store",
	]);
	await expect(answer.text()).rejects.toThrow();
	await letGo;
	await other.close();
});
