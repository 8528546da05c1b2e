import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocateLot, ReceiveBatch } from "../../src/inventory/stock/lot-write-contract.ts";
import { operate } from "../operate.ts";
import { placeOrder } from "../operator/placed.ts";
import { hasBrowser } from "./browser.ts";
import { type OpenConsole, openConsole, PHONE } from "./console-look.ts";
import { isWiderThanItsWindow, violations } from "./look.ts";

/* The warehouse on screens that are held in one hand: no column may be cut, and no key is there to press. */

const UPRIGHT = { width: 820, height: 1180 };

let open: OpenConsole;
let house: OpenConsole["house"];

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.importWorld({
		formulas: [{ code: "F-TEA", name: "Tea", status: "active" }],
		skus: [{ sku: "TEA", name: "Tea", kind: "single", components: [{ formula: "F-TEA", per_kit: 1 }] }],
	});
	const body = { formula: "F-TEA", brand_code: null, batch_number: "TEA-2607", units: 500, expires_on: "2099-12-31" };
	const { json } = await operate(open.socket, ReceiveBatch, { body });
	await operate(open.socket, LocateLot, { params: { fg_id: json.data.fg_id }, body: { location: "A-12-3" } });
	const scopes = ["atp.reserve", "atp.orders"] as const;
	const { token } = await house.mint({ name: "shop", partner: "Acme Web Shop", scopes });
	for (const ref of ["acme-order-1001", "acme-order-1002"]) {
		await placeOrder(house, token, ref, { sku: "TEA", external_order_id: ref, service_level: "overnight" });
	}
}, 60_000);
afterAll(() => open?.close());

/** The names of the regions on a page that scroll sideways. */
const cut = (page: Page): Promise<readonly string[]> =>
	page.$$eval(".scroll", (regions) =>
		regions.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute("aria-label") ?? ""),
	);

describe.skipIf(!hasBrowser)("On a narrow screen", () => {
	it.each([
		["a tablet", UPRIGHT],
		["a phone", PHONE],
	])(
		"the queue and the walk show every column, on %s",
		async (name, viewport) => {
			const look = { at: "", viewport, hasTouch: true, isMobile: true };
			const page = await open.personIn(`ina-${name.at(-1)}`, "warehouse", look);
			await page.getByText("Acme Web Shop").first().waitFor();
			// until the stream of changes is open, the header says that it is not
			await page.locator(".pulse:not(.off)").waitFor({ state: "attached" });
			expect(await page.getByText("2 × TEA").first().isVisible()).toBe(true);
			expect(await page.getByLabel("Search everything").getAttribute("placeholder")).toBe("Search");
			expect(await page.locator("header").evaluate((header) => header.getBoundingClientRect().height)).toBeLessThan(64);
			expect([await cut(page), await isWiderThanItsWindow(page), await violations(page)]).toEqual([[], false, []]);
			await page.goto(`${house.api}/admin/warehouse/walk?boxes=5`);
			await page.getByRole("button", { name: "Taken", exact: true }).click();
			await page.getByRole("button", { name: "Open again" }).waitFor();
			expect([await cut(page), await isWiderThanItsWindow(page), await violations(page)]).toEqual([[], false, []]);
			await page.getByRole("button", { name: "Menu" }).click();
			await page.getByRole("link", { name: "Orders", exact: true }).click();
			await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
			await page.context().close();
		},
		60_000,
	);
});
