import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocateLot, ReceiveBatch } from "../../src/inventory/stock/lot-write-contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { operate } from "../operate.ts";
import { type PlacedOrder, placeOrder } from "../operator/placed.ts";
import { readPdf } from "../read-pdf.ts";
import { hasBrowser } from "./browser.ts";
import { LOOKS, lookAt, type OpenConsole, openConsole, show, TABLET, visit } from "./console-look.ts";
import { scan } from "./scan.ts";

/* The warehouse as its people use it: with a tablet and a barcode scanner, or with the keyboard alone. */

let open: OpenConsole;
let house: OpenConsole["house"];
let token: string;
const place = (ref: string, more: { readonly [name: string]: unknown } = {}): Promise<PlacedOrder> =>
	placeOrder(house, token, ref, { sku: "TEA", external_order_id: ref, ...more });

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	const codes = ["TEA", "COCOA"];
	const recipe = (sku: string) => [{ formula: `F-${sku}`, per_kit: 1 }];
	await house.importWorld({
		formulas: codes.map((code) => ({ code: `F-${code}`, name: code, status: "active" })),
		skus: codes.map((sku) => ({ sku, name: sku, kind: "single", components: recipe(sku) })),
	});
	for (const [formula, batch_number, location] of [
		["F-TEA", "TEA-2607", "A-1"],
		["F-COCOA", "COCOA-2608", "B-2"],
	] as const) {
		const body = { formula, brand_code: null, batch_number, units: 500 };
		const { json } = await operate(open.socket, ReceiveBatch, { body });
		await operate(open.socket, LocateLot, { params: { fg_id: json.data.fg_id }, body: { location } });
	}
	({ token } = await house.mint({ name: "shop", partner: "Tea Shop", scopes: ["atp.reserve", "atp.orders"] }));
}, 60_000);
afterAll(() => open?.close());

/** Maximum number of elements between two places of a page. */
const MOST_TABS = 150;

/** Goes to an element by the Tab key alone. */
async function tabTo(page: Page, target: Locator): Promise<void> {
	await target.waitFor();
	for (let tabs = 0; tabs < MOST_TABS; tabs++) {
		await page.keyboard.press("Tab");
		if ((await target.and(page.locator(":focus")).count()) === 1) return;
	}
	throw new Error(`the Tab key does not lead to ${target}`);
}

async function enter(page: Page, target: Locator): Promise<void> {
	await tabTo(page, target);
	await page.keyboard.press("Enter");
}

const heading = (page: Page, name: string, level: number): Locator =>
	page.getByRole("heading", { name, level, exact: true });
const button = (within: Page | Locator, name: string): Locator => within.getByRole("button", { name, exact: true });
const alarm = (page: Page, text: string): Locator => page.getByRole("alert").filter({ hasText: text });
const dialogOf = (page: Page, name: string): Locator => page.getByRole("dialog", { name, exact: true });

/** Picks the two orders that are selected, one stop by a scan and one by the button. */
async function walkThrough(page: Page): Promise<void> {
	await heading(page, "A-1", 2).waitFor();
	await page.getByText("Take 3 units").waitFor();
	const [paper] = await Promise.all([page.waitForEvent("download"), button(page, "Pick list (PDF)").click()]);
	expect(paper.suggestedFilename()).toBe("pick-list.pdf");
	await scan(page, "COCOA-2608");
	await alarm(page, "Wrong batch: you scanned COCOA-2608. This stop is TEA-2607.").waitFor();
	await alarm(page, "COCOA-2608 belongs to another stop: B-2.").waitFor();
	await scan(page, "TEA-2607");
	await heading(page, "B-2", 2).waitFor();
	await page.reload(); // a tablet may drop a page: what was taken is still known
	await heading(page, "B-2", 2).waitFor();
	await scan(page, "TEA-2607");
	await page.getByText("TEA-2607 is taken already.").waitFor();
	await button(page, "Taken").click();
	await heading(page, "Every stop is done", 2).waitFor();
	await button(page, "Mark 2 orders as picked").click();
	const outcome = page.getByRole("table", { name: "Outcome" });
	for (const name of ["shop-1", "shop-2"])
		await outcome.getByRole("row").filter({ hasText: name }).getByText("picked", { exact: true }).waitFor();
}

/** Ships a part of the order that the page shows, under a mistyped carrier at first. */
async function shipPart(page: Page): Promise<void> {
	await scan(page, "1Z999AA10000000001");
	const dialog = dialogOf(page, "Ship");
	await dialog.waitFor();
	await dialog.getByText("shop-1 to Ada Example: 3 × TEA").waitFor();
	await scan(page, "shop-2");
	await alarm(page, "This is order shop-2. Finish this box or cancel first.").waitFor();
	await scan(page, "COCOA-2608");
	await alarm(page, "This is batch COCOA-2608, not a tracking number.").waitFor();
	const tracking = dialog.getByLabel("Tracking number (optional)", { exact: true });
	expect(await tracking.inputValue()).toBe("1Z999AA10000000001");
	await dialog.getByLabel("Service (optional)").fill("ground");
	await scan(page, "1Z999AA10000000002"); // into the field of the service
	await expect.poll(() => tracking.inputValue()).toBe("1Z999AA10000000002");
	expect(await dialog.getByLabel("Service (optional)").inputValue()).toBe("ground");
	await dialog.getByLabel("Carrier (optional)", { exact: true }).fill("upps");
	await dialog.getByLabel("Only a part: the rest waits").check();
	await button(dialog, "Ship").click();
	await dialog.getByText("Enter how many leave, at least 1.").waitFor();
	await dialog.getByLabel("TEA: number of 3").fill("1");
	await button(dialog, "Ship").click();
	await dialog.getByText("Did you mean ups?").waitFor();
	await dialog.getByLabel("This carrier is right").waitFor();
	expect(await dialog.getByLabel("TEA: number of 3").inputValue()).toBe("1");
	await dialog.getByLabel("Carrier (optional)", { exact: true }).fill("ups");
	await button(dialog, "Ship").click();
	await page.getByText("Shipped under 1Z999AA10000000002.").waitFor();
}

describe.skipIf(!hasBrowser)("The warehouse of the console", () => {
	it("walks, picks, packs, ships in part and then the rest, and undoes, by scans", async () => {
		const order = await place("shop-1", { qty: 3, note: "Ring twice." });
		await place("shop-2", { sku: "COCOA", qty: 2 });
		const page = await open.personIn("walter", "warehouse", { viewport: TABLET });
		await visit(page, "Warehouse");
		await page.getByRole("checkbox", { name: "Select shop-1", exact: true }).check();
		await page.getByRole("checkbox", { name: "Select shop-2", exact: true }).check();
		await page.getByRole("link", { name: "Pick 2 selected orders" }).click();
		await walkThrough(page);

		await scan(page, "shop-1");
		await heading(page, "Order shop-1", 1).waitFor();
		await page.getByText("Ring twice.").waitFor();
		const [slip] = await Promise.all([page.waitForEvent("download"), button(page, "Packing slip").click()]);
		expect(slip.suggestedFilename()).toBe("packing-slip-shop-1.pdf");
		const { pages } = readPdf(await readFile(await slip.path()));
		expect(pages.flat()).toContain("Note: Ring twice.");
		await scan(page, "TEA-2607");
		await page.getByText("Batch TEA-2607 belongs to this order.").waitFor();
		await scan(page, "COCOA-2608");
		await alarm(page, "Wrong batch: COCOA-2608 does not belong to this order.").waitFor();
		await scan(page, "COCOA");
		await alarm(page, "COCOA is a SKU.").waitFor();
		expect(await dialogOf(page, "Ship").count()).toBe(0);

		await shipPart(page);
		await page.getByText("partly shipped").waitFor();
		const boxes = (n: number): Locator => page.getByRole("region", { name: `Box ${n}`, exact: true });
		await boxes(1).getByText("shipped", { exact: true }).waitFor(); // numbered as they leave
		await boxes(2).getByText("waiting", { exact: true }).waitFor();
		await page.getByRole("cell", { name: /^2 of TEA-2607/ }).waitFor();
		await scan(page, "1Z999AA10000000003");
		const dialog = dialogOf(page, "Ship");
		await dialog.waitFor();
		// that of the last parcel
		expect(await dialog.getByLabel("Carrier (optional)", { exact: true }).inputValue()).toBe("ups");
		await button(dialog, "Ship").click();
		await page.getByText("Shipped under 1Z999AA10000000003.").waitFor();
		await page.getByText("An order was shipped").nth(1).waitFor(); // the partner was told of both

		await button(page, "Undo the shipment").last().click();
		const undo = dialogOf(page, "Undo the shipment");
		await undo.getByText("shop-1 to Ada Example: 2 × TEA").waitFor();
		await undo.getByText("Tracking number: 1Z999AA10000000003").waitFor();
		await scan(page, "1Z999AA10000000003"); // a scan confirms nothing
		await undo.getByLabel("Reason").fill("it never left");
		await button(undo, "Undo the shipment").click();
		await page.getByText("Undone: the contents wait again.").waitFor();
		await page.goto(`${house.api}/admin/orders/${order.order_id}`);
		await page.getByText("voided").first().waitFor();
		await page.getByText("1Z999AA10000000002").first().waitFor();
		expect((await verify(house.db)).ok).toBe(true);
		await page.context().close();
	}, 180_000);

	it("needs no pointer for the same day", async () => {
		await place("keys-1", { qty: 2 });
		await place("keys-2", { sku: "COCOA", qty: 1 });
		const page = await open.personIn("kate", "warehouse", { viewport: TABLET });
		await enter(page, page.getByRole("link", { name: "Warehouse", exact: true }));
		await heading(page, "Warehouse", 1).waitFor();
		await enter(page, button(page, "Pick the first boxes"));
		await heading(page, "A-1", 2).waitFor();
		await scan(page, "TEA-2607");
		await heading(page, "B-2", 2).waitFor();
		await enter(page, button(page, "Taken"));
		await enter(page, button(page, "Mark 2 orders as picked"));
		await page.getByRole("table", { name: "Outcome" }).getByText("picked", { exact: true }).nth(1).waitFor();
		await scan(page, "keys-1");
		await heading(page, "Order keys-1", 1).waitFor();
		await enter(page, button(page, "Ship"));
		const dialog = dialogOf(page, "Ship");
		await scan(page, "9400100000000000000001"); // the field of the number has the focus
		await expect
			.poll(() => dialog.getByLabel("Tracking number (optional)", { exact: true }).inputValue())
			.toBe("9400100000000000000001");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Control+A");
		await page.keyboard.type("usps");
		await enter(page, button(dialog, "Ship"));
		await page.getByText("Shipped under 9400100000000000000001.").waitFor();
		await enter(page, button(page, "Undo the shipment"));
		await enter(page, button(dialogOf(page, "Undo the shipment"), "Undo the shipment"));
		await page.getByText("Undone: the contents wait again.").waitFor();
		await page.context().close();
	}, 180_000);

	it("loses no scan while boxes are shipped one after the other", async () => {
		const names = Array.from({ length: 6 }, (_one, n) => `quick-${n}`);
		for (const [n, ref] of names.entries()) await place(ref, { sku: n % 2 === 0 ? "TEA" : "COCOA", qty: 1 });
		const page = await open.personIn("quentin", "warehouse", { viewport: TABLET });
		await visit(page, "Warehouse");
		const numberOf = (n: number): string => `1Z999AA1010000001${n}`;
		const shipNext = async (n: number): Promise<void> => {
			await scan(page, `quick-${n}`);
			await scan(page, numberOf(n)); // before the order is open
		};
		await shipNext(0);
		for (const [n, ref] of names.entries()) {
			await heading(page, `Order ${ref}`, 1).waitFor();
			const dialog = dialogOf(page, "Ship");
			await dialog.getByText(`${ref} is not marked as picked.`).waitFor();
			const tracking = dialog.getByLabel("Tracking number (optional)", { exact: true });
			expect(await tracking.inputValue()).toBe(numberOf(n));
			await dialog.getByLabel("Mark as picked as well").check();
			await button(dialog, "Ship").click();
			// while the form is sent, the dialog closes, and the next order opens
			if (n + 1 < names.length) await shipNext(n + 1);
			else
				await page
					.getByText(`Shipped under ${numberOf(n)}.`)
					.and(page.locator(":focus"))
					.waitFor();
		}
		const { rows } = await house.db.query<{ n: number }>(
			"select count(*)::int as n from orders where ref like 'quick-%' and status = 'shipped' and picked_at is not null",
		);
		expect(rows).toEqual([{ n: names.length }]);
		await page.context().close();
	}, 120_000);

	it("keeps a recorded label unless a person says otherwise, and knows the carrier by the number", async () => {
		await place("label-1", { note: "" });
		const page = await open.personIn("lara", "warehouse", { viewport: TABLET });
		await visit(page, "Warehouse");
		await scan(page, "label-1");
		await heading(page, "Order label-1", 1).waitFor();
		await page.getByText("at A-1").waitFor();
		expect(await page.getByText("Note for the warehouse").count()).toBe(0);
		await button(page, "Mark as picked").click();
		await page.getByText("Marked as picked: label-1.").and(page.locator(":focus")).waitFor();
		await button(page, "Record the label").click();
		const label = dialogOf(page, "Record the label");
		await label.waitFor();
		await scan(page, "JD014600009999999999");
		await expect.poll(() => label.getByLabel("Carrier", { exact: true }).inputValue()).toBe("dhl");
		await button(label, "Record the label").click();
		await page.getByText("The label JD014600009999999999 was recorded.").waitFor();
		await page.reload();
		await heading(page, "Order label-1", 1).waitFor();
		await scan(page, "1Z999AA10100000099");
		const ship = dialogOf(page, "Ship");
		await ship.getByText("The label of this box is JD014600009999999999").waitFor();
		expect(await ship.getByLabel("Carrier (optional)", { exact: true }).inputValue()).toBe("ups");
		await button(ship, "Ship").click();
		await ship.getByLabel("Ship under the new number").check();
		await button(ship, "Ship").click();
		await page.getByText("Shipped under 1Z999AA10100000099.").waitFor();
		await page.context().close();
	}, 60_000);

	it("takes nothing that a person types for a scan, and says which number it does not know", async () => {
		await place("typed-1");
		const page = await open.personIn("tom", "viewer", { viewport: TABLET });
		await visit(page, "Warehouse");
		await page.getByRole("link", { name: "typed-1" }).waitFor();
		expect(await page.getByRole("checkbox").count()).toBe(0); // a viewer picks nothing
		await page.keyboard.type("typed-1", { delay: 120 });
		await page.keyboard.press("Enter");
		await scan(page, "nobody-1");
		await alarm(page, "No order is called nobody-1.").waitFor();
		await heading(page, "Warehouse", 1).waitFor();
		await page.getByLabel("Order number or tracking number").pressSequentially("typed-1", { delay: 60 });
		await button(page, "Open an order").click();
		await heading(page, "Order typed-1", 1).waitFor();
		for (const name of ["Mark as picked", "Ship", "Packing slip"]) expect(await button(page, name).count()).toBe(0);
		await page.context().close();
	}, 60_000);

	it("imports tracking numbers as a file or from a spreadsheet, and names each wrong row", async () => {
		await place("sheet-1");
		const page = await open.personIn("ines", "warehouse", { viewport: TABLET });
		await visit(page, "Warehouse");
		await page.getByRole("link", { name: "Import tracking numbers" }).click();
		await button(page, "Import").click();
		await page.getByText("Choose a file, or paste rows.").waitFor();
		const wrong = "order,carrier,service,tracking\nsheet-1,upps,,T-1\nnobody,ups,,T-2\n";
		const file = { name: "parcels.csv", mimeType: "application/vnd.ms-excel", buffer: Buffer.from(wrong) };
		await page.getByLabel("CSV file").setInputFiles(file);
		await button(page, "Import").click();
		await heading(page, "Nothing was changed: 2 things are wrong", 2).waitFor();
		await page.getByRole("cell", { name: "parcels.csv line 2, carrier" }).waitFor();
		await page.getByRole("cell", { name: "parcels.csv line 3, order" }).waitFor();
		await page.getByLabel("CSV file").setInputFiles([]);
		await page.getByLabel("Or paste the rows here").fill("order\tcarrier\tservice\ttracking\nsheet-1\tups\t\tT-1");
		await button(page, "Import").click();
		await heading(page, "1 shipped, 0 unchanged, 0 refused", 2).waitFor();
		await page.getByRole("link", { name: "Box of sheet-1" }).waitFor();
		await button(page, "Import").click();
		await heading(page, "0 shipped, 1 unchanged, 0 refused", 2).waitFor();
		await page.context().close();
	}, 60_000);

	it("combines boxes, and labels the one that comes of it", async () => {
		const other = await house.mint({ name: "pair", partner: "Pair Shop", scopes: ["atp.reserve", "atp.orders"] });
		for (const ref of ["pair-1", "pair-2"]) await placeOrder(house, other.token, ref, { sku: "TEA", qty: 1 });
		const page = await open.personIn("carla", "warehouse", { viewport: TABLET });
		await visit(page, "Boxes");
		await page.getByLabel("Order, customer or tracking number").fill("pair-1");
		await page.getByRole("link", { name: "Box of pair-1" }).waitFor();
		await page.getByRole("link", { name: "Combine boxes" }).click();
		const group = page.getByRole("form", { name: "Orders that share a box with pair-1" });
		await group.getByRole("checkbox", { name: /^pair-2,/ }).uncheck();
		await group.getByText("Choose 2 to 20 orders.").waitFor();
		await placeOrder(house, other.token, "pair-3", { sku: "TEA", qty: 1 });
		await group.getByRole("checkbox", { name: /^pair-3,/ }).uncheck();
		expect(await group.getByRole("checkbox", { name: /^pair-2,/ }).isChecked()).toBe(false);
		await group.getByRole("checkbox", { name: /^pair-2,/ }).check();
		await button(group, "Combine 2 orders").click();
		await heading(page, "Box of pair-1, pair-2", 1).waitFor();
		await page.getByRole("link", { name: "Pack pair-1" }).click();
		await page.getByRole("table", { name: "Items of pair-2" }).waitFor();
		await button(page, "Mark all as picked").click();
		await page.getByText("Marked as picked: pair-1, pair-2.").waitFor();
		await page.goBack();
		await heading(page, "Box of pair-1, pair-2", 1).waitFor();
		await button(page, "Record the label").click();
		const dialog = dialogOf(page, "Record the label");
		await scan(page, "1Z999AA10000000009");
		await dialog.getByLabel("Carrier", { exact: true }).fill("ups");
		await button(dialog, "Record the label").click();
		await page.getByText("The label 1Z999AA10000000009 was recorded.").waitFor();
		await button(page, "Remove the label").click();
		await button(dialogOf(page, "Remove the label"), "Remove the label").click();
		await page.getByText("The label was removed.").waitFor();
		await button(page, "Ship").click();
		await dialogOf(page, "Ship").getByText("A box with several orders is shipped whole.").waitFor();
		await page.context().close();
	}, 60_000);

	it.each(LOOKS)(
		"axe-core finds nothing on any page, and nothing is cut off: $name",
		async ({ name, ...look }) => {
			const order = await place(`look-${name}`);
			const page = await open.personIn(`lisa-${name}`, "warehouse", look);
			const check = (at: string): Promise<void> => lookAt(page, name, at);
			const box = order.shipments[0]?.shipment_id;
			const pack = `/warehouse/orders/${order.order_id}`;
			const warehouse = ["/warehouse", "/warehouse/walk?boxes=5", pack, "/warehouse/tracking"];
			const boxes = ["/boxes", "/boxes/combine", `/boxes/${box}`];
			for (const at of [...warehouse, "/warehouse/orders/nobody", ...boxes]) {
				await show(page, at);
				await check(at);
			}
			await show(page, pack);
			await button(page, "Ship").click();
			await dialogOf(page, "Ship").getByLabel("Only a part: the rest waits").check();
			await check("the dialog to ship");
			await show(page, `/warehouse/walk?order=${order.order_id}`);
			await heading(page, "A-1", 2).waitFor();
			await scan(page, "COCOA-2608");
			await alarm(page, "Wrong batch").waitFor();
			await check("a wrong scan");
			await button(page, "Not enough here").click();
			await page.getByText("Not complete, so not marked as picked").waitFor();
			await check("the end of a walk");
			await page.context().close();
		},
		180_000,
	);
});
