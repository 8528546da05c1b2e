import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CUSTOMER, changeBox, changeOrder } from "../../../test/contract/order-world.ts";
import { type House, openHouse } from "../../../test/house.ts";
import { recallInSteps, restoreInSteps, takeOutInSteps } from "../../../test/recall-steps.ts";
import { SCOPES } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal } from "../../ground/lib/refusal.ts";
import { pickNamedOrder, voidShipmentById } from "../../inventory/orders/change-named.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { selectKey } from "../../partners/keys/select-key.ts";
import { type Explanation, explain } from "./explain.ts";

const WORLD = {
	brands: [
		{ code: "ACME", name: "Acme" },
		{ code: "BOLT", name: "Bolt" },
	],
	formulas: [
		{ code: "F", name: "F", status: "active" },
		{ code: "G", name: "G", status: "active" },
		{ code: "OLD", name: "Old", status: "archived" },
	],
	skus: [
		{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 2 }] },
		{
			sku: "KIT",
			name: "Kit",
			kind: "kit",
			components: [
				{ formula: "F", per_kit: 1 },
				{ formula: "G", per_kit: 2 },
			],
		},
		{ sku: "OLD", name: "Old", kind: "single", components: [{ formula: "OLD", per_kit: 1 }] },
		{ sku: "FEE", name: "Fee", kind: "non_physical" },
	],
	lots: [
		{ formula: "F", brand_code: "ACME", batch_number: "F1", units: 40 },
		{ formula: "F", brand_code: "BOLT", batch_number: "F2", units: 11 },
		{ formula: "F", brand_code: null, batch_number: "F3", units: 30 },
		{ formula: "F", brand_code: null, batch_number: "F4", expires_on: "2020-01-31", units: 1_000 },
		{ formula: "G", brand_code: "ACME", batch_number: "G1", units: 50 },
		{ formula: "OLD", brand_code: null, batch_number: "O1", units: 9 },
	],
	demand: [{ formula: "F", brand_code: "ACME", units: 5, reference: "PO-7" }],
	buffers: [{ formula: "G", brand_code: "ACME", units: 4 }],
	partners: [{ name: "Shop" }],
	keys: [
		{ name: "acme", partner: "Shop", environment: "live", brand_code: "ACME", preset: "self_ship", shared_pool: true },
		{ name: "bolt", partner: "Shop", environment: "live", brand_code: "BOLT", preset: "self_ship", shared_pool: false },
		{ name: "open", partner: "Shop", environment: "live", brand_code: null, preset: "self_ship", shared_pool: true },
	],
};
const KEYS = ["acme", "bolt", "open"] as const;
const SKUS = ["ONE", "KIT", "OLD", "FEE"] as const;

describe("holdfast explain", () => {
	let house: House;
	const tokens = new Map<string, string>();
	const callers = new Map<string, Caller>();

	beforeAll(async () => {
		house = await openHouse();
		const { keys } = await house.importWorld(WORLD);
		for (const { name, token } of keys) {
			tokens.set(name, token ?? "");
			const key = await selectKey(house.db, name);
			if (isRefusal(key)) throw new Error(key.message);
			callers.set(name, { ...key, scopes: new Set(SCOPES) });
		}
	});
	afterAll(() => house.close());

	const ask = async (sku: string, key: string | null, at: Date | null = null, brandCode?: string) =>
		explain(house.db, "UTC", { sku, caller: key === null ? null : must(callers.get(key), key), brandCode, at });
	const told = async (...question: Parameters<typeof ask>): Promise<Explanation> => {
		const answer = await ask(...question);
		if (isRefusal(answer)) throw new Error(answer.message);
		return answer;
	};
	const post = async (key: string, path: string, body: object) => {
		const { json, status } = await house.call(must(tokens.get(key), key), `/api/v1/${path}`, { body });
		expect(status).toBeLessThan(300);
		return json.data;
	};
	const reserve = async (key: string, sku: string, qty: number): Promise<string> =>
		(await post(key, "reserve", { items: [{ sku, qty }] })).reservation_token;
	const order = async (key: string, sku: string, qty: number): Promise<string> => {
		const ship_to = { line1: "1 Main Street", city: "Berlin", postal_code: "10115", country: "DE" };
		const body = { reservation_token: await reserve(key, sku, qty), customer: { name: "Ada", ship_to } };
		return (await post(key, "confirm", body)).order_id;
	};
	const recall = async (batchNumber: string): Promise<void> => {
		const origin = { actor: "operator:test", requestId: null };
		const target = { batchNumber, formula: null, slug: null };
		expect(isRefusal(await recallInSteps(house.db, { target, origin, reason: "bad batch" }))).toBe(false);
	};
	const counts = async (key: string) => {
		const { items } = await post(key, "check", { items: SKUS.map((sku) => ({ sku, qty: 1 })) });
		return Object.fromEntries(
			items.map(({ sku, available_qty, atp_qty, promised_qty, backorder_qty }: Record<string, number>) => [
				sku,
				{ available_qty, atp_qty, promised_qty, backorder_qty },
			]),
		);
	};
	const explained = async (key: string, at: Date | null) =>
		Object.fromEntries(await Promise.all(SKUS.map(async (sku) => [sku, (await told(sku, key, at)).counts])));
	const move = async (batch: string, kind: "quarantine" | "restore" | "destroy", units: number) => {
		const { rows } = await house.db.query<{ fg_id: string }>("select fg_id from lot where batch_number = $1", [batch]);
		const command = {
			origin: { actor: "operator:test", requestId: null },
			fgId: rows[0]?.fg_id ?? "",
			units,
			reason: kind,
		};
		const answer =
			kind === "restore"
				? await restoreInSteps(house.db, command)
				: await takeOutInSteps(house.db, { kind, ...command });
		expect(isRefusal(answer)).toBe(false);
	};
	const unitsIn = async (batch: string) => {
		const { rows } = await house.db.query<{ available: number }>("select available from lot where batch_number = $1", [
			batch,
		]);
		return must(rows[0], "the lot");
	};
	/** The database's time, at a moment at which nothing else happens. */
	const moment = async (): Promise<Date> => {
		const { rows } = await house.db.query<{ at: Date }>(
			"select date_trunc('milliseconds', clock_timestamp()) as at, pg_sleep(0.003)",
		);
		return must(rows[0], "the clock").at;
	};

	it("ends with what check answers for the key, now, and at every past moment with what it answered then", async () => {
		let kept = "";
		let consumed = "";
		const steps: (() => Promise<unknown>)[] = [
			async () => undefined,
			async () => (kept = await reserve("acme", "KIT", 3)),
			() => reserve("acme", "ONE", 20), // all of the brand's pool and some of the shared one
			async () => (consumed = await reserve("bolt", "ONE", 2)),
			() => post("bolt", "consume", { reservation_token: consumed, external_ref: "sale" }),
			() => post("bolt", "consume/reverse", { external_ref: "sale" }),
			() => move("F3", "quarantine", 12),
			() => move("F3", "restore", 2),
			() => move("G1", "destroy", 7),
			() => post("acme", "release", { reservation_token: kept }),
			async () => {
				const lapsing = await reserve("open", "ONE", 1);
				await house.db.query("update hold set expires_at = clock_timestamp() where reservation_token = $1", [lapsing]);
			},
			async () => {
				const { engine } = house.deps;
				const { rows } = await house.db.query<{ token: string }>(
					"select reservation_token as token from hold where status = 'active' and expires_at <= now()",
				);
				const origin = { actor: "system:expiry", requestId: null };
				for (const { token } of rows) await engine.execute({ kind: "expire", origin, token });
			},
			() => order("acme", "KIT", 1),
			() => recall("F1"),
			async () => {
				const lapsing = await reserve("bolt", "ONE", 1);
				await recall("F2");
				await house.db.query("update hold set expires_at = clock_timestamp() where reservation_token = $1", [lapsing]);
			},
			async () => {
				const { rows } = await house.db.query<{ units: number }>(
					"select quarantined as units from lot where batch_number = 'F1'",
				);
				await move("F1", "restore", must(rows[0], "the lot").units);
			},
		];
		const past: { at: Date; key: string; seen: object }[] = [];
		for (const step of steps) {
			await step();
			const at = await moment();
			for (const key of KEYS) {
				const seen = await counts(key);
				expect(await explained(key, null), `now, ${key}`).toEqual(seen);
				past.push({ at, key, seen });
			}
		}
		expect(new Set(past.map(({ seen }) => JSON.stringify(seen))).size).toBeGreaterThan(8); // they do differ
		for (const [i, { at, key, seen }] of past.entries()) {
			expect(await explained(key, at), `step ${Math.floor(i / KEYS.length)}, ${key}`).toEqual(seen);
		}
	});

	it("tells of the time before a recall no hold that was not there, and no units below none", async () => {
		const token = await reserve("acme", "ONE", 2);
		const before = await moment();
		const heldBy = async (at: Date | null) =>
			(await told("ONE", "acme", at)).components.flatMap(({ pools }) =>
				pools.flatMap(({ lots }) =>
					lots.flatMap(({ batch_number: batch, holds }) => holds.map((by) => ({ batch, ...by }))),
				),
			);
		const ofToken = (held: Awaited<ReturnType<typeof heldBy>>) =>
			held.filter((by) => by.reservation_token === token).map(({ batch, units }) => ({ batch, units }));
		const seen = ofToken(await heldBy(before));
		const { batch, units } = must(seen[0], "a lot of the hold");
		await move(batch, "quarantine", (await unitsIn(batch)).available + units); // the units of the youngest hold are picked again elsewhere
		expect(ofToken(await heldBy(null)).map((held) => held.batch)).not.toContain(batch);
		const after = await heldBy(before);
		for (const by of after) expect(by.units).toBeGreaterThan(0);
		const taken = after.filter((by) => by.later === "quarantine" && by.batch === batch);
		expect(ofToken(after)).toEqual(seen.slice(1));
		expect(taken.reduce((sum, by) => sum + by.units, 0)).toBeGreaterThanOrEqual(units);
	});

	it("names the pools, lots, holds and demand it is made of", async () => {
		await house.importWorld({ lots: [{ formula: "F", brand_code: "ACME", batch_number: "F7", units: 60 }] });
		const token = await reserve("acme", "KIT", 1);
		const explanation = await told("KIT", "acme");
		expect(explanation.pools).toEqual(["ACME", null]);
		const [f] = explanation.components;
		expect(f?.pools.map(({ brand_code, promised_units }) => [brand_code, promised_units])).toEqual([
			["ACME", 5],
			[null, 0],
		]);
		expect(f?.pools[0]?.demand).toEqual([{ reference: "PO-7", units: 5 }]);
		expect(f?.pools.flatMap(({ lots }) => lots.flatMap(({ holds }) => holds))).toContainEqual({
			reservation_token: token,
			key: callers.get("acme")?.pk,
			external_ref: null,
			units: 1,
			expires_at: expect.any(String),
			lapsed: false,
			later: null,
		});
		const past = f?.pools[1]?.lots.find(({ batch_number }) => batch_number === "F4");
		expect(past).toMatchObject({ available: 1_000, in_date: false, counts: 0 });
		expect(explanation.components[1]?.pools[0]?.demand).toEqual([{ reference: null, units: 4 }]);
	});

	it("names the orders that units are allocated to, now and then, and of a recall since its reason", async () => {
		const ofOrder = await order("acme", "ONE", 2);
		const heldAt = await moment();
		const allocated = async (at: Date | null) =>
			(await told("ONE", "acme", at)).components.flatMap(({ pools }) =>
				pools.flatMap(({ lots }) =>
					lots.flatMap(({ batch_number: batch, orders }) => orders.map((by) => ({ batch, ...by }))),
				),
			);
		const units = (by: Awaited<ReturnType<typeof allocated>>) =>
			by.filter(({ order_id }) => order_id === ofOrder).reduce((sum, one) => sum + one.units, 0);
		const now = await allocated(null);
		expect(units(now)).toBe(4);
		expect(now.find(({ order_id }) => order_id === ofOrder)).toMatchObject({
			key: callers.get("acme")?.pk,
			ref: expect.any(String),
			later: null,
		});
		for (const { batch } of now) await recall(batch);
		expect(units(await allocated(null))).toBe(0);
		const then = await allocated(heldAt);
		expect(
			then.filter(({ later }) => later === "bad batch").reduce((sum, one) => sum + one.units, 0),
		).toBeGreaterThanOrEqual(4);
	});

	it("without a key, tells of every pool of the SKU's environment", async () => {
		const explanation = await told("ONE", null);
		expect(explanation.pools).toEqual(["ACME", "BOLT", null]);
		expect((await told("ONE", null, null, "BOLT")).pools).toEqual(["BOLT"]);
		expect(explanation.notes.join()).toContain("No key was given");
	});

	it("tells of demand and buffers as they stood then, also when they were replaced or taken away since", async () => {
		const past: { at: Date; seen: object }[] = [{ at: await moment(), seen: await counts("acme") }];
		const promise = async (units: number, buffer: number) => {
			await house.importWorld({
				demand: [{ formula: "F", brand_code: "ACME", reference: "PO-9", units }],
				buffers: [{ formula: "G", brand_code: "ACME", units: buffer }],
			});
			past.push({ at: await moment(), seen: await counts("acme") });
		};
		for (const [units, buffer] of [
			[40, 10],
			[90, 30],
			[0, 0],
			[3, 1],
		] as const)
			await promise(units, buffer);
		for (const { at, seen } of past) expect(await explained("acme", at)).toEqual(seen);
	});

	it("before the first receipt there is nothing", async () => {
		expect((await told("ONE", "acme", new Date("2020-01-01"))).counts).toMatchObject({ available_qty: 0, atp_qty: 0 });
	});

	it("tells of orders as check does, now and before they were placed, picked again, shipped, brought back and cancelled", async () => {
		const { engine } = house.deps;
		const deps = { db: house.db, engine };
		const origin = { actor: "operator:test", requestId: null };
		// earlier tests took all units
		await house.importWorld({
			lots: [
				{ formula: "F", brand_code: "ACME", batch_number: "F11", units: 40 },
				{ formula: "F", brand_code: null, batch_number: "F12", units: 40 },
				{ formula: "G", brand_code: "ACME", batch_number: "G11", units: 40 },
			],
		});
		const [first, second] = [await reserve("acme", "ONE", 2), await reserve("acme", "KIT", 1)];
		const [order, other] = [first, second].map((token) => ({ reservation_token: token, customer: CUSTOMER }));
		const batch = "F11";
		const parcel = { carrierCode: null, serviceCode: null, trackingNumber: "1Z" };
		let shipment = "";
		const steps: (() => Promise<unknown>)[] = [
			() => post("acme", "confirm", must(order, "an order")),
			() => post("acme", "confirm", must(other, "an order")),
			async () => move(batch, "quarantine", (await unitsIn(batch)).available + 1), // of an order, or of a hold
			() => pickNamedOrder(deps, first),
			async () => {
				const shipped = await changeBox(deps, first, {
					kind: "ship",
					origin,
					items: [{ sku: "ONE", qty: 1 }],
					...parcel,
				});
				if (isRefusal(shipped)) throw new Error(shipped.message);
				shipment = shipped.record.shipment.shipmentId;
			},
			() => voidShipmentById(deps, shipment, origin),
			() => changeOrder({ db: house.db, deps: { engine } }, second, { kind: "cancel", origin, reason: null }),
		];
		const past: { at: Date; seen: object }[] = [{ at: await moment(), seen: await counts("acme") }];
		for (const step of steps) {
			const answer = await step();
			if (isRefusal(answer)) throw new Error(answer.message);
			past.push({ at: await moment(), seen: await counts("acme") });
			expect(await explained("acme", null)).toEqual(past.at(-1)?.seen);
		}
		for (const [i, { at, seen }] of past.entries())
			expect(await explained("acme", at), `after step ${i}`).toEqual(seen);
		const heldBy = async (at: Date) =>
			(await told("ONE", "acme", at)).components.flatMap(({ pools }) =>
				pools.flatMap(({ lots }) => lots.flatMap(({ holds }) => holds.filter((by) => by.reservation_token === first))),
			);
		const [before, after] = [past[0], past[1]].map((one) => must(one, "a moment").at);
		expect((await heldBy(must(before, "before"))).reduce((sum, { units }) => sum + units, 0)).toBe(4);
		expect(await heldBy(must(after, "after"))).toEqual([]); // an order's units are allocated
	});

	it("refuses what cannot be explained", async () => {
		const refusal = async (...question: Parameters<typeof ask>) => {
			const answer = await ask(...question);
			return isRefusal(answer) ? answer.refusal : "explained";
		};
		expect(await refusal("NOPE", null)).toBe("not_found");
		expect(await refusal("SBX-PLENTY", "acme")).toBe("not_found");
		expect(await refusal("ONE", "acme", null, "BOLT")).toBe("brand_mismatch");
		expect(await refusal("ONE", "open", null, "NOPE")).toBe("unknown_brand_code");
		expect(await refusal("ONE", "acme", new Date("2999-01-01"))).toBe("invalid_input");
	});
});
