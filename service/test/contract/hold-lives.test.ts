import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { Inventory } from "../../src/inventory/stock/contract.ts";
import { openWorld, unique, type World } from "./world.ts";

/*
 * The table "Token x operation" of settlements, section 5, row by row: every operation on a hold in each of its states.
 */

let world: World;
let token: string;

beforeAll(async () => {
	world = await openWorld();
	await world.has({ brands: [{ code: "ACME", name: "Acme" }] });
	({ token } = await world.key({ brand: "ACME" }));
});
afterAll(() => world.stop());

interface Case {
	readonly reservation: string;
	readonly sku: string;
	readonly lot: string;
	/** The reference of the reserve. */
	readonly cart: string;
	/** The reference of the consume, if there was one. */
	readonly sale: string;
}

async function hold(): Promise<Case> {
	const { sku, lots } = await world.stocked([{ brand: "ACME", units: 6 }], 2);
	const [cart, sale] = [unique("cart"), unique("sale")];
	const { data } = await world.call(Reserve, token, { items: [{ sku, qty: 3 }], external_ref: cart });
	return { reservation: data.reservation_token, sku, lot: lots[0] as string, cart, sale };
}

const release = ({ reservation }: Case) => world.call(Release, token, { reservation_token: reservation });
const consume = ({ reservation }: Case, external_ref: string) =>
	world.call(Consume, token, { reservation_token: reservation, external_ref });
const reverse = (external_ref: string) => world.call(ReverseConsume, token, { external_ref });
const place = (of: Case) =>
	world.db.query(
		`with h as (update hold set status = 'placed', ended_at = now() where reservation_token = $1),
		      p as (select fg_id, units from hold_part where reservation_token = $1 and own_state is null),
		      m as (insert into unit_move (at, fg_id, from_bucket, to_bucket, units, cause, actor)
		            select now(), fg_id, 'held', 'allocated', units, 'place', 'test' from p)
		 update lot set held = held - p.units, allocated = allocated + p.units from p where lot.fg_id = p.fg_id`,
		[of.reservation],
	);

/**
 * How a hold reaches the state, and the answers to release, consume, a repeat of the same consume, reverse, and another
 * reserve under the reference.
 */
const ROWS: Record<
	string,
	{ make: (of: Case) => Promise<unknown>; release: string; consume: string; reverse: string; again: string }
> = {
	active: { make: async () => undefined, release: "200", consume: "200", reverse: "409 not_consumed", again: "replay" },
	"active, impaired, some kits whole": {
		make: (of) => world.quarantine(of.lot, 1),
		release: "200",
		consume: "410 wrong_state",
		reverse: "409 not_consumed",
		again: "replay",
	},
	"active, no units left": {
		make: (of) => world.destroy(of.lot, "all"),
		release: "200",
		consume: "410 wrong_state",
		reverse: "409 not_consumed",
		again: "replay",
	},
	expired: {
		make: (of) => world.lapse(of.reservation),
		release: "410 gone",
		consume: "410 wrong_state",
		reverse: "409 not_consumed",
		again: "new",
	},
	released: { make: release, release: "200", consume: "410 wrong_state", reverse: "409 not_consumed", again: "new" },
	"consumed under R": {
		make: (of) => consume(of, of.sale),
		release: "410 gone",
		consume: "200",
		reverse: "200",
		again: "new",
	},
	"consumed under another reference": {
		make: (of) => consume(of, unique("other")),
		release: "410 gone",
		consume: "410 wrong_state",
		reverse: "404 not_found",
		again: "new",
	},
	reversed: {
		make: async (of) => {
			await consume(of, of.sale);
			await reverse(of.sale);
		},
		release: "410 gone",
		consume: "410 wrong_state",
		reverse: "200",
		again: "new",
	},
	placed: {
		make: place,
		release: "410 gone",
		consume: "410 wrong_state",
		reverse: "409 not_reversible",
		again: "new",
	},
};

describe("A hold that is", () => {
	it.each(Object.keys(ROWS))("%s", async (state) => {
		const row = ROWS[state] as (typeof ROWS)[string];
		const fresh = async (): Promise<Case> => {
			const of = await hold();
			await row.make(of);
			return of;
		};
		expect((await release(await fresh())).verdict).toBe(row.release);
		const consumed = await fresh();
		expect((await consume(consumed, consumed.sale)).verdict).toBe(row.consume);
		const reversed = await fresh();
		const consumedUnderSale = state === "consumed under R" || state === "reversed";
		const reference = consumedUnderSale || state.startsWith("consumed") ? reversed.sale : reversed.cart;
		expect((await reverse(reference)).verdict).toBe(row.reverse);
		expect(await world.audit()).toEqual([]);
	});

	it.each(Object.keys(ROWS))("%s: its reference reserved again", async (state) => {
		const row = ROWS[state] as (typeof ROWS)[string];
		const of = await hold();
		await row.make(of);
		const { code } = await world.stocked([{ brand: "ACME", units: 9 }]);
		const other = unique("OTHER");
		await world.has({
			skus: [{ sku: other, name: other, kind: "single", components: [{ formula: code, per_kit: 1 }] }],
		});
		const again = await world.call(Reserve, token, { items: [{ sku: other, qty: 1 }], external_ref: of.cart });
		expect(again.verdict).toBe("201");
		expect(again.data.idempotent).toBe(row.again === "replay");
		expect(again.data.reservation_token === of.reservation).toBe(row.again === "replay");
		const warnings = state.startsWith("active, ") ? "items_differ, impaired" : "items_differ";
		expect(again.header("partner-warning")).toBe(row.again === "replay" ? warnings : undefined);
		expect(await world.audit()).toEqual([]);
	});
});

describe("Reserved quantities", () => {
	it("count the kits still whole when units were lost", async () => {
		const of = await hold();
		await world.quarantine(of.lot, 1);
		const { data } = await world.call(Reserve, token, { items: [{ sku: of.sku, qty: 3 }], external_ref: of.cart });
		expect(data.items[0]).toMatchObject({ reserved_qty: 2, from_brand_pool: 5 });
		expect(data.items[0]?.components[0]).toMatchObject({ requested_units: null, reserved_units: 5 });
		await world.destroy(of.lot, "all");
		const rest = await world.call(Reserve, token, { items: [{ sku: of.sku, qty: 3 }], external_ref: of.cart });
		expect(rest.data.items[0]).toMatchObject({ reserved_qty: 0, from_brand_pool: 0, fg_ids: [] });
		expect((await world.call(Inventory, token, { sku: of.sku })).data.totals).toEqual({
			on_hand: 0,
			reserved: 0,
			atp: 0,
		});
	});
});
