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
type Init = { method?: string; body?: unknown; headers?: Record<string, string>; raw?: string | Uint8Array };

async function ask(path: string, { method, body, headers, raw }: Init = {}) {
	const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
	const response = await fetch(doors.origin + path, {
		method: method ?? (sent === undefined ? "GET" : "POST"),
		headers: {
			authorization: `Bearer ${token}`,
			...(sent === undefined ? {} : { "content-type": "application/json" }),
			...headers,
		},
		...(sent === undefined ? {} : { body: sent as string }),
	});
	const text = await response.text();
	return { status: response.status, headers: response.headers, text, json: text === "" ? null : JSON.parse(text) };
}

const messageOf = async (body: unknown): Promise<string> => {
	const { status, json } = await ask("/api/v1/echo", { body });
	expect([status, json.error.code]).toEqual([400, "invalid_input"]);
	return json.error.message;
};

describe("Every reply carries its headers", () => {
	it.each([
		["success", "/api/v1/echo", { body: ITEM }, 201],
		["a read", "/api/v1/look?sku=A", {}, 200],
		["no such path", "/api/v1/nothing", {}, 404],
		["wrong method", "/api/v1/echo", {}, 405],
		["HEAD of a list", "/api/v1/look?sku=A", { method: "HEAD" }, 200],
		["HEAD of what is none", "/api/v1/echo", { method: "HEAD" }, 405],
		["a bad address", "/api/v1/%zz", {}, 400],
		["no key", "/api/v1/look?sku=A", { headers: { authorization: "" } }, 401],
		["malformed JSON", "/api/v1/echo", { raw: "{" }, 400],
		["a body too large", "/api/v1/echo", { raw: `"${"x".repeat(1024 * 1024)}"` }, 413],
		["a refusal", "/api/v1/echo", { body: { items: [{ sku: "OUT", qty: 1 }] } }, 409],
		["a bug", "/api/v1/echo", { body: { items: [{ sku: "BUG", qty: 1 }] } }, 500],
		["no key needed", "/api/versions", {}, 200],
	] as const)("%s", async (_what, path, init, status) => {
		const answer = await ask(path, init);
		expect(answer.status).toBe(status);
		expect(answer.headers.get("x-partner-version")).toBe(CURRENT_API_DATE);
		expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]+$/);
		expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
		expect(answer.headers.get("cache-control")).toMatch(/no-(store|cache)/);
		expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
	});

	it("names the methods of a path it knows by another", async () => {
		expect((await ask("/api/v1/echo")).headers.get("allow")).toBe("POST");
		expect((await ask("/api/v1/look", { method: "DELETE" })).headers.get("allow")).toBe("GET, HEAD");
		expect((await ask("/api/v1/look", { method: "PROPFIND" })).status).toBe(405);
	});
});

describe("The order of checks", () => {
	it("finds the path before it asks for a key", async () => {
		expect((await ask("/api/v1/nothing", { headers: { authorization: "" } })).status).toBe(404);
		expect((await ask("/api/v1/echo", { headers: { authorization: "" } })).status).toBe(405);
	});

	it("asks for the key before the date, the scope and the body", async () => {
		const headers = { authorization: "Bearer x", "x-partner-version": "2099-01-01" };
		const answer = await ask("/api/v1/echo", { raw: "{", headers });
		expect([answer.status, answer.json.error.code]).toEqual([401, "unauthorized"]);
		expect(answer.headers.get("www-authenticate")).toBe("Bearer");
		expect(answer.headers.get("ratelimit")).toBeNull();
	});

	it("understands the date before the scope, and the scope before the body", async () => {
		const { token: narrow } = await doors.mint({ scopes: ["atp.products"] });
		const authorization = `Bearer ${narrow}`;
		const dated = await ask("/api/v1/echo", {
			raw: "{",
			headers: { authorization, "x-partner-version": "2099-01-01" },
		});
		expect([dated.status, dated.json.error.code]).toEqual([400, "unsupported_version"]);
		const scoped = await ask("/api/v1/echo", { raw: "{", headers: { authorization } });
		expect([scoped.status, scoped.json.error.code]).toEqual([403, "forbidden"]);
		expect(scoped.json.error.message).toContain("atp.reserve");
	});

	it("counts a request against the key before it looks at the date", async () => {
		const { token: slow } = await doors.mint({ requestsPerMinute: 2 });
		const headers = { authorization: `Bearer ${slow}`, "x-partner-version": "nonsense" };
		const answers = [];
		for (let n = 0; n < 3; n++) answers.push(await ask("/api/v1/look?sku=A", { headers }));
		expect(answers.map(({ json }) => json.error.code)).toEqual(["invalid_input", "invalid_input", "rate_limited"]);
		expect(answers.map((one) => one.headers.get("ratelimit-policy"))).toEqual(Array(3).fill('"key";q=2;w=60'));
		expect(answers.map((one) => one.headers.get("ratelimit")?.replace(/t=\d+/, "t=T"))).toEqual([
			'"key";r=1;t=T',
			'"key";r=0;t=T',
			'"key";r=0;t=T',
		]);
		expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
	});
});

describe("Bodies", () => {
	it.each([
		["malformed", "{"],
		["empty", ""],
		["an array", "[]"],
		["null", "null"],
		["a text", '"x"'],
		["not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
		["nested deeply, and broken off", "[".repeat(500_000)],
	])("%s: 400 bad_request", async (_what, bytes) => {
		const { status, json } = await ask("/api/v1/echo", { raw: bytes, method: "POST" });
		expect([status, json.error.code]).toEqual([400, "bad_request"]);
	});

	it.each([
		["text/plain"],
		["application/x-www-form-urlencoded"],
		["application/json; charset=latin1"],
		["nonsense"],
		["application/jsonx"],
	])("content type %s: 400 bad_request", async (type) => {
		const { status, json } = await ask("/api/v1/echo", { body: ITEM, headers: { "content-type": type } });
		expect([status, json.error.code]).toEqual([400, "bad_request"]);
	});

	it("takes application/json with its charset spelled out", async () => {
		const { status } = await ask("/api/v1/echo", {
			body: ITEM,
			headers: { "content-type": "application/json; charset=UTF-8" },
		});
		expect(status).toBe(201);
	});

	it("refuses compression, and 5 MB in one piece or in many, and lives on", async () => {
		const compressed = await ask("/api/v1/echo", { body: ITEM, headers: { "content-encoding": "gzip" } });
		expect([compressed.status, compressed.json.error.code]).toEqual([400, "bad_request"]);
		const huge = await ask("/api/v1/echo", { raw: "x".repeat(5_000_000) });
		expect([huge.status, huge.json.error.code]).toEqual([413, "bad_request"]);
		const chunk = "x".repeat(1000).padStart(1000);
		const chunked = `POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`3e8\r\n${chunk}\r\n`.repeat(1200)}0\r\n\r\n`;
		expect(await raw(doors.port, chunked)).toMatch(/^HTTP\/1.1 413 /);
		expect((await ask("/api/v1/echo", { body: ITEM })).status).toBe(201);
	});

	it("names each wrong field by its pointer and says what was expected", async () => {
		expect(await messageOf({})).toBe("/items: required.");
		expect(await messageOf({ ...ITEM, other: 1, "a/b~": 1 })).toBe("/other: unknown field; /a~1b~0: unknown field.");
		expect(await messageOf({ items: [] })).toBe("/items: expected at least 1 entry.");
		expect(await messageOf({ items: [{ sku: "", qty: 0 }] })).toBe(
			"/items/0/sku: expected at least 1 character; /items/0/qty: expected a number of at least 1.",
		);
		expect(await messageOf({ items: [{ sku: 1, qty: "1" }] })).toBe(
			"/items/0/sku: expected a string; /items/0/qty: expected an integer.",
		);
		expect(await messageOf({ ...ITEM, mode: "c", token: "x" })).toContain('/mode: expected "a" or "b"');
		expect(await messageOf({ ...ITEM, token: "x" })).toContain("/token: expected a uuid");
		expect(await messageOf({ ...ITEM, external_ref: "a\u0000" })).toBe(
			"/external_ref: expected well-formed Unicode without NUL.",
		);
		expect(await messageOf({ ...ITEM, external_ref: "\ud800" })).toBe(
			"/external_ref: expected well-formed Unicode without NUL.",
		);
	});

	it("treats names that are special elsewhere as unknown fields", async () => {
		for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", ""]) {
			const { status, json } = await ask("/api/v1/echo", {
				raw: `{"items":[{"sku":"A","qty":1}],${JSON.stringify(name)}:{"x":1}}`,
			});
			expect([status, json.error.message]).toEqual([400, `/${name}: unknown field.`]);
		}
	});

	it("refuses numbers that no integer is", async () => {
		for (const qty of ["1e400", "-1e400", "1.5", "1e30", "null", "true", "[]", '"1"']) {
			const { status, json } = await ask("/api/v1/echo", { raw: `{"items":[{"sku":"A","qty":${qty}}]}` });
			expect([qty, status, json.error.code]).toEqual([qty, 400, "invalid_input"]);
		}
		const { json } = await ask("/api/v1/echo", { raw: `{"items":[{"sku":"A","qty":1}],"weight":1e400}` });
		expect(json.error.message).toBe("/weight: expected a number.");
	});

	it("measures texts in code points", async () => {
		const sku = "😀".repeat(20);
		expect((await ask("/api/v1/echo", { body: { items: [{ sku, qty: 1 }] } })).status).toBe(201);
		expect(await messageOf({ items: [{ sku: `${sku}x`, qty: 1 }] })).toBe(
			"/items/0/sku: expected at most 20 characters.",
		);
	});

	it("keeps the message short whatever is wrong, and however much", async () => {
		const many = Object.fromEntries(Array.from({ length: 1_900 }, (_, n) => [`field_${n}_${"x".repeat(30)}`, n]));
		const message = await messageOf({ ...ITEM, ...many });
		expect(message).toMatch(/^\/field_0_x+: unknown field; .*; and more\.$/);
		expect(message.length).toBeLessThan(1_500);
		expect(await messageOf({ items: Array.from({ length: 600 }, () => ({ sku: 1, qty: "x" })) })).toBe(
			"/items: expected at most 100 entries.",
		);
	});

	it("does not read what no request of the operation can need", async () => {
		for (const [raw, message] of [
			[`{"items":[${"1,".repeat(500_000)}1]}`, /^The body contains more than 2000 values/],
			[`{"items":${"[".repeat(40)}1${"]".repeat(40)}}`, /^The body is nested deeper than 32 levels/],
		] as const) {
			const { status, json } = await ask("/api/v1/echo", { raw });
			expect([status, json.error.code, json.error.message]).toEqual([
				400,
				"bad_request",
				expect.stringMatching(message),
			]);
		}
	});

	it("refuses a member name that stands twice in one object, in whatever spelling", async () => {
		for (const raw of [
			'{"items":[{"sku":"A","qty":1,"qty":7}]}',
			'{"items":[{"sku":"A","qty":1,"q\\u0074y":7}]}',
			'{"items":[{"sku":"OUT","qty":1}],"items":[{"sku":"A","qty":1}]}',
			'{"items":[{"sku":"A","qty":1}],"":1,"":1}',
			'{"__proto__":1,"items":[{"sku":"A","qty":1}],"__proto__":1}',
		]) {
			const { status, json } = await ask("/api/v1/echo", { raw });
			expect([raw, status, json.error.code]).toEqual([raw, 400, "bad_request"]);
		}
		const apart = '{"items":[{"sku":"A","qty":1},{"sku":"\\"a\\":1,\\\\","qty":1}],"external_ref":"qty: {,}"}';
		expect((await ask("/api/v1/echo", { raw: apart })).status).toBe(201);
	});
});

describe("Queries", () => {
	it("recognises integers and lists", async () => {
		const { json } = await ask("/api/v1/look?sku=A+%26%C3%A9&limit=5&product=x&product=y");
		expect(json.data).toMatchObject({ sku: "A &é", limit: 5, product: ["x", "y"] });
	});

	it.each([
		["/api/v1/look", "/sku: required."],
		["/api/v1/look?sku=", "/sku: expected at least 1 character."],
		["/api/v1/look?sku=A&sku=B", "/sku: given more than once; expected one value."],
		["/api/v1/look?sku=A&limit=5&limit=5", "/limit: given more than once; expected one value."],
		["/api/v1/look?sku=A&limit=0x5", "/limit: expected an integer."],
		["/api/v1/look?sku=A&limit=501", "/limit: expected a number of at most 500."],
		["/api/v1/look?sku=A&other=1", "/other: unknown parameter."],
		["/api/v1/look?sku=A&__proto__=1", "/__proto__: unknown parameter."],
		["/api/v1/look?sku=%00", "/sku: expected well-formed Unicode without NUL."],
		["/api/v1/look?sku=%ff", "The query is not valid percent-encoded UTF-8."],
	])("%s: 400 invalid_input", async (path, message) => {
		const { status, json } = await ask(path);
		expect([status, json.error]).toEqual([400, { code: "invalid_input", message }]);
	});

	it("are looked at where a body is, too", async () => {
		const { status, json } = await ask("/api/v1/echo?dry=1", { body: ITEM });
		expect([status, json.error.message]).toEqual([400, "/dry: unknown parameter."]);
	});
});

describe("Conditional reads", () => {
	it("answer HEAD as they answer GET, without the body", async () => {
		const got = await ask("/api/v1/look?sku=A");
		const head = await ask("/api/v1/look?sku=A", { method: "HEAD" });
		expect([head.status, head.text]).toEqual([200, ""]);
		for (const name of ["etag", "content-type", "content-length", "cache-control", "ratelimit-policy"]) {
			expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
		}
		expect((await ask("/api/v1/look", { method: "HEAD" })).status).toBe(400);
		expect((await ask("/api/v1/look?sku=A", { method: "HEAD", headers: { authorization: "" } })).status).toBe(401);
	});

	it("answer 304 to the ETag they gave, whatever as_of says", async () => {
		const first = await ask("/api/v1/look?sku=A");
		const etag = first.headers.get("etag") ?? "";
		expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
		expect(first.headers.get("cache-control")).toBe("private, no-cache");
		const again = await ask("/api/v1/look?sku=A", { headers: { "if-none-match": `"x", ${etag}` } });
		expect([again.status, again.text]).toEqual([304, ""]);
		expect(again.headers.get("etag")).toBe(etag);
		expect(again.headers.get("ratelimit")).toMatch(/^"key";r=\d+;t=\d+$/);
		expect((await ask("/api/v1/look?sku=B", { headers: { "if-none-match": etag } })).status).toBe(200);
	});

	it("give every key an ETag of its own", async () => {
		const other = await doors.mint();
		const mine = await ask("/api/v1/look?sku=A");
		const theirs = await ask("/api/v1/look?sku=A", { headers: { authorization: `Bearer ${other.token}` } });
		expect(theirs.headers.get("etag")).not.toBe(mine.headers.get("etag"));
	});
});

describe("Refusals and faults", () => {
	it("409 retry says when to try again", async () => {
		const { status, json, headers } = await ask("/api/v1/echo", { body: { items: [{ sku: "RETRY", qty: 1 }] } });
		expect([status, json.error.code, headers.get("retry-after")]).toEqual([409, "retry", "1"]);
	});

	it("a bug is 500 internal_error and tells nothing of itself", async () => {
		const { status, json } = await ask("/api/v1/echo", { body: { items: [{ sku: "BUG", qty: 1 }] } });
		expect([status, json.error.code]).toEqual([500, "internal_error"]);
		expect(json.error.message).toContain("with the same references");
		expect(json.error.message).not.toContain("bug");
	});
});

it("an address that fails 30 times in a minute is told to wait, and a good key from there still comes in", async () => {
	const other = await openDoors(database.db);
	const { token: good } = await other.mint();
	const knock = async (authorization: string) => {
		const response = await fetch(`${other.origin}/api/v1/look?sku=A`, { headers: { authorization } });
		await response.text();
		return [response.status, Number(response.headers.get("retry-after")) > 0];
	};
	for (let n = 0; n < 30; n++) expect(await knock("Bearer x")).toEqual([401, false]);
	expect(await knock("Bearer x")).toEqual([429, true]);
	expect(await knock(`Bearer ${good}`)).toEqual([200, false]);
	expect(await knock("Bearer x")).toEqual([429, true]);
	await other.close();
});

it("when it closes, running requests end and the connection with them", async () => {
	const other = await openDoors(database.db);
	const { token: key } = await other.mint();
	const body = JSON.stringify(ITEM);
	const socket = connect(other.port, "127.0.0.1");
	let answer = "";
	socket.on("data", (chunk) => {
		answer += chunk.toString("latin1");
	});
	const closed = new Promise((resolve) => socket.on("close", resolve));
	socket.write(
		`POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
	);
	await new Promise((resolve) => setTimeout(resolve, 100));
	const closing = other.close();
	socket.write(body);
	await closed;
	await closing;
	expect(answer).toMatch(/^HTTP\/1.1 201 /);
	expect(answer).toMatch(/connection: close/i);
});
