import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { checkReply } from "../../../../test/check-reply.ts";
import { documentsOf, SURFACES } from "../../../assembly/surfaces.ts";
import { checkerOf } from "../checker.ts";

const FOLDER = path.resolve(import.meta.dirname, "../../../../../openapi");
const OPERATIONS = SURFACES.flatMap(({ operations }) => operations);

it("there is one document for each surface and API date, and none beside them", () => {
	const committed = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
	expect(committed.toSorted()).toEqual(["coa/2026-09-06.json", "operator.json", "partner/2026-09-06.json"]);
	expect(
		SURFACES.flatMap(documentsOf)
			.map(({ file }) => file)
			.toSorted(),
	).toEqual(committed.toSorted());
});

describe.each(SURFACES.flatMap(documentsOf))("The OpenAPI document $file", ({ file, text }) => {
	it("is committed as the contracts give it (else: npm run gen)", () => {
		expect(readFileSync(path.join(FOLDER, file), "utf8")).toBe(text);
	});

	it("passes the recommended rules of Redocly", async () => {
		const config = await createConfig({ extends: ["recommended"] });
		const problems = await lintFromString({ source: text, absoluteRef: "/openapi.json", config });
		expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
	});
});

describe.each(OPERATIONS.map((operation) => [operation.id, operation] as const))("%s", (_id, operation) => {
	it("takes its own example", () => {
		const { request } = operation.examples;
		if (operation.body !== undefined) expect(request).toBeDefined();
		const part = operation.body ?? operation.query;
		if (part !== undefined && request !== undefined) expect(checkerOf(part)(request)).toBeNull();
	});

	it("has an example for each success", () => {
		for (const [status, schema] of Object.entries(operation.replies)) {
			expect(checkerOf(schema)(operation.examples.replies[Number(status)])).toBeNull();
		}
	});

	it("closes its requests: a field it does not know is refused", () => {
		for (const schema of [operation.body, operation.query]) {
			// an import reads its rows itself and names every unknown field in one go (read-world.test.ts)
			const isRow = (at: string): boolean => operation.id === "import_world" && at.endsWith("/items");
			if (schema !== undefined) expect(openObjects(schema).filter((at) => !isRow(at))).toEqual([]);
		}
	});
});

it("no two operations share an id, or a method and path", () => {
	const ids = OPERATIONS.map(({ id }) => id);
	const places = OPERATIONS.map(({ method, path: where }) => `${method} ${where}`);
	expect([new Set(ids).size, new Set(places).size]).toEqual([ids.length, places.length]);
});

describe("A reply outside the document is caught", () => {
	const headers = {
		"content-type": "application/json; charset=utf-8",
		"x-partner-version": "2026-09-06",
		"x-request-id": "req_1",
		"cache-control": "no-store",
		"ratelimit-policy": '"key";q=60;w=60',
		ratelimit: '"key";r=59;t=60',
	};
	const released = { method: "POST", path: "/api/v1/release", status: 200, headers, body: { data: { ok: true } } };
	const refused = (status: number, code: string) => ({
		...released,
		status,
		headers: { ...headers, link: `<https://x/docs/errors/${code}>; rel="help"` },
		body: { error: { code, message: "No." } },
	});

	it.each([
		["a declared one passes", released, null],
		["so does a declared refusal", refused(410, "gone"), null],
		["a status that is not declared", { ...released, status: 201 }, /not declared/],
		["a missing field", { ...released, body: { data: {} } }, /required property 'ok'/],
		["another value", { ...released, body: { data: { ok: false } } }, /ok/],
		["a field too many", { ...released, body: { data: { ok: true, more: 1 } } }, /unevaluated/],
		["a field beside data", { ...released, body: { data: { ok: true }, more: 1 } }, /unevaluated/],
		["a code that is not declared", refused(410, "wrong_state"), /code/],
		["a code under another's status", refused(404, "gone"), /code/],
		[
			"a field too many in an error",
			{ ...refused(410, "gone"), body: { error: { code: "gone", message: "", x: 1 } } },
			/unevaluated/,
		],
		["an error that leads to no page", { ...refused(410, "gone"), headers }, /Link/],
		[
			"an error that leads to another's",
			{ ...refused(410, "gone"), headers: refused(404, "not_found").headers },
			/Link/,
		],
		["no request id", { ...released, headers: { ...headers, "x-request-id": undefined } }, /x-request-id/],
		["no budget", { ...released, headers: { ...headers, ratelimit: undefined } }, /RateLimit/],
		["429 without Retry-After", refused(429, "rate_limited"), /Retry-After/],
		["another content type", { ...released, headers: { ...headers, "content-type": "text/html" } }, /content type/],
		["an operation that is not there", { ...released, path: "/api/v1/other" }, /no such operation/],
		["404 for it passes", { ...refused(404, "not_found"), path: "/api/v1/other" }, null],
		["405 without Allow", { ...refused(405, "bad_request"), method: "GET" }, /Allow/],
	])("%s", (_what, reply, problem) => {
		if (problem === null) checkReply(reply);
		else expect(() => checkReply(reply)).toThrow(problem);
	});
});

/** The pointers of object schemas that allow unknown fields. */
function openObjects(schema: object, at = ""): string[] {
	const { type, additionalProperties } = schema as { type?: string; additionalProperties?: unknown };
	const own = type === "object" && additionalProperties !== false ? [at || "/"] : [];
	const below = Object.entries(schema).flatMap(([name, one]) =>
		typeof one === "object" && one !== null ? openObjects(one, `${at}/${name}`) : [],
	);
	return [...own, ...below];
}
