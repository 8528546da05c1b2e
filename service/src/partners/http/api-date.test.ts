import Type from "typebox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, Echo, openDoors } from "../../../test/doors.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { CURRENT_API_DATE } from "../../glossary.ts";
import { createApiDates, type PastDate, shapesOf } from "./api-date.ts";
import { checkerOf } from "./checker.ts";

/** Two made-up dates. On the first, the operation took `{sku, count}`; on the second it took lines, under this name. */
const FIRST = "2025-01-15";
const SECOND = "2026-02-01";
type Line = { sku: string; qty: number };

const PAST: readonly PastDate[] = [
	{
		date: FIRST,
		supersededOn: SECOND,
		sunsetOn: "2026-12-31",
		changes: [
			{
				operation: "echo",
				body: {
					schema: Type.Object(
						{ sku: Type.String(), count: Type.Integer({ minimum: 1 }) },
						{ additionalProperties: false },
					),
					up: (body) => {
						const { sku, count } = body as { sku: string; count: number };
						return { lines: [{ sku, qty: count }] };
					},
				},
				replies: {
					201: {
						schema: Type.Object({ sku: Type.String() }),
						down: (data) => ({ sku: (data as { lines: string[] }).lines[0] }),
					},
				},
			},
			{
				operation: "look",
				query: {
					schema: Type.Object({ code: Type.String() }, { additionalProperties: false }),
					up: (query) => ({ sku: (query as { code: string }).code }),
				},
			},
		],
	},
	{
		date: SECOND,
		supersededOn: CURRENT_API_DATE,
		sunsetOn: null,
		changes: [
			{
				operation: "echo",
				body: {
					schema: Type.Object(
						{ lines: Type.Array(Type.Object({ sku: Type.String(), qty: Type.Integer() }), { maxItems: 100 }) },
						{ additionalProperties: false },
					),
					up: (body) => ({ items: (body as { lines: Line[] }).lines }),
				},
				replies: {
					201: {
						schema: Type.Object({ lines: Type.Array(Type.String()) }),
						down: (data) => ({ lines: (data as { skus: string[] }).skus }),
					},
				},
			},
		],
	},
];

let database: TestDatabase;
let doors: Doors;
let token: string;

beforeAll(async () => {
	database = await openTestDatabase();
	doors = await openDoors(database.db, { dates: createApiDates(PAST) });
	({ token } = await doors.mint());
});
afterAll(async () => {
	await doors.close();
	await database.close();
});

/** The fields that these tests read. */
interface Body {
	readonly data: { readonly [field: string]: unknown };
	readonly error: { readonly code: string; readonly message: string };
}

async function ask(version: string | null, path: string, body?: unknown, authorization = `Bearer ${token}`) {
	const response = await fetch(doors.origin + path, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			authorization,
			"content-type": "application/json",
			...(version === null ? {} : { "x-partner-version": version }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	return { status: response.status, headers: response.headers, json: (await response.json()) as Body };
}

const NOW = { items: [{ sku: "A", qty: 2 }] };
const ON_SECOND = { lines: [{ sku: "A", qty: 2 }] };
const ON_FIRST = { sku: "A", count: 2 };

describe("On an older date, requests go up and replies come down", () => {
	it.each([
		["no header", null, NOW, ["skus", "pk"], CURRENT_API_DATE],
		["today's date", CURRENT_API_DATE, NOW, ["skus", "pk"], CURRENT_API_DATE],
		["the second date", SECOND, ON_SECOND, ["lines"], SECOND],
		["the first date", FIRST, ON_FIRST, ["sku"], FIRST],
		["a day between two dates: the earlier", "2026-01-31", ON_FIRST, ["sku"], FIRST],
		["a day between the second and today's", "2026-09-05", ON_SECOND, ["lines"], SECOND],
	])("%s", async (_what, version, body, fields, inForce) => {
		const { status, json, headers } = await ask(version, "/api/v1/echo", body);
		expect([status, Object.keys(json.data)]).toEqual([201, fields]);
		expect(Object.values(json.data)[0]).toEqual(inForce === FIRST ? "A" : ["A"]);
		expect(headers.get("x-partner-version")).toBe(inForce);
	});

	it("each date's own shape is what a request must have", async () => {
		for (const [version, wrong] of [
			[CURRENT_API_DATE, ON_FIRST],
			[SECOND, NOW],
			[FIRST, ON_SECOND],
		] as const) {
			const { status, json } = await ask(version, "/api/v1/echo", wrong);
			expect([status, json.error.code]).toEqual([400, "invalid_input"]);
		}
	});

	it("queries go up too, and an operation that did not change is the same on every date", async () => {
		expect((await ask(FIRST, "/api/v1/look?code=A")).json.data.sku).toBe("A");
		expect((await ask(SECOND, "/api/v1/look?sku=A")).json.data.sku).toBe("A");
	});

	it("errors carry the date in force", async () => {
		const { status, headers } = await ask(FIRST, "/api/v1/echo", { sku: "OUT", count: 1 });
		expect([status, headers.get("x-partner-version")]).toEqual([409, FIRST]);
		expect((await ask(FIRST, "/api/v1/nothing")).headers.get("x-partner-version")).toBe(FIRST);
		expect((await ask(FIRST, "/api/v1/look?code=A", undefined, "")).headers.get("x-partner-version")).toBe(FIRST);
	});

	it("says that a superseded date is, since when, and until when it works", async () => {
		const first = await ask(FIRST, "/api/v1/echo", ON_FIRST);
		expect(first.headers.get("deprecation")).toBe(`@${Date.UTC(2026, 1, 1) / 1000}`);
		expect(first.headers.get("sunset")).toBe("Thu, 31 Dec 2026 00:00:00 GMT");
		expect(first.headers.get("link")).toContain('rel="deprecation"');
		const second = await ask(SECOND, "/api/v1/echo", ON_SECOND);
		expect([second.headers.get("deprecation"), second.headers.get("sunset")]).toEqual([
			`@${Date.UTC(2026, 8, 6) / 1000}`,
			null,
		]);
		const current = await ask(null, "/api/v1/echo", NOW);
		expect([current.headers.get("deprecation"), current.headers.get("link")]).toEqual([null, null]);
	});
});

describe("A date that is refused", () => {
	it.each([
		["newer than the deployment", "2026-09-07", "unsupported_version"],
		["far newer", "9999-12-31", "unsupported_version"],
		["older than the oldest accepted", "2025-01-14", "unsupported_version"],
		["empty", "", "invalid_input"],
		["a day that does not exist", "2026-02-30", "invalid_input"],
		["a month that does not exist", "2026-13-01", "invalid_input"],
		["another format", "06.09.2026", "invalid_input"],
		["with a time", "2026-09-06T00:00:00Z", "invalid_input"],
		["two of them", "2026-09-06, 2026-02-01", "invalid_input"],
		["words", "latest", "invalid_input"],
	])("%s", async (_what, version, code) => {
		const { status, json, headers } = await ask(version, "/api/v1/look?sku=A");
		expect([status, json.error.code]).toEqual([400, code]);
		expect(headers.get("x-partner-version")).toBe(CURRENT_API_DATE);
		for (const date of [CURRENT_API_DATE, SECOND, FIRST]) expect(json.error.message).toContain(date);
	});
});

it("GET /api/versions lists them newest first, needs no key and looks at no date", async () => {
	for (const version of [null, "nonsense", FIRST]) {
		const { status, json, headers } = await ask(version, "/api/versions", undefined, "");
		expect([status, headers.get("x-partner-version")]).toEqual([200, CURRENT_API_DATE]);
		expect(json).toEqual({
			data: {
				items: [
					{ version: CURRENT_API_DATE, status: "current", sunset_on: null },
					{ version: SECOND, status: "supported", sunset_on: null },
					{ version: FIRST, status: "deprecated", sunset_on: "2026-12-31" },
				],
			},
		});
	}
});

it("every past date of this deployment has shapes for the operations it changes", () => {
	const dates = createApiDates(PAST);
	const today = { ...Echo, replies: { 201: Type.Object({ skus: Type.Array(Type.String()) }) } };
	const shapes = shapesOf(today, dates);
	const told = shapes.map((shape) => shape.down(201, { skus: ["A"] }));
	expect(told).toEqual([{ skus: ["A"] }, { lines: ["A"] }, { sku: "A" }]);
	expect(shapes.map((shape, age) => checkerOf(shape.replies[201])(told[age]))).toEqual([null, null, null]);
});
