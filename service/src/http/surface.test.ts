import { get } from "node:http";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import Type from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../test/house.ts";
import { raw } from "../../test/raw.ts";
import { OPERATOR_SURFACE } from "../assembly/operator-surface.ts";
import { CURRENT_API_DATE } from "../glossary.ts";
import { NO_DATES } from "./api-date.ts";
import { mount } from "./mount.ts";
import { openApi, openApiText } from "./openapi/document.ts";
import { operation } from "./operation.ts";
import type { Surface } from "./surface.ts";

const CSV = "text/csv; charset=utf-8";
const PDF = "application/pdf";
const words = { summary: "A test.", description: "Only tests have it." };

const ReadReport = operation({
	...words,
	id: "readReport",
	method: "GET",
	path: "/api/v1/report",
	scope: "atp.inventory",
	conditional: true,
	headers: { Accept: { schema: Type.String({ description: "`text/csv`, or JSON." }), missing: null } },
	replies: { 200: Type.Object({ rows: Type.Integer() }) },
	contents: { 200: { [CSV]: { example: "sku,units\r\n" } } },
	replyHeaders: { "X-Next-Cursor": "Where the next page begins." },
	errors: [],
	examples: { replies: { 200: { rows: 1 } } },
});
const ReadFile = operation({
	...words,
	id: "readFile",
	method: "GET",
	path: "/api/v1/files/:name",
	scope: null,
	conditional: true,
	params: Type.Object({ name: Type.String() }, { additionalProperties: false }),
	replies: {},
	contents: { 200: { [PDF]: {} } },
	errors: ["not_found"],
	examples: { replies: {}, errors: { not_found: "There is no such file." } },
});
const Place = operation({
	...words,
	id: "place",
	method: "POST",
	path: "/api/v1/place",
	scope: "atp.reserve",
	headers: {
		"Idempotency-Key": {
			schema: Type.String({ pattern: "^[!-~]*$", maxLength: 20, description: "Names this request." }),
			missing: "idempotency_required",
		},
	},
	body: Type.Object(
		{
			reservation_token: Type.String(),
			customer: Type.Object(
				{
					name: Type.String(),
					ship_to: Type.Object({ city: Type.String(), country: Type.String() }, { additionalProperties: false }),
				},
				{ additionalProperties: false },
			),
		},
		{ additionalProperties: false },
	),
	codes: { "/customer": "invalid_customer" },
	replies: { 201: Type.Object({ ref: Type.String() }) },
	errors: ["idempotency_required", "invalid_customer"],
	examples: {
		request: { reservation_token: "t", customer: { name: "A", ship_to: { city: "B", country: "US" } } },
		replies: { 201: { ref: "r" } },
		errors: { idempotency_required: "Idempotency-Key: required.", invalid_customer: "/customer/name: required." },
	},
});
const ListAccounts = operation({
	...words,
	id: "listAccounts",
	method: "GET",
	path: "/admin/api/accounts",
	scope: "atp.summary",
	replies: { 200: Type.Object({ who: Type.String() }) },
	errors: [],
	examples: { replies: { 200: { who: "ann" } } },
});

/** A surface of another kind of caller, without API dates: who shows a badge is let in; two badges are known. */
interface Badge {
	readonly owner: string;
	readonly reads: boolean;
}
const BADGES = new Map<string, Badge>([
	["ann", { owner: "ann", reads: true }],
	["bob", { owner: "bob", reads: false }],
]);
const BADGE_SURFACE: Surface<Badge> = {
	id: "badge",
	title: "Badges",
	description: "Only tests have it.",
	tag: { name: "Badges", description: "What a badge may do." },
	dates: null,
	errors: ["bad_request", "invalid_input", "unauthorized", "forbidden", "rate_limited", "internal_error"],
	security: {
		caller: "badge",
		id: "badge",
		scheme: { type: "apiKey", in: "header", name: "X-Badge", description: "A badge." },
		challenge: "Badge",
		message: "Show a badge.",
	},
	authenticate: ({ headers }) => {
		const caller = BADGES.get(String(headers["x-badge"]));
		return caller === undefined ? "unknown" : { caller, inForce: () => true, confirm: async () => true };
	},
	budget: { policy: "badge", nameOf: ({ owner }) => `badge:${owner}`, perMinute: () => 3 },
	may: ({ reads }) => reads,
	nameOf: ({ owner }) => owner,
};

const FILE = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff, 0x0d, 0x0a]);
const CSV_TEXT = "sku,units\r\nGrüße,1\r\n";
/** Pieces of the large file: more than any buffer on the way holds. */
const PIECES = 400;
const PIECE = Buffer.alloc(64 * 1024, 7);

let database: TestDatabase;
let doors: Doors;
let token: string;
let lastStream: Readable | null = null;

async function* pieces(until: number): AsyncGenerator<Buffer> {
	for (let n = 0; n < PIECES; n++) {
		if (n === until) throw new Error("bug: the file broke off");
		yield PIECE;
		await nextTurn();
	}
}

beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db, {
		extend: (gate, server) => {
			mount(gate, ReadReport, ({ headers }) =>
				headers.Accept === "text/csv"
					? { status: 200, type: CSV, content: CSV_TEXT, headers: { "X-Next-Cursor": "c2" } }
					: { status: 200, data: { rows: 1 }, headers: { "X-Next-Cursor": "c2" } },
			);
			mount(gate, ReadFile, ({ params }) => {
				if (params.name === "small") return { status: 200, type: PDF, content: FILE };
				lastStream = Readable.from(pieces(params.name === "broken" ? 3 : PIECES), { objectMode: false });
				return { status: 200, type: PDF, content: lastStream, etag: "d1g3st" };
			});
			mount(gate, Place, ({ headers }) => ({ status: 201, data: { ref: headers["Idempotency-Key"] } }));
			mount(server.gate(BADGE_SURFACE), ListAccounts, ({ caller }) => ({ status: 200, data: { who: caller.owner } }));
			mount(
				server.gate(OPERATOR_SURFACE),
				{ ...ListAccounts, id: "operate", path: "/admin/api/operate" },
				({ caller }) => ({ status: 200, data: { who: caller.name } }),
			);
		},
	});
	({ token } = await doors.mint());
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
	fetch(doors.origin + path, { method, headers: { authorization: `Bearer ${token}`, ...headers } });

const errorOf = async (response: Response): Promise<[status: number, code: string, message: string]> => {
	const { error } = (await response.json()) as { error: { code: string; message: string } };
	return [response.status, error.code, error.message];
};

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

describe("A request header that an operation declares", () => {
	const place = (
		headers: Record<string, string>,
		body: unknown = Place.examples.request,
		search = "",
	): Promise<Response> =>
		fetch(`${doors.origin}/api/v1/place${search}`, {
			method: "POST",
			headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
			body: JSON.stringify(body),
		});

	it("reaches the use case, and is answered with its own code when it is missing or empty", async () => {
		const placed = await place({ "idempotency-key": "order-1" });
		expect([placed.status, await placed.json()]).toEqual([201, { data: { ref: "order-1" } }]);
		const missing = [400, "idempotency_required", "Idempotency-Key: required."];
		expect(await errorOf(await place({}))).toEqual(missing);
		expect(await errorOf(await place({ "idempotency-key": "" }))).toEqual(missing);
	});

	it("is invalid_input when it does not fit, or is given twice; it is looked at before the body, and after the scope", async () => {
		expect(await errorOf(await place({ "idempotency-key": "x".repeat(21) }, { nonsense: 1 }))).toEqual([
			400,
			"invalid_input",
			"Idempotency-Key: expected at most 20 characters.",
		]);
		const twice = `POST /api/v1/place HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nIdempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}`;
		expect(await raw(doors.port, twice)).toContain("Idempotency-Key: given more than once; expected one value.");
		const { token: narrow } = await doors.mint({ scopes: ["atp.products"] });
		expect((await place({ authorization: `Bearer ${narrow}` })).status).toBe(403);
	});

	describe("and a part of the body with a code of its own", () => {
		const KEY = { "idempotency-key": "order-2" };
		const customer = { name: "A", ship_to: { city: "B", country: "US" } };

		it.each([
			["missing", undefined, "/customer: required."],
			["of another type", 7, "/customer: expected an object."],
			["wrong inside", { ...customer, name: 1 }, "/customer/name: expected a string."],
			["wrong far below", { ...customer, ship_to: { city: "B" } }, "/customer/ship_to/country: required."],
			["with a field too many", { ...customer, age: 1 }, "/customer/age: unknown field."],
		])("%s: 422 invalid_customer, naming the field", async (_what, given, message) => {
			const body = { reservation_token: "t", ...(given === undefined ? {} : { customer: given }) };
			expect(await errorOf(await place(KEY, body))).toEqual([422, "invalid_customer", message]);
		});

		it("comes after everything else that is wrong, however much is wrong in it", async () => {
			const wrong = { ...customer, ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, n])) };
			expect(await errorOf(await place(KEY, { customer: wrong }))).toEqual([
				400,
				"invalid_input",
				"/reservation_token: required.",
			]);
			expect(await errorOf(await place(KEY, { reservation_token: "t", customers: 1, customer: wrong }))).toEqual([
				400,
				"invalid_input",
				"/customers: unknown field.",
			]);
			expect(await errorOf(await place(KEY, { reservation_token: "t", customer: wrong }, "?dry=1"))).toEqual([
				400,
				"invalid_input",
				"/dry: unknown parameter.",
			]);
			expect((await errorOf(await place(KEY, { reservation_token: "t", customer: wrong })))[1]).toBe(
				"invalid_customer",
			);
		});
	});
});

describe("A surface with callers of its own and no API dates", () => {
	const call = (badge: string, headers: Record<string, string> = {}): Promise<Response> =>
		fetch(`${doors.origin}/admin/api/accounts`, { headers: { "x-badge": badge, ...headers } });

	it("is walked in the same order: path, caller, rate, scope", async () => {
		expect(await errorOf(await call("eve"))).toEqual([401, "unauthorized", "Show a badge."]);
		expect((await call("eve")).headers.get("www-authenticate")).toBe("Badge");
		expect((await errorOf(await call("bob")))[2]).toBe("This badge does not have the scope atp.summary.");
		for (let n = 0; n < 2; n++) expect((await call("bob")).headers.get("ratelimit-policy")).toBe('"badge";q=3;w=60');
		expect((await errorOf(await call("bob")))[1]).toBe("rate_limited");
		const answer = await call("ann", { "x-partner-version": "nonsense" });
		expect([answer.status, await answer.json()]).toEqual([200, { data: { who: "ann" } }]);
		expect(answer.headers.get("x-partner-version")).toBeNull();
		expect(answer.headers.get("ratelimit")).toMatch(/^"badge";r=2;t=\d+$/);
	});

	it("does not let in a caller of another surface", async () => {
		expect((await ask("/admin/api/accounts")).status).toBe(401);
		expect((await call("", { authorization: `Bearer ${token}` })).status).toBe(401);
		expect((await ask("/api/v1/report", { authorization: "", "x-badge": "ann" })).status).toBe(401);
	});
});

it("the operator's API refuses everybody, in the envelope and without an API date", async () => {
	for (const authorization of [`Bearer ${token}`, "Bearer op_x", "Basic eDp5", ""]) {
		const answer = await ask("/admin/api/operate", { authorization });
		expect(answer.headers.get("www-authenticate")).toBe("Bearer");
		expect(answer.headers.get("x-partner-version")).toBeNull();
		expect(await errorOf(answer)).toEqual([401, "unauthorized", "Missing or invalid credentials of an operator."]);
	}
});

it("the document of a surface tells its headers, its codes, its media types and how to come in", async () => {
	const text = openApiText(openApi(doors.gate.surface, doors.gate.operations, doors.gate.dates.current));
	const config = await createConfig({ extends: ["recommended"] });
	const problems = await lintFromString({ source: text, absoluteRef: "/openapi.json", config });
	expect(problems.map(({ ruleId, location }) => [ruleId, location[0]?.pointer])).toEqual([]);
	const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, DocumentedOperation>> };
	const place = paths["/api/v1/place"]?.post;
	expect(place?.parameters).toContainEqual(
		expect.objectContaining({ name: "Idempotency-Key", in: "header", required: true }),
	);
	expect(Object.keys(place?.responses ?? {})).toContain("422");
	const report = paths["/api/v1/report"]?.get?.responses[200];
	expect(Object.keys(report?.content ?? {})).toEqual(["application/json", CSV]);
	expect(Object.keys(paths["/api/v1/files/{name}"]?.get?.responses[200]?.content ?? {})).toEqual([PDF]);
	const badge = JSON.parse(openApiText(openApi(BADGE_SURFACE, [ListAccounts], NO_DATES.current))) as {
		security: unknown;
		paths: unknown;
	};
	expect(badge.security).toEqual([{ badge: [] }]);
	expect(JSON.stringify(badge.paths)).not.toContain("X-Partner-Version");
});

/** As far as the test above looks into it. */
interface DocumentedOperation {
	readonly parameters: readonly object[];
	readonly responses: { readonly [status: string]: { readonly content?: object } };
}
