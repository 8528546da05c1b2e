import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RecallLots } from "../../src/inventory/recall/admin-contract.ts";
import { LabelBox, PickOrder, ShipBox } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { LocateLot, ReceiveBatch } from "../../src/inventory/stock/lot-write-contract.ts";
import { operate } from "../operate.ts";
import { type PlacedOrder, placeOrder } from "../operator/placed.ts";
import { hasBrowser } from "./browser.ts";
import { type OpenConsole, openConsole, TABLET } from "./console-look.ts";
import { isWiderThanItsWindow } from "./look.ts";
import { scan } from "./scan.ts";

/* A recall as the people see it who packed a unit of the batch. */

/** What two margins of 12 mm leave of an upright sheet of A4, in pixels of CSS. */
const A4_INSIDE = { width: 703, height: 1032 };

let open: OpenConsole;
let house: OpenConsole["house"];
let token: string;

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.importWorld({
		formulas: ["TEA", "COCOA"].map((code) => ({ code: `F-${code}`, name: code, status: "active" })),
		skus: ["TEA", "COCOA"].map((sku) => ({
			sku,
			name: sku,
			kind: "single",
			components: [{ formula: `F-${sku}`, per_kit: 1 }],
		})),
	});
	({ token } = await house.mint({ name: "shop", partner: "Tea Shop", scopes: ["atp.reserve", "atp.orders"] }));
}, 60_000);
afterAll(() => open?.close());

/** Receives a batch and returns its lot's id. */
async function receive(sku: string, batch_number: string, units: number, expires_on: string): Promise<string> {
	const body = { formula: `F-${sku}`, brand_code: null, batch_number, units, expires_on };
	return (await operate(open.socket, ReceiveBatch, { body })).json.data.fg_id;
}
const place = (ref: string, more: { readonly [name: string]: unknown }): Promise<PlacedOrder> =>
	placeOrder(house, token, ref, { external_order_id: ref, ...more });
const recall = async (batch_number: string): Promise<string> =>
	(await operate(open.socket, RecallLots, { body: { batch_number, reason: "lab report 77" } })).json.data.recall_id;
const button = (within: Page | Locator, name: string): Locator => within.getByRole("button", { name, exact: true });

describe.skipIf(!hasBrowser)("A recall in the console", () => {
	it("stops the box that was packed before, says what to change in it, and keeps its order in the list", async () => {
		await receive("TEA", "C-2609", 10, "2090-01-31");
		await receive("TEA", "C-2610", 10, "2090-02-28");
		const order = await place("tea-1", { sku: "TEA", qty: 3 });
		const params = { id: order.order_id };
		await operate(open.socket, PickOrder, { params, body: {} });
		const label = { carrier: "ups", tracking_number: "1Z999AA10000002609" };
		await operate(open.socket, LabelBox, { params, body: label });
		const id = await recall("C-2609");

		const page = await open.personIn("paula", "operator", { viewport: TABLET });
		const change = "Batch C-2609 in this box was recalled: take out 3, put in 3 of C-2610.";
		const shipment = order.shipments[0]?.shipment_id;
		for (const at of [`/boxes/${shipment}`, `/warehouse/orders/${order.order_id}`]) {
			await page.goto(`${house.api}/admin${at}`);
			await page.getByRole("alert").filter({ hasText: change }).waitFor();
			await page.getByRole("link", { name: "Pick tea-1 again" }).waitFor();
			for (const name of ["Ship", "Mark as picked"]) expect([at, await button(page, name).count()]).toEqual([at, 0]);
		}
		await page.getByText("to be unpacked and picked again").waitFor();
		await page.getByRole("link", { name: "Pick tea-1 again" }).click();
		await page.getByText("C-2610").first().waitFor();
		await button(page, "Taken").click();
		await button(page, "Mark 1 order as picked").click();
		await page.getByRole("table", { name: "Outcome" }).getByText("picked", { exact: true }).waitFor();
		await page.goto(`${house.api}/admin/warehouse/orders/${order.order_id}`);
		await button(page, "Ship").click();
		await page.getByRole("dialog").getByRole("button", { name: "Ship", exact: true }).click();
		await page.getByText("Shipped under 1Z999AA10000002609.").waitFor();
		expect(await page.getByText(change).count()).toBe(0);

		await page.goto(`${house.api}/admin/orders/${order.order_id}`);
		await page
			.getByRole("listitem")
			.filter({ hasText: "recalled: 3 of C-2609 out, 3 of C-2610 in: lab report 77" })
			.waitFor();
		await page.goto(`${house.api}/admin/recalls/${id}`);
		const row = page
			.getByRole("table", { name: "Orders already picked or packed" })
			.getByRole("row", { name: /tea-1/ });
		await row.waitFor();
		expect(await row.getByText("open the box").count()).toBe(0);

		await page.evaluate("window.print = () => { document.title = 'printed'; }");
		await button(page, "Print").click();
		expect(await page.title()).toBe("printed");
		await page.emulateMedia({ media: "print" });
		await page.setViewportSize(A4_INSIDE);
		for (const way of [page.getByRole("banner"), page.getByRole("navigation").first(), button(page, "Print")])
			expect(await way.isVisible()).toBe(false);
		const cut = "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length";
		expect([await page.evaluate(cut), await isWiderThanItsWindow(page)]).toEqual([0, false]);
		await page.context().close();
	}, 60_000);

	it("leaves the tick to an order that nobody picked, but not to one whose labelled box has recalled units", async () => {
		const bad = await receive("COCOA", "C-2701", 10, "2090-01-31");
		const good = await receive("COCOA", "C-2702", 10, "2090-02-28");
		const [labelled, waiting] = [
			await place("cocoa-1", { sku: "COCOA", qty: 2 }),
			await place("cocoa-2", { sku: "COCOA", qty: 1 }),
		];
		const label = { carrier: "ups", tracking_number: "1Z999AA10000002701" };
		await operate(open.socket, LabelBox, { params: { id: labelled.order_id }, body: label });
		const id = await recall("C-2701");
		const lotPage = await open.personIn("lou", "operator", { at: `/stock/${bad}` });
		await lotPage
			.getByRole("table", { name: "The newest holds that had units of this lot, and have none now" })
			.waitFor();
		expect(await lotPage.getByRole("table", { name: "The newest holds with units of this lot" }).count()).toBe(0);
		await lotPage.goto(`${house.api}/admin/stock/${good}`);
		const holds = lotPage.getByRole("table", { name: "The newest holds with units of this lot" });
		await holds.getByRole("columnheader", { name: "Units of this lot" }).waitFor();
		for (const units of ["2", "1"]) await holds.getByRole("cell", { name: units, exact: true }).waitFor();
		await lotPage.context().close();
		const page = await open.personIn("willa", "warehouse", {
			at: `/warehouse/orders/${labelled.order_id}`,
			viewport: TABLET,
		});
		await page.getByText("Batch C-2701 in this box was recalled: take out 2, put in 2 of C-2702.").waitFor();
		expect(await button(page, "Ship").count()).toBe(0);
		await scan(page, label.tracking_number);
		await page.getByRole("alert").filter({ hasText: "no box that could be shipped under it" }).waitFor();
		expect(await page.getByRole("dialog").count()).toBe(0);
		await page.goto(`${house.api}/admin/warehouse/orders/${waiting.order_id}`);
		await button(page, "Ship").click();
		await page.getByRole("dialog").getByLabel("Mark as picked as well").waitFor();
		await page.goto(`${house.api}/admin/recalls/${id}`);
		await page
			.getByRole("row", { name: /cocoa-1/ })
			.getByText("open the box")
			.waitFor();
		await page.context().close();
	}, 60_000);

	it("is told to who takes the batch from a list that was made before, at its own stop and at the packing table", async () => {
		const fg_id = await receive("COCOA", "S-1", 5, "2088-01-31"); // the first to expire
		await receive("COCOA", "S-2", 5, "2088-02-28");
		await operate(open.socket, LocateLot, { params: { fg_id }, body: { location: "A-1" } });
		const order = await place("stale-1", { sku: "COCOA", qty: 2 });
		const other = await place("stale-2", { sku: "COCOA", qty: 1 });
		const page = await open.personIn("stan", "warehouse", {
			at: `/warehouse/walk?order=${order.order_id}`,
			viewport: TABLET,
		});
		await page.getByText("Take 2 units").waitFor();
		const late = await open.personIn("lena", "warehouse", {
			at: `/warehouse/walk?order=${other.order_id}`,
			viewport: TABLET,
		});
		await late.getByText("Take 1 unit").waitFor();
		await scan(late, "S-1");
		await button(late, "Mark 1 order as picked").waitFor();
		await recall("S-1");

		const told = page
			.getByRole("alert")
			.filter({ hasText: "Batch S-1 was recalled after this list was made. Put these units aside" });
		await scan(page, "S-1");
		await told.waitFor();
		await button(page, "Taken").click();
		await told.waitFor();
		expect(await page.getByText("0 of 2 units taken").count()).toBe(1);
		await button(page, "Make the list again").click();
		await page.getByRole("link", { name: "S-2", exact: true }).first().waitFor();
		await scan(page, "S-2");
		await button(page, "Mark 1 order as picked").click();
		await page.getByRole("table", { name: "Outcome" }).getByText("picked", { exact: true }).waitFor();

		// whoever had taken the units before the recall is told when the order is marked as picked
		await button(late, "Mark 1 order as picked").click();
		await late
			.getByText("Batch S-1 was recalled: put these 1 aside, they must not be shipped. Take 1 of batch S-2.")
			.waitFor();
		await button(late, "Make the list again").click();
		await late.getByText("Take 1 unit").waitFor();
		// a part of the first order left with the batch that is recalled now
		const parts = [{ sku: "COCOA", qty: 1 }];
		await operate(open.socket, ShipBox, { params: { id: order.order_id }, body: { parts } });
		await recall("S-2");
		await button(late, "Taken").click();
		await late.getByRole("alert").filter({ hasText: "Batch S-2 was recalled after this list was made." }).waitFor();
		await late.goto(`${house.api}/admin/warehouse/orders/${order.order_id}`);
		await late.getByText("Batch S-2 in this box was recalled: take out 1, put in 1 of").waitFor();
		await scan(late, "S-2");
		await late.getByRole("alert").filter({ hasText: "Batch S-2 is recalled. Put these units aside" }).waitFor();
		await page.context().close();
		await late.context().close();
	}, 60_000);

	it("is told to who scans the batch, and a batch number of any length is a scan", async () => {
		const fg_id = await receive("TEA", "P-2", 5, "2089-01-31"); // the first to expire
		await operate(open.socket, LocateLot, { params: { fg_id }, body: { location: "A-1" } }); // the first stop
		await receive("TEA", "P-3", 5, "2089-02-28");
		const short = await place("walk-1", { sku: "TEA", qty: 2 });
		await receive("COCOA", "C26", 5, "2089-01-31");
		await receive("COCOA", "C27", 5, "2089-02-28");
		await recall("C26");
		const other = await place("walk-2", { sku: "COCOA", qty: 1 });
		const page = await open.personIn("wanda", "warehouse", {
			at: `/warehouse/walk?order=${short.order_id}&order=${other.order_id}`,
			viewport: { ...TABLET, height: 500 },
		});
		await page.getByText("Take 2 units").waitFor();
		await scan(page, "C26");
		await page.getByRole("alert").filter({ hasText: "Batch C26 is recalled. Put these units aside" }).waitFor();
		await scan(page, "Q9");
		await page.getByRole("alert").filter({ hasText: "Wrong batch: you scanned Q9." }).waitFor();
		await scan(page, "walk-1");
		await page.getByRole("alert").filter({ hasText: "walk-1 is an order of this walk." }).waitFor();
		await scan(page, "P-2");
		await page.getByText("P-2 is right.").waitFor();
		await page.getByText("Take 1 unit").waitFor();
		await button(page, "Open again: the stop of P-2").click();
		await page.getByText("P-2 is right.").waitFor({ state: "detached" });
		await page.getByText("Take 2 units").waitFor();
		const heading = await page.locator(".stop h2").boundingBox();
		expect(heading?.y).toBeGreaterThan(0);
		expect(heading?.y).toBeLessThan(500);
		await button(page, "Taken").click();
		await button(page, "Not enough here").click();
		await page.getByText("Ask somebody with the role operator").waitFor();
		await button(page, "Mark 1 order as picked").click();
		await page.getByRole("table", { name: "Outcome" }).getByText("picked", { exact: true }).waitFor();
		expect(await button(page, "Open again: the stop of P-2").count()).toBe(0);
		expect(await page.getByRole("button", { name: /^Open again/ }).count()).toBe(1); // that of the other order
		await page.goto(`${house.api}/admin/warehouse/orders/${short.order_id}`);
		await page.getByRole("heading", { name: "Order walk-1", level: 1 }).waitFor();
		await scan(page, "C26");
		await page.getByRole("alert").filter({ hasText: "Batch C26 is recalled and does not belong" }).waitFor();
		await page.context().close();
	}, 60_000);

	it("ends by a restore only if a person says so, and tells it", async () => {
		const fgId = await receive("TEA", "P-1", 5, "2091-01-31");
		const id = await recall("P-1");
		const page = await open.personIn("oscar", "operator", { at: `/stock/${fgId}` });
		await button(page, "Restore units").click();
		const dialog = page.getByRole("dialog", { name: "Restore units" });
		await dialog.getByLabel("Units", { exact: true }).fill("5");
		await dialog.getByLabel("Reason").fill("false alarm");
		await button(dialog, "Show what it would do").click();
		expect(await dialog.getByText("would come back").count()).toBe(0); // the box must be ticked first
		await dialog.getByLabel("This ends the recall of P-1").check();
		await button(dialog, "Show what it would do").click();
		await dialog.getByText("5 units would come back from quarantine.").waitFor();
		await button(dialog, "Restore units").click();
		await dialog.getByText("5 units came back from quarantine.").waitFor();
		await page.goto(`${house.api}/admin/recalls/${id}`);
		await page.getByText("The recall of P-1 has ended: 5 units were restored and can be sold.").waitFor();
		await page.context().close();
	}, 60_000);
});
