import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { Check, Inventory } from "../../src/inventory/stock/contract.ts";
import { openWorld, type StockedLot, unique, type World } from "./world.ts";

let world: World;
let acme: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	acme = (await world.key({ brand: "ACME" })).token;
});
afterAll(() => world.stop());

const reverse = (external_ref: string, key = acme) => world.call(ReverseConsume, key, { external_ref });
/** 3 units consumed from these lots. */
async function sold(lots: StockedLot[] = [{ brand: "ACME", units: 5 }], key = acme) {
	const stock = await world.stocked(lots);
	const external_ref = unique("sale");
	const { data } = await world.call(Reserve, key, { items: [{ sku: stock.sku, qty: 3 }] });
	await world.call(Consume, key, { reservation_token: data.reservation_token, external_ref });
	return { ...stock, external_ref, token: data.reservation_token };
}
const totals = async (sku: string) => (await world.call(Inventory, acme, { sku })).data.totals;

describe("200", () => {
	it("gives the units back", async () => {
		const { sku, external_ref } = await sold();
		expect((await totals(sku)).on_hand).toBe(2);
		const answer = await reverse(external_ref);
		expect(answer.data).toEqual({ returned_units: 3, idempotent: false });
		expect(answer.header("idempotent-replayed")).toBeUndefined();
		expect(await totals(sku)).toEqual({ on_hand: 5, reserved: 0, atp: 5 });
		expect(await world.audit()).toEqual([]);
	});

	it("to the lots and pools they came from", async () => {
		const { sku, external_ref, lots } = await sold([
			{ brand: "ACME", units: 2 },
			{ brand: null, units: 9 },
		]);
		await reverse(external_ref);
		const { rows } = await world.db.query<{ fg_id: string; available: number }>(
			"select fg_id, available from lot where fg_id = any($1)",
			[lots],
		);
		expect(new Map(rows.map(({ fg_id, available }) => [fg_id, available]))).toEqual(
			new Map([
				[lots[0], 2],
				[lots[1], 9],
			]),
		);
		const { data } = await world.call(Inventory, acme, { sku });
		expect(data.by_brand).toEqual([
			{ brand_code: "ACME", on_hand: 2, reserved: 0, atp: 2 },
			{ brand_code: null, on_hand: 9, reserved: 0, atp: 9 },
		]);
	});

	it("a repeat answers the same figure and gives nothing back twice", async () => {
		const { sku, external_ref } = await sold();
		await reverse(external_ref);
		for (let n = 0; n < 3; n++) {
			const again = await reverse(external_ref);
			expect(again.data).toEqual({ returned_units: 3, idempotent: true });
			expect(again.header("idempotent-replayed")).toBe("true");
		}
		expect((await totals(sku)).on_hand).toBe(5);
		expect(await world.audit()).toEqual([]);
	});

	it("units of a lot that passed its date come back and do not count", async () => {
		const { sku, external_ref, lots } = await sold([{ brand: "ACME", units: 3, expires: world.day(2) }]);
		await world.db.query("update lot set expires_on = (now() at time zone 'UTC')::date - 1 where fg_id = any($1)", [
			lots,
		]);
		expect((await reverse(external_ref)).data.returned_units).toBe(3);
		expect(await totals(sku)).toEqual({ on_hand: 0, reserved: 0, atp: 0 });
		expect(await world.audit()).toEqual([]);
	});

	it("units of a formula archived meanwhile come back all the same", async () => {
		const { sku, code, external_ref } = await sold();
		await world.has({ formulas: [{ code, name: code, status: "archived" }] });
		expect((await reverse(external_ref)).data.returned_units).toBe(3);
		await world.has({ formulas: [{ code, name: code, status: "active" }] });
		expect((await totals(sku)).atp).toBe(5);
	});

	it("what came back can be reserved and sold again", async () => {
		const { sku, external_ref } = await sold([{ brand: "ACME", units: 3 }]);
		await reverse(external_ref);
		const { data } = await world.call(Check, acme, { items: [{ sku, qty: 3 }] });
		expect(data.items[0]?.atp_qty).toBe(3);
		const again = await world.call(Reserve, acme, { items: [{ sku, qty: 3 }] });
		const { verdict } = await world.call(Consume, acme, {
			reservation_token: again.data.reservation_token,
			external_ref: unique("sale"),
		});
		expect(verdict).toBe("200");
	});
});

describe("404 not_found", () => {
	it("a reference nothing was ever done under", async () => {
		expect((await reverse(unique("never"))).verdict).toBe("404 not_found");
	});

	it("another key's reference, also of the same partner, and nothing comes back", async () => {
		const partner = world.partner();
		const [owner, sister] = [await world.key({ partner, brand: "ACME" }), await world.key({ partner, brand: "ACME" })];
		const { sku, external_ref } = await sold([{ brand: "ACME", units: 3 }], owner.token);
		expect((await reverse(external_ref, sister.token)).verdict).toBe("404 not_found");
		expect((await reverse(external_ref)).verdict).toBe("404 not_found");
		expect((await totals(sku)).on_hand).toBe(0);
		expect((await reverse(external_ref, owner.token)).data.returned_units).toBe(3);
	});

	it("references are told apart exactly", async () => {
		const { external_ref } = await sold();
		for (const near of [external_ref.toUpperCase(), `${external_ref} `, ` ${external_ref}`, `${external_ref}\u200b`]) {
			expect((await reverse(near)).verdict).toBe("404 not_found");
		}
	});
});

describe("409 not_consumed", () => {
	it.each(["active", "past its end", "released"])(
		"a reference only ever reserved under, the hold %s",
		async (state) => {
			const { sku } = await world.stocked([{ brand: "ACME", units: 1 }]);
			const external_ref = unique("cart");
			const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 1 }], external_ref });
			if (state === "past its end") await world.lapse(data.reservation_token);
			if (state === "released") {
				await world.call(Release, acme, {
					reservation_token: data.reservation_token,
				});
			}
			expect((await reverse(external_ref)).verdict).toBe("409 not_consumed");
		},
	);

	it("a reserve's reference, when the consume was made under another", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 1 }]);
		const [cart, sale] = [unique("cart"), unique("sale")];
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 1 }], external_ref: cart });
		await world.call(Consume, acme, { reservation_token: data.reservation_token, external_ref: sale });
		expect((await reverse(cart)).verdict).toBe("409 not_consumed");
		expect((await reverse(sale)).verdict).toBe("200");
	});
});

describe("409 not_reversible", () => {
	it("a reference whose hold became an order", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 1 }]);
		const external_ref = unique("cart");
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 1 }], external_ref });
		// writes the rows of a placed order directly
		await world.db.query(
			`with h as (update hold set status = 'placed', ended_at = now() where reservation_token = $1),
			      p as (select fg_id, units from hold_part where reservation_token = $1),
			      m as (insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, actor)
			            select now(), fg_id, 'held', 'allocated', units, 'place', 'test' from p)
			 update lot set held = held - p.units, allocated = allocated + p.units from p where lot.fg_id = p.fg_id`,
			[data.reservation_token],
		);
		expect((await reverse(external_ref)).verdict).toBe("409 not_reversible");
		expect(await world.audit()).toEqual([]);
	});
});

describe("400 invalid_input", () => {
	it.each([
		["no reference", {}, "/external_ref: required"],
		["an empty reference", { external_ref: "" }, "/external_ref"],
		["201 code points", { external_ref: "é".repeat(201) }, "/external_ref"],
		["a number", { external_ref: 1 }, "/external_ref: expected a string"],
		["a list", { external_ref: ["x"] }, "/external_ref: expected a string"],
		["NUL", { external_ref: "x\u0000" }, "/external_ref"],
		["half a surrogate pair", { external_ref: "\udfff" }, "/external_ref"],
		["a token instead", { reservation_token: "x" }, "/reservation_token: unknown"],
	])("%s", async (_what, body, pointer) => {
		const answer = await world.send(ReverseConsume, acme, body);
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(pointer);
	});
});
