import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { newKeyRingEntry } from "../../../service/src/partners/keys/key-ring.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { holdfast } from "../../../service/test/processes/holdfast.ts";
import { readPdf } from "../../../service/test/read-pdf.ts";

const WORLD = {
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: [{ code: "F", name: "F", status: "active" }],
	skus: [{ sku: "ONE", name: "One", kind: "single", components: [{ formula: "F", per_kit: 1 }] }],
	lots: [{ formula: "F", brand_code: "ACME", batch_number: "B1", units: 100 }],
	partners: [{ name: "Shop" }],
	keys: [
		{ name: "web", partner: "Shop", environment: "live", brand_code: "ACME", preset: "fulfilment", shared_pool: false },
	],
};
const CUSTOMER = {
	name: "Ada Example",
	ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
};

describe("The operator's and the warehouse's commands", () => {
	let house: House;
	let folder: string;
	let env: Record<string, string>;
	let token: string;
	const run = (...args: string[]) => holdfast(args, env);

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "holdfast-cli-"));
		house = await openHouse();
		env = {
			HOLDFAST_DATABASE_URL: house.url,
			HOLDFAST_SECRET_KEYS: newKeyRingEntry(),
			HOLDFAST_DATA_DIR: folder,
			HOLDFAST_COA_PORT: "0",
			HOLDFAST_ADMIN_SOCKET: house.socket,
		};
		const { keys } = await house.importWorld(WORLD);
		token = keys[0]?.token ?? "";
	});
	afterAll(async () => {
		await house.close();
		await rm(folder, { recursive: true });
	});

	async function place(ref: string, qty: number, more: object = {}): Promise<string> {
		const held = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "ONE", qty }] } });
		const body = { reservation_token: held.json.data.reservation_token, customer: CUSTOMER, ...more };
		const { json } = await house.call(token, "/api/v1/orders", { body, headers: { "Idempotency-Key": ref } });
		return json.data.order_id;
	}

	it("lead an order from the queue through pick, label, a part, and the rest, and void brings a parcel back", async () => {
		const orderId = await place("cart-1", 5, { external_order_id: "shop-1", note: "Leave it at the door." });
		const urgent = await place("cart-2", 1, { service_level: "overnight" });
		const queue = await run("ship", "queue", "--json");
		expect(queue).toMatchObject({ code: 0, err: "" });
		expect(queue.json.items.map((box: { orders: { order_id: string }[] }) => box.orders[0]?.order_id)).toEqual([
			urgent,
			orderId,
		]);
		expect(queue.json.items[1]).toMatchObject({
			status: "awaiting_shipment",
			service_level: "standard",
			ship_to: { city: "Portland", country: "US" },
			items: [{ order_id: orderId, sku: "ONE", qty: 5 }],
			orders: [{ ref: "cart-1", status: "placed", note: "Leave it at the door." }],
		});
		const picks = await run("ship", "picklist", "shop-1", "cart-2", "--json");
		expect(picks.json).toMatchObject({ units: 6, orders: 2, stops: [{ formula: "F", batch_number: "B1", units: 6 }] });
		expect((await run("ship", "picklist")).out).toMatch(/^LOCATION .*\n[^]*\n6 units for 2 orders\.\n$/);
		const file = join(folder, "slip.pdf");
		expect((await run("ship", "pack", "shop-1", "--slip", file, "--json")).json).toMatchObject({
			order_ids: [orderId],
			slip: file,
			items: [
				{
					sku: "ONE",
					qty: 5,
				},
			],
		});
		const printed = readPdf(await readFile(file)).pages.flat();
		expect(printed).toContain("Note: Leave it at the door.");
		// one name of the order, on paper as on every screen: the partner's own id, or its reference
		expect(printed).toContain("Order: shop-1");
		expect((await run("ship", "picklist")).out).toMatch(
			/ORDER +PARTNER +UNITS\n[^]* shop-1 +Shop +5\n +cart-2 +Shop +1\n/,
		);
		expect((await run("ship", "queue")).out).toMatch(/^ORDER +PARTNER [^]*\ncart-2 +Shop [^]*\nshop-1 +Shop /);
		const shown = await run("orders", "show", "shop-1");
		expect(shown.out).toMatch(new RegExp(`^order +shop-1\\nid +${orderId}\\n`));
		for (const args of [
			["ship", "picklist"],
			["ship", "queue"],
			["orders", "list"],
		])
			expect((await run(...args)).out, args.join(" ")).not.toContain(orderId);
		const nowhere = await run("ship", "pack", "shop-1", "--slip", join(folder, "none", "slip.pdf"));
		expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining("cannot be written") });
		expect((await run("ship", "pick", "shop-1", "cart-2", "--json")).json.items).toMatchObject([
			{ order_id: orderId, picked: true, status: "picked", why: null },
			{ order_id: urgent, picked: true },
		]);
		const wrong = await run("ship", "ship", "shop-1", "--item", "ONE=9", "--item", "TWO=1");
		expect(wrong.err).toMatch(/has 5 of "ONE" left to ship, not 9; 0 of "TWO" left to ship, not 1\./);
		const part = await run("ship", "ship", "shop-1", "--tracking", "1Z1", "--item", "ONE=2", "--carrier=ups", "--json");
		expect(part.json).toMatchObject({
			status: "shipped",
			carrier_code: "ups",
			tracking_number: "1Z1",
			tracking_url: expect.stringMatching(/^https:.*1Z1$/),
			items: [
				{
					sku: "ONE",
					qty: 2,
				},
			],
			orders: [
				{
					order_id: orderId,
					status: "partially_shipped",
				},
			],
		});
		const labelled = await run("ship", "label", "cart-1", "--carrier", "usps", "--tracking", "94", "--json");
		expect(labelled.json).toMatchObject({ status: "label_created", tracking_number: "94", items: [{ qty: 3 }] });
		const rest = await run("ship", "ship", orderId);
		expect(rest.out).toMatch(/^The box of order shop-1 has left with 3 of ONE\.\nOrder shop-1 is shipped\.\n$/);
		const several = await run("ship", "void", "shop-1");
		expect([several.code, several.err]).toEqual([1, expect.stringContaining('2 boxes of order "shop-1" have left')]);
		expect(several.err).toContain(`${part.json.shipment_id} (shipped, 1Z1)`);
		const undone = await run("ship", "void", part.json.shipment_id, "--json");
		expect(undone.json).toMatchObject({
			status: "voided",
			orders: [{ order_id: orderId, status: "partially_shipped" }],
		});
		// it is in this state already
		expect((await run("ship", "void", part.json.shipment_id, "--json")).json).toEqual(undone.json);
		const told = (await run("events", "list", "--order", "shop-1", "--json")).json.items;
		expect(told).toHaveLength(2);
		expect(told[0]).toEqual({
			event_id: expect.stringMatching(/^evt_/),
			type: "order.shipped",
			order_id: orderId,
			partner: expect.any(String),
			environment: "live",
			created_at: expect.stringMatching(/Z$/),
			body: expect.objectContaining({ type: "order.shipped", data: expect.objectContaining({ final: true }) }),
		});
	});

	it("doubt a carrier that nobody knows and a tracking number that another box has, and find orders by what is known", async () => {
		const [first, second, third] = [await place("typo-1", 1), await place("typo-2", 1), await place("typo-3", 1)];
		const ship = (...more: string[]) => run("ship", "ship", ...more, "--json");
		const upps = await ship("typo-1", "--carrier", "upps", "--tracking", "T1");
		expect([upps.code, upps.json.error.message]).toEqual([
			1,
			'there is no tracking page for carrier "upps": did you mean "ups"? With --other-carrier the parcel ships without a tracking link.',
		]);
		const courier = await ship("typo-1", "--carrier", "bike", "--tracking", "T1", "--other-carrier");
		expect(courier.json).toMatchObject({ status: "shipped", carrier_code: "bike", tracking_url: null });
		const again = await ship("typo-2", "--carrier", "UPS", "--tracking", "T1");
		expect([again.code, again.json.error.message]).toEqual([
			1,
			expect.stringMatching(
				/^"T1" is the tracking number of the box of order typo-1\. Set --same-parcel if both boxes are in one parcel/,
			),
		]);
		const file = join(folder, "typed.csv");
		await writeFile(file, "order,carrier,service,tracking\ntypo-2,upps,,T1\ntypo-3,ups,,T3\ntypo-2,ups,,T3\n");
		const { problems } = (await run("ship", "import", file, "--json")).json.error;
		expect(problems.map(({ at }: { at: string }) => at)).toEqual([
			"typed.csv line 2, carrier",
			"typed.csv line 2, tracking",
			"typed.csv line 4, tracking",
		]);
		await writeFile(file, "order,carrier,service,tracking\ntypo-2,bike,,T1\ntypo-3,ups,,T1\n");
		const meant = ["--other-carrier", "--same-parcel"];
		expect((await run("ship", "import", file, ...meant, "--json")).json).toMatchObject({ shipped: 2 });
		expect((await run("ship", "import", file, ...meant, "--json")).json).toMatchObject({ shipped: 0, unchanged: 2 });
		const found = async (text: string) =>
			(await run("orders", "list", "--search", text, "--json")).json.items.map(
				({ order_id }: { order_id: string }) => order_id,
			);
		expect(await found("T1")).toEqual([third, second, first]);
		expect(await found("typo-2")).toEqual([second]);
		expect(await found(first.toUpperCase())).toEqual([first]);
		expect(await found("ada EX")).toEqual(expect.arrayContaining([first, second, third]));
		expect(await found("nobody")).toEqual([]);
	}, 180_000);

	it("put an order on hold, tell why, release it, cancel it, and list and show it all the while", async () => {
		const orderId = await place("cart-3", 2);
		const held = await run("orders", "hold", "cart-3", "--reason", "address_invalid", "--detail", "no such street");
		expect(held.out).toBe(`Order cart-3 is on hold: address_invalid: no such street.\n`);
		const listed = (await run("orders", "list", "--status", "held", "--key", "web", "--brand", "ACME", "--json")).json;
		expect(listed.next_cursor).toBe(null);
		const overview = await run("overview");
		expect(overview.out).toMatch(/\nORDER +PARTNER [^]*\ncart-3 +Shop /);
		expect((await run("orders", "list")).out).toMatch(
			/^ORDER +STATUS[^]*cart-3 +held \(addr[^]*Ada Example +Portland, US/,
		);
		expect(listed.items).toMatchObject([
			{
				order_id: orderId,
				hold_reason: "address_invalid",
				hold_detail: "no such street",
				partner: "Shop",
				city: "Portland",
			},
		]);
		expect((await run("ship", "queue", "--status", "on_hold")).out).toMatch(/ON HOLD: held \(address_invalid\)/);
		const stays = await place("cart-5", 1);
		expect((await run("ship", "pick", "cart-5", "nobody")).err).toMatch(/There is no order .*"nobody"/);
		const some = await run("ship", "pick", "cart-3", "cart-5", stays, "--json");
		expect([some.code, some.json.items]).toMatchObject([
			1,
			[
				{
					order_id: orderId,
					picked: false,
					status: "held",
					why: expect.stringContaining("is held and cannot be picked"),
				},
				{ order_id: stays, picked: true },
			],
		]);
		expect((await run("orders", "release", "cart-3", "--json")).json).toMatchObject({
			status: "placed",
			hold_detail: null,
		});
		expect((await run("orders", "cancel", orderId, "--reason", "a double")).out).toBe("Order cart-3 is cancelled.\n");
		const shown = (await run("orders", "show", "cart-3", "--json")).json;
		expect(shown).toMatchObject({
			order_id: orderId,
			status: "cancelled",
			cancel_reason: "a double",
			key_name: "web",
			partner: "Shop",
		});
		const hold = await run("holds", "show", shown.reservation_token, "--json");
		expect(hold.json).toMatchObject({ status: "placed", order_id: orderId, parts: [{ state: "freed" }] });
		expect((await run("orders", "show", "cart-3")).out).toMatch(
			/status +cancelled\nplaced by +pk_hf_live_\w+ \(Shop \/ web\)/,
		);
	});

	it("ship by CSV line by line, refuse a bad file by line numbers with nothing changed, and change nothing twice", async () => {
		const [first, second] = [await place("csv-1", 1, { external_order_id: "csv,ext" }), await place("csv-2", 1)];
		const file = join(folder, "tracking.csv");
		await writeFile(file, "order,tracking,carrier,service\ncsv-1,1Z5,ups,ground\nnobody, 1Z6, u,\n,,,\n");
		const bad = await run("ship", "import", file);
		expect(bad).toMatchObject({ code: 1, out: "" });
		// all errors in one run
		for (const wrong of [
			"line 3, order: There is no order",
			"line 3, carrier: expected",
			"line 3, tracking: expected",
			"line 4, order: is missing",
			"line 4, tracking: is missing",
			"Nothing was changed",
		])
			expect(bad.err).toContain(wrong);
		await writeFile(file, `order,tracking,carrier,service\n"csv,ext",1Z5,ups,ground\n${second},1Z6,,\n`);
		const done = await run("ship", "import", file, "--json");
		expect(done.json).toMatchObject({
			shipped: 2,
			unchanged: 0,
			refused: 0,
			items: [
				{
					line: 2,
					order: "csv,ext",
					order_id: first,
					outcome: "shipped",
				},
				{
					line: 3,
					order_id: second,
					outcome: "shipped",
				},
			],
		});
		expect((await run("ship", "import", file, "--json")).json).toMatchObject({ shipped: 0, unchanged: 2 });
	});

	it("say what they cannot do, and how they are typed", async () => {
		expect((await run("orders", "show", newId())).err).toMatch(/There is no order .* -- orders list` shows them\.\n$/);
		expect(await run("orders", "hold", "x", "--reason", "mood")).toMatchObject({ code: 2 });
		expect(await run("ship", "ship", "x", "--item", "ONE")).toMatchObject({ code: 2 });
		expect((await run("ship", "void", "x")).err).toMatch(/There is no order .* -- orders list` shows them\.\n$/);
		expect(await run("ship", "picklist", "x", "--brand", "ACME")).toMatchObject({ code: 2 });
		// a list for an unknown brand would look empty
		for (const list of [
			["orders", "list"],
			["ship", "queue"],
			["ship", "picklist"],
			["stock", "show"],
		]) {
			expect(await run(...list, "--brand", "ACEM")).toMatchObject({
				code: 1,
				out: "",
				err: expect.stringContaining('There is no brand "ACEM"'),
			});
		}
	});
});
