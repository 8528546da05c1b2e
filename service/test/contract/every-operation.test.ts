import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PARTNER_OPERATIONS } from "../../src/assembly/surfaces.ts";
import { CURRENT_API_DATE, SCOPES } from "../../src/glossary.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import { Introspect } from "../../src/partners/keys/contract.ts";
import { type Answer, type Extra, pathWith } from "./client.ts";
import { openWorld, type World } from "./world.ts";

/*
 * Properties of every operation. The operations are those that the contracts declare, so a new one is covered
 * automatically.
 */

let world: World;
let key: string;
const byScope = new Map<string, string>();

beforeAll(async () => {
	world = await openWorld({ HOLDFAST_TRUSTED_PROXIES: "127.0.0.0/8" });
	key = (await world.key({ brand: "SANDBOX" })).token;
	for (const scope of SCOPES) byScope.set(scope, (await world.key({ brand: "SANDBOX", scopes: [scope] })).token);
});
afterAll(() => world.stop());

const NAMED = PARTNER_OPERATIONS.map((operation) => [operation.id, operation] as const);
const KEYED = NAMED.filter(([, { scope }]) => scope !== null);
const POSTS = KEYED.filter(([, { body }]) => body !== undefined);

/** A request that would have an effect if the key were allowed to send it. */
const example = (operation: Operation): unknown => operation.examples.request;

let addresses = 0;
/**
 * A request as the contract requires it, with the required headers and about an order that does not exist, unless
 * `extra` says otherwise.
 */
function sendTo(
	to: World,
	operation: Operation,
	token: string | null,
	given: unknown,
	extra: Extra = {},
): Promise<Answer> {
	const required = Object.entries(operation.headers ?? {}).filter(([, { missing }]) => missing !== null);
	const headers = {
		...Object.fromEntries(required.map(([name]) => [name, "nothing-has-this-name"])),
		// each request comes from an address of its own, because failed authentications are counted by address
		"x-forwarded-for": `203.0.113.${++addresses % 250}`,
		...extra.headers,
	};
	return to.send(operation, token, given, { ...extra, headers });
}
const send = (operation: Operation, token: string | null, given: unknown, extra?: Extra): Promise<Answer> =>
	sendTo(world, operation, token, given, extra);

describe("Every reply", () => {
	it.each(NAMED)("%s: carries its headers once each, whatever the answer", async (_id, operation) => {
		const answers = [
			await send(operation, key, example(operation)),
			await send(operation, null, example(operation)),
			await send(operation, key, {}, { search: "?nonsense=1" }),
			await send(operation, key, example(operation), { method: "DELETE" }),
			await send(operation, key, example(operation), { path: `${pathWith(operation)}/nothing` }),
		];
		for (const answer of answers) {
			expect(answer.header("x-partner-version")).toBe(CURRENT_API_DATE);
			expect(answer.header("x-request-id")).toMatch(/^req_\w+$/);
			expect(answer.header("x-content-type-options")).toBe("nosniff");
			const names = answer.headerNames.map((name) => name.toLowerCase());
			expect(names.length).toBe(new Set(names).size);
			for (const told of ["server", "x-powered-by"]) expect(names).not.toContain(told);
		}
		expect(new Set(answers.map((answer) => answer.header("x-request-id"))).size).toBe(answers.length);
	});

	it("a request id of the caller's is not taken over", async () => {
		const [, operation] = KEYED[0] as (typeof KEYED)[number];
		const answer = await send(operation, key, example(operation), { headers: { "x-request-id": "mine" } });
		expect(answer.header("x-request-id")).not.toBe("mine");
	});
});

describe("Path and method come first, and need no key", () => {
	it.each(NAMED)("%s: another method is 405 bad_request with Allow", async (_id, operation) => {
		const there = PARTNER_OPERATIONS.filter(({ path }) => path === operation.path);
		const methods = there.flatMap(({ method, conditional }) => (conditional ? [method, "HEAD"] : [method]));
		const allow = methods.toSorted();
		const told = (answer: Answer): string[] => (answer.header("allow") ?? "").split(", ").toSorted();
		for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PROPFIND"]) {
			if (methods.includes(method)) continue;
			const answer = await send(operation, null, undefined, { method });
			expect([method, answer.verdict, told(answer)]).toEqual([method, "405 bad_request", allow]);
		}
		const head = await send(operation, null, undefined, { method: "HEAD" });
		const known = operation.scope === null ? 200 : 401;
		expect([head.status, head.text]).toEqual([methods.includes("HEAD") ? known : 405, ""]);
		if (!methods.includes("HEAD")) expect(told(head)).toEqual(allow);
	});

	it.each(NAMED)("%s: a path that is nearly its own is 404 not_found", async (_id, operation) => {
		const path = pathWith(operation);
		// a path that ends in a parameter may end in anything
		const endings = /:\w+$/.test(operation.path) ? [] : [`${path}%20`, `${path}.json`, `${path};x`];
		const nearly = [`${path}/`, path.toUpperCase(), `/${path}`, path.replace("/api", ""), ...endings];
		for (const other of nearly) {
			const answer = await send(operation, null, undefined, { path: other });
			expect([other, answer.verdict]).toEqual([other, "404 not_found"]);
		}
	});
});

describe("401 unauthorized", () => {
	it.each(KEYED)("%s: without a key, before anything is looked at", async (_id, operation) => {
		const answer = await send(operation, null, example(operation), {
			headers: { "x-partner-version": "1999-01-01" },
			search: "?nonsense=1",
		});
		expect(answer.verdict).toBe("401 unauthorized");
		expect(answer.header("www-authenticate")).toBe("Bearer");
		expect(answer.header("x-partner-version")).toBe(CURRENT_API_DATE);
		expect(answer.header("ratelimit")).toBeUndefined();
		expect(answer.header("ratelimit-policy")).toBeUndefined();
	});
});

describe("429 rate_limited", () => {
	it.each(KEYED)(
		"%s: after its key's requests, before date, scope and body; refused calls do not lengthen the wait",
		async (_id, operation) => {
			const { token } = await world.key({ brand: "SANDBOX", requestsPerMinute: 3 });
			const seen = [];
			for (let n = 0; n < 3; n++) {
				const answer = await send(operation, token, example(operation));
				expect(answer.status).not.toBe(429);
				expect(answer.header("ratelimit-policy")).toBe('"key";q=3;w=60');
				seen.push(answer.header("ratelimit"));
			}
			expect(seen.map((one) => one?.replace(/t=\d+$/, "t"))).toEqual(['"key";r=2;t', '"key";r=1;t', '"key";r=0;t']);
			let wait = 60;
			for (let n = 0; n < 5; n++) {
				const answer = await send(operation, token, {}, { headers: { "x-partner-version": "nonsense" } });
				expect(answer.verdict).toBe("429 rate_limited");
				const after = answer.header("retry-after") ?? "";
				expect(after).toMatch(/^[1-9]\d*$/);
				expect(Number(after)).toBeLessThanOrEqual(wait);
				expect(answer.header("ratelimit")).toBe(`"key";r=0;t=${after}`);
				wait = Number(after);
			}
		},
	);

	it("of many requests at the same moment exactly the key's figure pass", async () => {
		const [, operation] = POSTS[0] as (typeof POSTS)[number];
		const { token } = await world.key({ brand: "SANDBOX", requestsPerMinute: 10 });
		const answers = await Promise.all(Array.from({ length: 100 }, () => send(operation, token, example(operation))));
		expect(answers.filter(({ status }) => status !== 429)).toHaveLength(10);
	});

	it("every answer after the key is known counts: a bad date, a missing scope, a bad body, a refusal", async () => {
		const [, operation] = POSTS[0] as (typeof POSTS)[number];
		const { token } = await world.key({ brand: "SANDBOX", requestsPerMinute: 4, scopes: ["atp.introspect"] });
		const headers = { "x-partner-version": "nonsense" };
		expect((await send(operation, token, {}, { headers })).verdict).toBe("400 invalid_input");
		for (let n = 0; n < 3; n++) expect((await send(operation, token, {})).verdict).toBe("403 forbidden");
		expect((await send(operation, token, {})).verdict).toBe("429 rate_limited");
	});

	it("a path or method that is not there does not count, and one key's requests are not another's", async () => {
		const [, operation] = POSTS[0] as (typeof POSTS)[number];
		const { token } = await world.key({ brand: "SANDBOX", requestsPerMinute: 1 });
		await send(operation, token, {}, { method: "DELETE" });
		await send(operation, token, {}, { path: "/api/v1/nothing" });
		expect((await send(operation, token, example(operation))).header("ratelimit")).toMatch(/^"key";r=0;/);
		expect((await send(operation, token, example(operation))).status).toBe(429);
		expect((await send(operation, key, example(operation))).status).not.toBe(429);
	});
});

describe("400 on the API date comes before the scope", () => {
	it.each(KEYED)("%s", async (_id, operation) => {
		const token = byScope.get(operation.scope === "atp.introspect" ? "atp.webhooks" : "atp.introspect") as string;
		const dated = (version: string) =>
			send(operation, token, {}, { headers: { "x-partner-version": version }, search: "?nonsense=1" });
		expect((await dated("2999-01-01")).verdict).toBe("400 unsupported_version");
		expect((await dated("1999-01-01")).verdict).toBe("400 unsupported_version");
		expect((await dated("2026-02-30")).verdict).toBe("400 invalid_input");
		expect((await dated("")).verdict).toBe("400 invalid_input");
		expect((await dated(CURRENT_API_DATE)).verdict).toBe("403 forbidden");
	});
});

describe("Scopes: every operation with every scope alone", () => {
	const MATRIX = KEYED.flatMap(([id, operation]) => SCOPES.map((scope) => [id, scope, operation] as const));

	it.each(MATRIX)("%s with %s", async (_id, scope, operation) => {
		const token = byScope.get(scope) as string;
		const answer = await send(operation, token, example(operation));
		if (scope === operation.scope) {
			// the example may name something that does not exist, but it passed the gate
			expect([401, 403, 405, 429, 500]).not.toContain(answer.status);
			expect(answer.text).not.toContain("There is nothing at this path");
			return;
		}
		expect(answer.verdict).toBe("403 forbidden");
		// before the body and the query are examined, and whatever they contain
		const hostile = await send(operation, token, undefined, { raw: "{", search: "?nonsense=1" });
		expect([hostile.status, hostile.text]).toEqual([answer.status, answer.text]);
	});

	it("a key with every other scope is refused the one it lacks", async () => {
		for (const [id, operation] of KEYED) {
			const { token } = await world.key({
				brand: "SANDBOX",
				scopes: SCOPES.filter((scope) => scope !== operation.scope),
			});
			expect([id, (await send(operation, token, example(operation))).verdict]).toEqual([id, "403 forbidden"]);
		}
	});
});

describe("400 bad_request: a body that cannot be read", () => {
	const UNREADABLE: [string, string | Buffer][] = [
		["nothing", ""],
		["blank", "  "],
		["broken off", '{"items": ['],
		["an array", "[]"],
		["a text", '"text"'],
		["a number", "1"],
		["null", "null"],
		["true", "true"],
		["two objects", "{}{}"],
		["a comment", "{} // x"],
		["a trailing comma", '{"a": 1,}'],
		["single quotes", "{'a': 1}"],
		["NaN", '{"a": NaN}'],
		["a form", "sku=A&qty=1"],
		["a byte order mark", "\ufeff{}"],
		["UTF-16", Buffer.from("{}", "utf16le")],
		["a byte that is no UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
		["an overlong slash", Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
		["100,000 brackets", "[".repeat(100_000)],
	];
	it.each(POSTS)("%s", async (_id, operation) => {
		for (const [what, raw] of UNREADABLE) {
			const answer = await send(operation, key, undefined, { raw });
			expect([what, answer.verdict]).toEqual([what, "400 bad_request"]);
		}
	});

	it.each(POSTS)("%s: another content type, or a compressed body", async (_id, operation) => {
		for (const type of [
			"text/plain",
			"application/x-www-form-urlencoded",
			"application/xml",
			"multipart/form-data; boundary=x",
			"application/json; charset=utf-16",
			"json",
			"",
		]) {
			const answer = await send(operation, key, example(operation), { headers: { "content-type": type } });
			expect([type, answer.verdict]).toEqual([type, "400 bad_request"]);
		}
		const gzipped = await send(operation, key, example(operation), { headers: { "content-encoding": "gzip" } });
		expect(gzipped.verdict).toBe("400 bad_request");
	});

	it.each(POSTS)("%s: over 1 MiB is 413 bad_request, exactly 1 MiB is read", async (_id, operation) => {
		const padded = (bytes: number): string => `{"x":"${"x".repeat(bytes - 8)}"}`;
		const over = await send(operation, key, undefined, { raw: padded(1024 * 1024 + 1) });
		expect(over.verdict).toBe("413 bad_request");
		const exact = await send(operation, key, undefined, { raw: padded(1024 * 1024) });
		expect(exact.verdict).toBe("400 invalid_input");
	});
});

describe("400 invalid_input: unknown query parameters, also where there is a body", () => {
	it.each(KEYED)("%s", async (_id, operation) => {
		const answer = await send(operation, key, example(operation), { search: "?sort=asc" });
		expect(answer.verdict).toBe("400 invalid_input");
	});
});

/** Answered from the keys alone, which are read before every operation. */
const OF_KEYS = new Set<string>([Introspect.id]);
/** The tables that keys are read from: while they are readable, a request reaches its operation. */
const KEY_TABLES = ["partner", "pool", "api_key", "key_secret", "key_epoch", "epoch_log"];

describe("500 internal_error", () => {
	it("when the database fails, every operation says so in the envelope, tells nothing of it, and works again afterwards", async () => {
		const broken = await openWorld();
		const { token } = await broken.key({ brand: "SANDBOX" });
		const { rows } = await broken.db.query<{ name: string }>(
			"select tablename as name from pg_tables where schemaname = current_schema() and tablename <> all($1)",
			[KEY_TABLES],
		);
		const tables = rows.map(({ name }) => name);
		expect(tables).toContain("catalog_epoch");
		// one by one: a transaction that locks all of them could deadlock with the service's reads, which use another
		// order
		for (const name of tables) await broken.db.query(`alter table ${name} rename to gone_${name}`);
		for (const [, operation] of KEYED) {
			const answer = await sendTo(broken, operation, token, example(operation));
			const expected = OF_KEYS.has(operation.id) ? "200" : "500 internal_error";
			expect([operation.id, answer.verdict]).toEqual([operation.id, expected]);
			expect(answer.text).not.toMatch(/catalog_epoch|relation|sql|postgres|\/src\/| at /i);
		}
		for (const name of tables) await broken.db.query(`alter table gone_${name} rename to ${name}`);
		for (const [, operation] of KEYED) {
			expect((await sendTo(broken, operation, token, example(operation))).status).toBeLessThan(500);
		}
		await broken.stop();
	});
});
