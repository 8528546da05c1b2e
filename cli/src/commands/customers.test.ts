import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newKeyRingEntry, parseKeyRing } from "../../../service/src/partners/keys/key-ring.ts";
import { mint } from "../../../service/test/doors.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { placeOrder } from "../../../service/test/operator/placed.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";

let house: House;
let folder: string;
let env: Record<string, string>;
let token: string;

const CUSTOMER = {
	name: "Ada Example",
	email: "ada@example.com",
	ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
};

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-customers-"));
	const entry = newKeyRingEntry();
	const settings = { HOLDFAST_SECRET_KEYS: entry };
	house = await openHouse({ env: settings });
	const { socket } = house;
	env = { ...settings, HOLDFAST_DATABASE_URL: house.url, HOLDFAST_ADMIN_SOCKET: socket };
	await house.stock({ ONE: 10 });
	({ token } = await mint(house.db, parseKeyRing(entry), { scopes: ["atp.reserve", "atp.orders"] }));
});
afterAll(async () => {
	await house.close();
	await rm(folder, { recursive: true });
});

const run = (...args: string[]) => holdfast(["customers", ...args], env);
const place = async (ref: string): Promise<string> =>
	(await placeOrder(house, token, ref, { sku: "ONE", qty: 1, customer: CUSTOMER })).order_id;
const ship = async (ref: string): Promise<void> =>
	expect((await holdfast(["ship", "ship", ref, "--json"], env)).code).toBe(0);

describe("The commands customers", () => {
	it("erase one order, the orders of an address, and those of a list, as told beforehand", async () => {
		const [first, second, third] = [await place("cart-1"), await place("cart-2"), await place("cart-3")];
		const early = await run("erase", "--order", "cart-1", "--json");
		expect([early.code, early.json.error.code]).toEqual([1, "not_possible_now"]);
		expect(early.err).toContain(`Order cart-1 is placed and needs its address: ship or cancel it first.`);
		for (const ref of ["cart-1", "cart-2"]) await ship(ref);

		const dry = await run("erase", "--order", "cart-1", "--dry-run");
		expect([dry.code, dry.out]).toEqual([0, "Nothing was changed. The customer's data of 1 order would be erased.\n"]);
		expect((await run("erase", "--order", "cart-1")).out).toBe("The customer's data of 1 order was erased.\n");
		const open = await run("erase", "--email", "ADA@example.com", "--json");
		expect([open.code, open.json.error.message]).toEqual([1, expect.stringContaining("Order cart-3 is placed")]);
		await ship("cart-3");
		const erased = await run("erase", "--email", "ADA@example.com", "--json");
		expect([erased.code, erased.json]).toEqual([0, { erased: 2, already: 0, open: [], unknown: 0 }]);
		const nobody = await run("erase", "--email", "ada@example.com");
		expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining("No order has this e-mail address.")]);

		const listed = await run("erased", "--json");
		expect(listed.json.items.map((one: { order_id: string }) => one.order_id)).toEqual([third, second, first]);
		expect((await run("erased", "--limit", "2")).out).toMatch(/\n… and more: raise --limit\.\n$/);
		const ids = await run("erased", "--ids");
		expect(ids.out).toBe(`${third}\n${second}\n${first}\n`);
		const file = join(folder, "erased.txt");
		await writeFile(file, `${ids.out}\n019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d\n${await place("cart-4")}\n`);
		const again = await run("erase", "--list", file);
		expect([again.code, again.out.split("\n").slice(0, 3)]).toEqual([
			0,
			["The customer's data of 0 orders was erased.", "Erased before: 3 orders.", "No such order: 1 id."],
		]);
		expect(again.out).toContain("Still to be shipped");
	}, 180_000);

	it("name exactly one thing, and a list has only ids", async () => {
		expect((await run("erase")).code).toBe(2);
		expect((await run("erase", "--order", "a", "--email", "b")).code).toBe(2);
		const file = join(folder, "wrong.txt");
		await writeFile(file, "cart-1\n");
		const wrong = await run("erase", "--list", file);
		expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('one id of an order a line, not "cart-1"')]);
	}, 60_000);
});
