import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { Check, Inventory, Products } from "../../src/inventory/stock/contract.ts";
import { newKeyRingEntry } from "../../src/partners/keys/key-ring.ts";
import { type Client, createClient } from "../contract/client.ts";
import { type House, openHouse } from "../house.ts";
import { holdfast, type Ran } from "../processes/holdfast.ts";

/*
 * The first day of an operator and of partners: a world is imported by the command, a service process serves it,
 * partners trade, the operator counts, recalls and explains, and at the end every unit is accounted for. Uses only the
 * means of operators and partners.
 */

const WORLD = {
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: [
		{ code: "ROSE", name: "Rose", status: "active" },
		{ code: "MINT", name: "Mint", status: "active" },
	],
	products: [{ slug: "rose", name: "Rose water" }],
	skus: [
		{
			sku: "R-1",
			name: "Rose",
			product: "rose",
			kind: "single",
			vial_size: "10 ml",
			components: [{ formula: "ROSE", per_kit: 1 }],
		},
		{
			sku: "GIFT",
			name: "Gift box",
			kind: "kit",
			components: [
				{ formula: "ROSE", per_kit: 2 },
				{ formula: "MINT", per_kit: 1 },
			],
		},
	],
	lots: [
		{ formula: "ROSE", brand_code: "ACME", batch_number: "R-A", units: 50, expires_on: "2090-01-31" },
		{ formula: "ROSE", brand_code: null, batch_number: "R-S", units: 30 },
		{ formula: "MINT", brand_code: null, batch_number: "M-S", units: 10 },
	],
	demand: [{ formula: "ROSE", brand_code: "ACME", units: 4, reference: "PO-1" }],
	buffers: [{ formula: "MINT", brand_code: null, units: 2 }],
	partners: [{ name: "Shop" }, { name: "Reader" }],
	keys: [
		{
			name: "sell",
			partner: "Shop",
			environment: "live",
			brand_code: "ACME",
			preset: "self_ship",
			shared_pool: true,
			requests_per_minute: 10_000,
		},
		{
			name: "read",
			partner: "Reader",
			environment: "live",
			brand_code: "ACME",
			preset: "read_only",
			shared_pool: true,
		},
	],
};

let house: House;
let client: Client;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "holdfast-day-"));
	const settings = {
		HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
		HOLDFAST_DATA_DIR: join(folder, "data"),
		HOLDFAST_COA_PORT: "0",
	};
	house = await openHouse({ processes: true, env: settings });
	const { socket } = house;
	env = { ...settings, HOLDFAST_DATABASE_URL: house.url, HOLDFAST_ADMIN_SOCKET: socket };
	client = createClient(Number(new URL(house.api).port));
});
afterAll(async () => {
	client.close();
	await house.close();
	await rm(folder, { recursive: true });
});

/** Runs `holdfast … --json` beside the running service. */
const command = (...args: string[]): Promise<Ran> => holdfast([...args, "--json"], env);

describe("The first day", () => {
	it("from the import to clean books", async () => {
		const file = join(folder, "world.json");
		await writeFile(file, JSON.stringify(WORLD));
		const imported = await command("import", file);
		expect([imported.code, imported.json.created]).toMatchObject([0, { skus: 2, lots: 3, keys: 2 }]);
		const keys = imported.json.keys as { name: string; token: string }[];
		const tokenOf = (name: string) => keys.find((key) => key.name === name)?.token as string;
		const [sell, read] = [tokenOf("sell"), tokenOf("read")];

		// the reader mirrors counts: the same from every operation; all other operations are forbidden to it
		const listed = (await client.call(Products, read, {})).data.items;
		expect(listed.map(({ sku, availability }) => [sku, availability.atp_qty])).toEqual([
			["R-1", 76],
			["GIFT", 8],
		]);
		expect((await client.call(Inventory, read, { sku: "R-1" })).data.totals).toEqual({
			on_hand: 80,
			reserved: 4,
			atp: 76,
		});
		expect((await client.call(Reserve, read, { items: [{ sku: "R-1", qty: 1 }] })).verdict).toBe("403 forbidden");

		// the seller reserves, consumes and gives back
		const items = [
			{ sku: "GIFT", qty: 3 },
			{ sku: "R-1", qty: 5 },
		];
		const hold = await client.call(Reserve, sell, { items, external_ref: "cart-1" });
		expect(hold.verdict).toBe("201");
		const sale = { reservation_token: hold.data.reservation_token, external_ref: "order-1" };
		expect((await client.call(Consume, sell, sale)).data.consumed_units).toBe(14);
		const second = await client.call(Reserve, sell, { items: [{ sku: "GIFT", qty: 5 }] });
		expect((await client.call(Reserve, sell, { items: [{ sku: "GIFT", qty: 1 }] })).verdict).toBe("409 no_inventory");
		expect((await client.call(ReverseConsume, sell, { external_ref: "order-1" })).data.returned_units).toBe(14);

		const { reservation_token } = second.data;
		expect((await client.call(Release, sell, { reservation_token })).verdict).toBe("200");
		expect((await client.call(Check, sell, { items: [{ sku: "GIFT", qty: 1 }] })).data.items[0]?.atp_qty).toBe(8);

		// the operator recalls the brand's lot of a hold, whose units are picked again from the shared lot
		const held = await client.call(Reserve, sell, { items: [{ sku: "R-1", qty: 20 }], external_ref: "cart-2" });
		const lots = imported.json.lots as { batch_number: string; fg_id: string }[];
		const lot = lots.find(({ batch_number }) => batch_number === "R-A")?.fg_id as string;
		expect((await command("stock", "quarantine", lot, "--all", "--reason", "recall")).code).toBe(0);
		const again = await client.call(Reserve, sell, { items: [{ sku: "R-1", qty: 20 }], external_ref: "cart-2" });
		expect(again.data.items[0]).toMatchObject({ reserved_qty: 20, from_brand_pool: 0, from_shared_pool: 20 });
		expect(again.data.reservation_token).toBe(held.data.reservation_token);
		const late = { reservation_token: held.data.reservation_token, external_ref: "order-2" };
		expect((await client.call(Consume, sell, late)).data.consumed_units).toBe(20);

		// every unit is accounted for while the service runs
		const verified = await command("verify");
		expect([verified.code, verified.err]).toEqual([0, ""]);
		expect((await command("explain", "R-1")).code).toBe(0);
		// a revoked key stops working at once; the other keeps working
		expect((await command("keys", "revoke", "sell")).code).toBe(0);
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		expect((await client.call(Check, sell, { items: [{ sku: "R-1", qty: 1 }] })).verdict).toBe("401 unauthorized");
		expect((await client.call(Inventory, read, { sku: "R-1" })).data.totals).toEqual({
			on_hand: 10,
			reserved: 4,
			atp: 6,
		});
	}, 180_000);
});
