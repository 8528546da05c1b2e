import { createConfig, lintFromString } from "@redocly/openapi-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { BADGE_SURFACE, CSV, errorOf, ListAccounts, mountExamples, PDF } from "../../../test/example-operations.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { NO_DATES } from "./api-date.ts";
import { openApi, openApiText } from "./openapi/document.ts";

let database: TestDatabase;
let doors: Doors;
let token: string;

beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db, { extend: mountExamples });
	({ token } = await doors.mint());
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

const ask = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
	fetch(doors.origin + path, { method, headers: { authorization: `Bearer ${token}`, ...headers } });

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

/** The fields that the test above reads. */
interface DocumentedOperation {
	readonly parameters: readonly object[];
	readonly responses: { readonly [status: string]: { readonly content?: object } };
}
