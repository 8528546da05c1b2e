import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../house.ts";
import { hasBrowser, openBrowser } from "./browser.ts";

/*
 * /docs as a partner's developer meets it: a real browser, the service's own Content-Security-Policy, a real key.
 */

let house: House;
let browser: Browser;
let page: Page;
/** What the page asked for that was not ours, and what it complained of. */
const strangers: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
	if (!hasBrowser) return;
	house = await openHouse();
	await house.stock({ TEA: 10 });
	browser = await openBrowser();
	page = await browser.newPage();
	page.on("request", (request) => {
		if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(house.api)) strangers.push(request.url());
	});
	page.on("console", (message) => {
		if (message.type() === "error") complaints.push(message.text());
	});
	page.on("pageerror", (error) => complaints.push(error.message));
	await page.goto(`${house.api}/docs`);
}, 60_000);
afterAll(async () => {
	await browser?.close();
	await house?.close();
});

describe.skipIf(!hasBrowser)("/docs in a browser", () => {
	it("lists every operation there is", async () => {
		const document = (await (await fetch(`${house.api}/docs/json`)).json()) as { paths: Record<string, object> };
		const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
		await page.locator(".opblock").first().waitFor();
		expect(operations.length).toBeGreaterThan(7);
		expect(await page.locator(".opblock").count()).toBe(operations.length);
	});

	it("lets a developer try a reserve with a key: the units are held", async () => {
		const { token } = await house.mint({ scopes: ["atp.reserve", "atp.inventory"] });
		await page.getByRole("button", { name: "Authorize" }).first().click();
		await page.locator(".auth-container input").first().fill(token);
		await page.locator(".auth-btn-wrapper").getByRole("button", { name: "Apply credentials" }).click();
		await page.locator(".auth-btn-wrapper").getByRole("button", { name: "Close" }).click();
		const reserve = page.locator(".opblock", { has: page.locator('[data-path="/api/v1/reserve"]') });
		await reserve.locator(".opblock-summary-control").click();
		await reserve.getByRole("button", { name: "Try it out" }).click();
		await reserve
			.locator("textarea")
			.first()
			.fill(JSON.stringify({ items: [{ sku: "TEA", qty: 3 }] }));
		await reserve.getByRole("button", { name: "Execute" }).click();
		const status = reserve.locator(".live-responses-table .response-col_status").nth(1);
		await status.waitFor();
		expect((await status.textContent())?.trim()).toMatch(/^201/);
		expect(await reserve.locator(".live-responses-table .highlight-code").first().textContent()).toContain(
			"reservation_token",
		);
		const counted = await house.call(token, "/api/v1/inventory?sku=TEA");
		expect(counted.json.data.totals).toEqual({ on_hand: 10, reserved: 3, atp: 7 });
	}, 60_000);

	it("asks nobody but us, and its own policy forbids it nothing it needs", () => {
		expect(strangers).toEqual([]);
		expect(complaints).toEqual([]);
	});
});
