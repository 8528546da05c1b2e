import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doors, openDoors } from "../../../test/doors.ts";
import { errorOf, mountExamples, Place } from "../../../test/example-operations.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/house.ts";
import { raw } from "../../../test/raw.ts";

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
		const missing = [400, "idempotency_required", "Idempotency-Key: this header is required."];
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
				"/customers: unknown field (did you mean customer?).",
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
