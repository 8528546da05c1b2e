import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { Inventory } from "../../src/inventory/stock/contract.ts";
import { neverIssued, openWorld, unique, type World } from "./world.ts";

let world: World;
let acme: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	acme = (await world.key({ brand: "ACME" })).token;
});
afterAll(() => world.stop());

const consume = (reservation_token: string, external_ref: string, key = acme) =>
	world.call(Consume, key, { reservation_token, external_ref });
async function hold({ qty = 2, perKit = 1, key = acme, units = 12 } = {}) {
	const { sku, lots } = await world.stocked([{ brand: "ACME", units }], perKit);
	const { data } = await world.call(Reserve, key, { items: [{ sku, qty }] });
	return { sku, lots, token: data.reservation_token };
}
const totals = async (sku: string) => (await world.call(Inventory, acme, { sku })).data.totals;

describe("200", () => {
	it("takes the units out of the stock under the caller's reference", async () => {
		const { sku, token } = await hold();
		const external_ref = unique("sale");
		const answer = await consume(token, external_ref);
		expect(answer.data).toEqual({ consumed_units: 2, external_ref, idempotent: false });
		expect(answer.header("idempotent-replayed")).toBeUndefined();
		expect(await totals(sku)).toEqual({ on_hand: 10, reserved: 0, atp: 10 });
		expect(await world.audit()).toEqual([]);
	});

	it("counts units, not kits", async () => {
		const { token } = await hold({ qty: 2, perKit: 6 });
		expect((await consume(token, unique("sale"))).data.consumed_units).toBe(12);
	});

	it("a repeat under the same reference answers the same numbers and takes nothing twice", async () => {
		const { sku, token } = await hold();
		const external_ref = unique("sale");
		const first = await consume(token, external_ref);
		const again = await consume(token.toUpperCase(), external_ref);
		expect(again.data).toEqual({ ...first.data, idempotent: true });
		expect(again.header("idempotent-replayed")).toBe("true");
		expect((await totals(sku)).on_hand).toBe(10);
	});

	it("the reference may be the one it was reserved under, or any text at all", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 9 }]);
		for (const external_ref of [unique("cart"), "😀".repeat(200), " ", "\u202e", "null", "{}"]) {
			const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 1 }], external_ref });
			const answer = await consume(data.reservation_token, external_ref);
			expect(answer.data).toEqual({ consumed_units: 1, external_ref, idempotent: false });
		}
	});

	it("the same reference under another key is that key's own", async () => {
		const { token: other } = await world.key({ brand: "ACME" });
		const external_ref = unique("sale");
		const [a, b] = [await hold(), await hold({ key: other })];
		expect((await consume(a.token, external_ref)).verdict).toBe("200");
		expect((await consume(b.token, external_ref, other)).data.idempotent).toBe(false);
	});

	it("units picked again after a recall are consumed from where they are now", async () => {
		const { sku, lots } = await world.stocked([
			{ brand: "ACME", units: 2, expires: world.day(9) },
			{ brand: "ACME", units: 2 },
		]);
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 2 }] });
		await world.quarantine(lots[0] as string, "all");
		expect((await consume(data.reservation_token, unique("sale"))).data.consumed_units).toBe(2);
		expect(await totals(sku)).toEqual({ on_hand: 0, reserved: 0, atp: 0 });
		expect(await world.audit()).toEqual([]);
	});
});

describe("404 not_found", () => {
	it("a token nobody has", async () => {
		expect((await consume(neverIssued(), unique("sale"))).verdict).toBe("404 not_found");
	});

	it("another key's token, also of the same partner, and nothing is taken", async () => {
		const partner = world.partner();
		const [owner, sister] = [await world.key({ partner, brand: "ACME" }), await world.key({ partner, brand: "ACME" })];
		const { token } = await hold({ key: owner.token });
		const external_ref = unique("sale");
		expect((await consume(token, external_ref, sister.token)).verdict).toBe("404 not_found");
		expect((await consume(token, external_ref)).verdict).toBe("404 not_found");
		expect((await consume(token, external_ref, owner.token)).data.idempotent).toBe(false);
		// even consumed, it is still not theirs
		expect((await consume(token, external_ref, sister.token)).verdict).toBe("404 not_found");
	});
});

describe("410 wrong_state", () => {
	it("a hold past its end, swept or not", async () => {
		const { sku, token } = await hold();
		await world.lapse(token);
		const external_ref = unique("sale");
		expect((await consume(token, external_ref)).verdict).toBe("410 wrong_state");
		expect((await consume(token, external_ref)).verdict).toBe("410 wrong_state");
		expect((await totals(sku)).atp).toBe(12);
	});

	it("a released hold", async () => {
		const { token } = await hold();
		await world.call(Release, acme, { reservation_token: token });
		expect((await consume(token, unique("sale"))).verdict).toBe("410 wrong_state");
	});

	it("a hold consumed under another reference", async () => {
		const { sku, token } = await hold();
		await consume(token, unique("sale"));
		expect((await consume(token, unique("sale"))).verdict).toBe("410 wrong_state");
		expect((await totals(sku)).on_hand).toBe(10);
	});

	it("a hold whose consume was reversed, under the same reference or another", async () => {
		const { token } = await hold();
		const external_ref = unique("sale");
		await consume(token, external_ref);
		await world.call(ReverseConsume, acme, { external_ref });
		expect((await consume(token, external_ref)).verdict).toBe("410 wrong_state");
		expect((await consume(token, unique("sale"))).verdict).toBe("410 wrong_state");
	});

	it("an impaired hold, some kits whole or none, until it is released", async () => {
		for (const lost of [1, "all"] as const) {
			const { lots, token } = await hold({ qty: 12 });
			await world.destroy(lots[0] as string, lost);
			expect((await consume(token, unique("sale"))).verdict).toBe("410 wrong_state");
			expect((await world.call(Release, acme, { reservation_token: token })).verdict).toBe("200");
		}
		expect(await world.audit()).toEqual([]);
	});

	it("a hold whose lot passed its date meanwhile and cannot be picked again", async () => {
		const { lots, token } = await hold({ qty: 12 });
		await world.db.query("update lot set expires_on = (now() at time zone 'UTC')::date - 1 where fg_id = $1", [
			lots[0],
		]);
		expect((await consume(token, unique("sale"))).verdict).toBe("410 wrong_state");
		expect(await world.audit()).toEqual([]);
	});

	it("a refused consume binds no reference", async () => {
		const [dead, live] = [await hold(), await hold()];
		const external_ref = unique("sale");
		await world.lapse(dead.token);
		expect((await consume(dead.token, external_ref)).verdict).toBe("410 wrong_state");
		expect((await consume(live.token, external_ref)).verdict).toBe("200");
	});
});

describe("400 invalid_input", () => {
	it("a reference this key consumed another hold under; the token is judged first", async () => {
		const [first, second, dead] = [await hold(), await hold(), await hold()];
		const external_ref = unique("sale");
		await consume(first.token, external_ref);
		const answer = await consume(second.token, external_ref);
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain("/external_ref");
		await world.lapse(dead.token);
		expect((await consume(dead.token, external_ref)).verdict).toBe("410 wrong_state");
		expect((await consume(neverIssued(), external_ref)).verdict).toBe("404 not_found");
		// the second hold is unchanged
		expect((await consume(second.token, unique("sale"))).verdict).toBe("200");
	});

	it("stays so after the consume was reversed", async () => {
		const [first, second] = [await hold(), await hold()];
		const external_ref = unique("sale");
		await consume(first.token, external_ref);
		await world.call(ReverseConsume, acme, { external_ref });
		expect((await consume(second.token, external_ref)).verdict).toBe("400 invalid_input");
	});

	it.each([
		["no reference", { reservation_token: neverIssued() }, "/external_ref: required"],
		["no token", { external_ref: "x" }, "/reservation_token: required"],
		["an empty reference", { reservation_token: neverIssued(), external_ref: "" }, "/external_ref"],
		["201 code points", { reservation_token: neverIssued(), external_ref: "x".repeat(201) }, "/external_ref"],
		["NUL", { reservation_token: neverIssued(), external_ref: "\u0000" }, "/external_ref"],
		["half a surrogate pair", { reservation_token: neverIssued(), external_ref: "\ud83d" }, "/external_ref"],
		["a number", { reservation_token: neverIssued(), external_ref: 7 }, "/external_ref: expected a string"],
		["no uuid", { reservation_token: "x", external_ref: "x" }, "/reservation_token"],
		["an unknown field", { reservation_token: neverIssued(), external_ref: "x", qty: 1 }, "/qty: unknown"],
	])("%s", async (_what, body, pointer) => {
		const answer = await world.send(Consume, acme, body);
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(pointer);
	});
});
