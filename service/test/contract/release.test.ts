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

const release = (reservation_token: string, key = acme) => world.call(Release, key, { reservation_token });
/** A hold of 2 of 3 units, and its SKU. */
async function hold(qty = 2) {
	const { sku, lots } = await world.stocked([{ brand: "ACME", units: 3 }]);
	const { data } = await world.call(Reserve, acme, { items: [{ sku, qty }] });
	return { sku, lots, token: data.reservation_token };
}
const atp = async (sku: string) => (await world.call(Inventory, acme, { sku })).data.totals.atp;

describe("200", () => {
	it("frees the units at once", async () => {
		const { sku, token } = await hold();
		expect(await atp(sku)).toBe(1);
		const answer = await release(token);
		expect([answer.verdict, answer.data]).toEqual(["200", { ok: true }]);
		expect(answer.header("cache-control")).toBe("no-store");
		expect(await atp(sku)).toBe(3);
	});

	it("a repeat answers the same, byte for byte, and frees nothing twice", async () => {
		const { sku, token } = await hold();
		const first = await release(token);
		const again = await release(token);
		expect([again.status, again.text]).toEqual([first.status, first.text]);
		expect(await atp(sku)).toBe(3);
		expect(await world.audit()).toEqual([]);
	});

	it("understands a token in capitals", async () => {
		const { token } = await hold();
		expect((await release(token.toUpperCase())).verdict).toBe("200");
		expect((await release(token)).verdict).toBe("200");
	});

	it("an impaired hold is released like any other, also one that lost everything", async () => {
		for (const lost of [1, "all"] as const) {
			const { sku, lots, token } = await hold(3);
			await world.quarantine(lots[0] as string, lost);
			expect((await release(token)).verdict).toBe("200");
			expect(await atp(sku)).toBe(lost === 1 ? 2 : 0);
		}
		expect(await world.audit()).toEqual([]);
	});

	it("units held together with a recalled lot's come back to the lots they are in now", async () => {
		const { sku, lots } = await world.stocked([
			{ brand: "ACME", units: 2, expires: world.day(9) },
			{ brand: "ACME", units: 2 },
		]);
		const { data } = await world.call(Reserve, acme, { items: [{ sku, qty: 2 }] });
		await world.destroy(lots[0] as string, "all");
		expect(await atp(sku)).toBe(0);
		expect((await release(data.reservation_token)).verdict).toBe("200");
		expect(await atp(sku)).toBe(2);
		expect(await world.audit()).toEqual([]);
	});
});

describe("404 not_found", () => {
	it("a token nobody has", async () => {
		expect((await release(neverIssued())).verdict).toBe("404 not_found");
	});
	it("the nil uuid", async () => {
		expect((await release("00000000-0000-0000-0000-000000000000")).verdict).toBe("404 not_found");
	});
	it("another key's token, also of the same partner", async () => {
		const partner = world.partner();
		const [owner, sister] = [await world.key({ partner, brand: "ACME" }), await world.key({ partner, brand: "ACME" })];
		const { sku } = await world.stocked([{ brand: "ACME", units: 1 }]);
		const { data } = await world.call(Reserve, owner.token, { items: [{ sku, qty: 1 }] });
		expect((await release(data.reservation_token, sister.token)).verdict).toBe("404 not_found");
		expect((await release(data.reservation_token, acme)).verdict).toBe("404 not_found");
		expect(await atp(sku)).toBe(0);
		expect((await release(data.reservation_token, owner.token)).verdict).toBe("200");
	});
});

describe("410 gone", () => {
	it("a hold past its end, swept or not", async () => {
		const { sku, token } = await hold();
		await world.lapse(token);
		expect((await release(token)).verdict).toBe("410 gone");
		expect((await release(token)).verdict).toBe("410 gone");
		expect(await atp(sku)).toBe(3);
	});

	it("a consumed hold, and one whose consume was reversed", async () => {
		const { sku, token } = await hold();
		const external_ref = unique("sale");
		await world.call(Consume, acme, { reservation_token: token, external_ref });
		expect((await release(token)).verdict).toBe("410 gone");
		expect(await atp(sku)).toBe(1);
		await world.call(ReverseConsume, acme, { external_ref });
		expect((await release(token)).verdict).toBe("410 gone");
		expect(await atp(sku)).toBe(3);
		expect(await world.audit()).toEqual([]);
	});
});

describe("400 invalid_input", () => {
	it.each([
		["no token", {}, "/reservation_token: required"],
		["a number", { reservation_token: 1 }, "/reservation_token: expected"],
		["null", { reservation_token: null }, "/reservation_token: expected"],
		["an empty token", { reservation_token: "" }, "/reservation_token: expected"],
		["no uuid", { reservation_token: "nonsense" }, "/reservation_token: expected"],
		["a uuid in braces", { reservation_token: `{${neverIssued()}}` }, "/reservation_token: expected"],
		["a uuid without dashes", { reservation_token: neverIssued().replaceAll("-", "") }, "/reservation_token: expected"],
		["a uuid with a space", { reservation_token: ` ${neverIssued()}` }, "/reservation_token: expected"],
		["a uuid with a line end", { reservation_token: `${neverIssued()}\n` }, "/reservation_token: expected"],
		["a list of tokens", { reservation_token: [neverIssued()] }, "/reservation_token: expected"],
		["an unknown field", { reservation_token: neverIssued(), external_ref: "x" }, "/external_ref: unknown"],
	])("%s", async (_what, body, message) => {
		const answer = await world.send(Release, acme, body);
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toContain(message);
	});
});
