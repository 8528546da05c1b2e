import { afterAll, beforeAll, expect, it } from "vitest";
import { Confirm, PlaceOrder } from "../../src/inventory/orders/contract.ts";
import { CUSTOMER, heldFor, orderBody } from "./order-world.ts";
import { openWorld, type World } from "./world.ts";

/** Visible ASCII: the characters allowed in an Idempotency-Key. */
const ALL = Array.from({ length: 94 }, (_, n) => String.fromCharCode(33 + n)).join("");

let world: World;
let acme: string;
beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	acme = (await world.key({ brand: "ACME" })).token;
});
afterAll(() => world.stop());

it("every Idempotency-Key that placed an order reads it back, also by a client that normalises addresses", async () => {
	for (const ref of [ALL, "%".repeat(200), "/".repeat(200), "...", "./", "/..", "a/../b", "%2e%2e", "\\..\\"]) {
		const { token } = await heldFor(world, acme);
		const placed = await world.call(PlaceOrder, acme, orderBody(token), { headers: { "idempotency-key": ref } });
		expect(placed.status).toBe(201);
		// fetch follows the URL standard, which treats `.` and `..`, encoded or not, as steps in the path
		const answer = await fetch(`http://127.0.0.1:${world.port}/api/v1/orders/${encodeURIComponent(ref)}`, {
			headers: { authorization: `Bearer ${acme}` },
		});
		expect([ref, answer.status, await answer.text()]).toEqual([ref, 200, placed.text]);
	}
});

it("a key that no address can end in places nothing, and its hold is still there", async () => {
	for (const ref of [".", ".."]) {
		const { token } = await heldFor(world, acme);
		const headers = { "idempotency-key": ref };
		for (const operation of [PlaceOrder, Confirm]) {
			const answer = await world.call(operation, acme, orderBody(token), { headers });
			expect(answer.verdict).toBe("400 invalid_input");
			expect(answer.text).toContain("neither . nor ..");
		}
		const body = { reservation_token: token, customer: CUSTOMER };
		expect((await world.call(PlaceOrder, acme, body, { headers: { "idempotency-key": token } })).status).toBe(201);
	}
});
