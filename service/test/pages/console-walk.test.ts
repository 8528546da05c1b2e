import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { PickOrder } from "../../src/inventory/shipping/ship-admin-contract.ts";
import { LocateLot } from "../../src/inventory/stock/lot-write-contract.ts";
import { operate } from "../operate.ts";
import { type PlacedOrder, placeOrder } from "../operator/placed.ts";
import { readPdf } from "../read-pdf.ts";
import { hasBrowser } from "./browser.ts";
import { type OpenConsole, openConsole, TABLET, visit } from "./console-look.ts";

/* A walk through the warehouse while orders come, and are picked by others. */

let open: OpenConsole;
let house: OpenConsole["house"];
let token: string;
const place = (ref: string, more: { readonly [name: string]: unknown }): Promise<PlacedOrder> =>
	placeOrder(house, token, ref, { sku: "TEA", external_order_id: ref, ...more });

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	const { lots } = await house.stock({ TEA: 100, COCOA: 10 });
	const params = { fg_id: must(lots[0]?.fg_id, "the lot of TEA") };
	await operate(open.socket, LocateLot, { params, body: { location: "A-1" } });
	({ token } = await house.mint({ name: "shop", partner: "Tea Shop", scopes: ["atp.reserve", "atp.orders"] }));
}, 60_000);
afterAll(() => open?.close());

describe.skipIf(!hasBrowser)("A walk", () => {
	it("is for the orders that still wait to be picked, and its list stays as it was made", async () => {
		await place("walk-1", { qty: 2 });
		const { order_id } = await place("walk-2", { sku: "COCOA", qty: 1 });
		const page = await open.personIn("wanda", "warehouse", { viewport: TABLET });
		await visit(page, "Warehouse");
		for (const name of ["walk-1", "walk-2"]) {
			await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).check();
		}
		await operate(open.socket, PickOrder, { params: { id: order_id }, body: {} });
		await page.getByRole("checkbox", { name: "Select walk-2", exact: true }).waitFor({ state: "detached" });
		await page.getByRole("link", { name: "Pick 2 selected orders" }).click();
		await page.getByText("One of the selected orders is not here").waitFor();
		await page.getByText("Take 2 units").waitFor();
		await page.getByRole("button", { name: "Taken", exact: true }).click();
		await page.getByRole("heading", { name: "Every stop is done" }).waitFor();

		await place("walk-3", { qty: 1 });
		await page.goto(`${house.api}/admin/warehouse/walk?boxes=1000`);
		await page.getByRole("heading", { name: "A-1" }).waitFor();
		await page.getByRole("button", { name: "Taken", exact: true }).click();
		const taken = page.getByText(/(^|[^\d])[1-9]\d* of \d+ units taken/);
		const before = await taken.textContent();
		await place("walk-4", { qty: 1, service_level: "overnight" });
		await page.reload();
		expect(await taken.textContent()).toBe(before);
		const print = page.getByRole("button", { name: "Pick list (PDF)" });
		const [paper] = await Promise.all([page.waitForEvent("download"), print.click()]);
		const printed = readPdf(await readFile(await paper.path()))
			.pages.flat()
			.join(" ");
		expect([printed.includes("walk-1"), printed.includes("walk-4")]).toEqual([true, false]);
		// the same address, opened another time, is another walk
		await page.goto(`${house.api}/admin/account`);
		await page.goto(`${house.api}/admin/warehouse/walk?boxes=1000`);
		await page.getByText("Take 4 units").waitFor();
		await page.context().close();
	}, 60_000);
});
