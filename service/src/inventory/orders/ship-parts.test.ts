import fc from "fast-check";
import { expect, it } from "vitest";
import { PureHouse } from "../../../test/model/pure-house.ts";
import { PORTLAND } from "../../../test/model/script-orders.ts";
import { makeTown, POOLS } from "../../../test/model/town.ts";
import { size } from "../../../test/sizes.ts";
import type { Answer, Command } from "../../assembly/commands.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";

/*
 * An order of several lines, some of them kits, over lots that are too small for any line: shipped in parts and voided,
 * in any order.
 */

const RUNS = 10_000;
const origin = { actor: "operator:test", requestId: null };
const town = makeTown("parts");
const SKUS = ["one", "pair", "kit", "tik"] as const;
const named = { orderId: town.id("order"), token: town.id("hold") };

interface Wanted {
	readonly sku: (typeof SKUS)[number];
	readonly qty: number;
}
const lines = fc.array(
	fc.record({ sku: fc.constantFrom<Wanted["sku"]>(...SKUS), qty: fc.integer({ min: 1, max: 5 }) }),
	{ minLength: 1, maxLength: 4 },
);
const steps = fc.array(
	fc.oneof(
		{
			weight: 3,
			arbitrary: fc.record({ ship: fc.constantFrom<Wanted["sku"]>(...SKUS), qty: fc.integer({ min: 1, max: 4 }) }),
		},
		{ weight: 1, arbitrary: fc.record({ void: fc.nat({ max: 5 }) }) },
	),
	{ maxLength: 14 },
);
/** Units in each lot. */
const lotSizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });

class Warehouse {
	readonly house = new PureHouse(town);
	readonly parcels: string[] = [];
	#count = 0;

	run(command: Command): Answer {
		return this.house.run(command).answer;
	}

	/** Lots of every formula, small ones first and the last one large enough for anything. */
	begin(wanted: readonly Wanted[], sizes: readonly number[]): void {
		for (const formula of ["F0", "F1", "F2"]) {
			for (const units of [...sizes, 999]) {
				const n = ++this.#count;
				this.run({
					kind: "receive",
					origin,
					newFgId: town.id(`lot ${n}`),
					formulaId: town.id(formula),
					poolId: POOLS.ACME,
					batchNumber: `b${n}`,
					expiresOn: null,
					receivedOn: `2026-01-${String(n).padStart(2, "0")}`,
					units,
				});
			}
		}
		this.run({
			kind: "reserve",
			origin,
			caller: town.callers.acme,
			newToken: named.token,
			ttlMinutes: 30,
			externalRef: null,
			lines: wanted.map(({ sku, qty }) => ({
				sku: `${town.name}-${sku}`,
				qty,
				brandCode: undefined,
			})),
		});
		const placed = this.run({
			kind: "place",
			origin,
			caller: town.callers.acme,
			token: named.token,
			ref: "cart",
			newOrderId: named.orderId,
			newShipmentId: town.id("box"),
			externalOrderId: null,
			serviceLevel: "standard",
			note: null,
			customer: {
				name: "Ada",
				ship_to: PORTLAND,
			},
		});
		expect(isRefusal(placed)).toBe(false);
	}

	ship(items: { readonly sku: string; readonly qty: number }[] | null, trackingNumber: string | null = null): boolean {
		const answer = this.run({
			kind: "ship",
			origin,
			orders: [named],
			items,
			newShipmentId: town.id(`parcel ${++this.#count}`),
			carrierCode: null,
			serviceCode: null,
			trackingNumber,
		});
		if (isRefusal(answer)) return false;
		this.parcels.push((answer as { shipmentId: string }).shipmentId);
		return true;
	}

	void(shipmentId: string): boolean {
		const orders = [{ ...named, newShipmentId: town.id(`again ${++this.#count}`) }];
		const fgIds = [...this.house.lots.keys()];
		return !isRefusal(this.run({ kind: "voidShipment", origin, shipmentId, orders, fgIds }));
	}

	/** Units of each line in each lot, by state. */
	units(place: "allocated" | "shipped"): string {
		const parts = this.house.holds.get(named.token)?.parts.filter(({ state }) => state === place) ?? [];
		const sums = new Map<string, number>();
		for (const { line, fgId, units } of parts) sums.set(`${line} ${fgId}`, (sums.get(`${line} ${fgId}`) ?? 0) + units);
		return [...sums]
			.map(([where, units]) => `${where} ${units}`)
			.sort()
			.join(", ");
	}
	total(bucket: "allocated" | "shipped"): number {
		return [...this.house.lots.values()].reduce((sum, lot) => sum + lot[bucket], 0);
	}
}

const PER_KIT = { one: 1, pair: 2, kit: 3, tik: 5 } as const;
const unitsOf = (wanted: readonly Wanted[]): number =>
	wanted.reduce((sum, { sku, qty }) => sum + qty * PER_KIT[sku], 0);

it("any sequence of parts and voids ends with every unit shipped once, and no part is of more or other kits than were asked for", () => {
	fc.assert(
		fc.property(lines, lotSizes, steps, (wanted, sizes, todo) => {
			const warehouse = new Warehouse();
			warehouse.begin(wanted, sizes);
			const all = unitsOf(wanted);
			const left = new Map(SKUS.map((sku) => [sku, 0]));
			for (const { sku, qty } of wanted) left.set(sku, (left.get(sku) ?? 0) + qty);
			const inParcel = new Map<string, Wanted>();
			let shipped = 0;
			for (const step of todo) {
				if ("ship" in step) {
					const { ship: sku, qty } = step;
					const fits = qty <= (left.get(sku) ?? 0);
					expect(warehouse.ship([{ sku: `${town.name}-${sku}`, qty }])).toBe(fits);
					if (!fits) continue;
					left.set(sku, (left.get(sku) ?? 0) - qty);
					inParcel.set(warehouse.parcels.at(-1) ?? "", { sku, qty });
					shipped += qty * PER_KIT[sku];
				} else {
					const parcel = warehouse.parcels[step.void];
					const kits = parcel === undefined ? undefined : inParcel.get(parcel);
					expect(parcel !== undefined && warehouse.void(parcel)).toBe(kits !== undefined);
					if (!kits || parcel === undefined) continue;
					inParcel.delete(parcel);
					left.set(kits.sku, (left.get(kits.sku) ?? 0) + kits.qty);
					shipped -= kits.qty * PER_KIT[kits.sku];
				}
				expect([warehouse.total("shipped"), warehouse.total("allocated")]).toEqual([shipped, all - shipped]);
			}
			expect(warehouse.ship(null)).toBe(shipped < all);
			expect([warehouse.total("shipped"), warehouse.total("allocated")]).toEqual([all, 0]);
			expect(warehouse.house.orders.get(named.orderId)?.status).toBe("shipped");
		}),
		{ numRuns: size(RUNS) },
	);
}, 600_000);

it("a void undoes a shipment exactly: every unit is of the line and the lot it was of before", () => {
	fc.assert(
		fc.property(lines, lotSizes, steps, (wanted, sizes, todo) => {
			const warehouse = new Warehouse();
			warehouse.begin(wanted, sizes);
			for (const step of todo) {
				if (!("ship" in step)) continue;
				const before = [warehouse.units("allocated"), warehouse.units("shipped")];
				const items = [{ sku: `${town.name}-${step.ship}`, qty: step.qty }];
				if (!warehouse.ship(items)) continue;
				expect(warehouse.void(warehouse.parcels.at(-1) ?? "")).toBe(true);
				expect([warehouse.units("allocated"), warehouse.units("shipped")]).toEqual(before);
				warehouse.ship(items);
			}
		}),
		{ numRuns: size(RUNS) },
	);
}, 600_000);

it("a parcel says what left: whole kits, with units of each component by line and lot", () => {
	const warehouse = new Warehouse();
	warehouse.begin(
		[
			{ sku: "kit", qty: 2 },
			{ sku: "one", qty: 1 },
			{ sku: "kit", qty: 1 },
		],
		[1],
	);
	warehouse.ship([{ sku: `${town.name}-kit`, qty: 3 }]);
	const items = warehouse.house.shipments.get(warehouse.parcels[0] ?? "")?.items ?? [];
	expect(
		items.map(({ line, sku, qty, lots }) => [
			line,
			sku,
			qty,
			lots.map(({ batch_number, units }) => `${units} ${batch_number}`),
		]),
	).toEqual([
		[0, "parts-kit", 2, ["1 b1", "1 b2", "1 b3", "3 b4"]],
		[2, "parts-kit", 1, ["1 b2", "2 b4"]],
	]);
});

it.for([
	["its own", "1ZREST", ["1ZREST", null]],
	["another", "1ZPART", ["1ZPART", "1ZREST"]],
	["none", null, ["1ZREST", null]],
] as const)(
	"a part that leaves under %s number takes the label of its box only if it is its own",
	([, number, expected]) => {
		const warehouse = new Warehouse();
		warehouse.begin([{ sku: "one", qty: 2 }], [9]);
		const label = { carrierCode: "ups", serviceCode: null, trackingNumber: "1ZREST" };
		expect(isRefusal(warehouse.run({ kind: "createLabel", orderId: named.orderId, ...label }))).toBe(false);
		warehouse.ship([{ sku: `${town.name}-one`, qty: 1 }], number);
		const [waiting] = [...warehouse.house.shipments.values()].filter(({ status }) => status !== "shipped");
		const left = warehouse.house.shipments.get(warehouse.parcels[0] ?? "");
		expect([left?.trackingNumber, waiting?.trackingNumber]).toEqual(expected);
		expect(waiting?.labelCreatedAt === null).toBe(expected[1] === null);
	},
);
