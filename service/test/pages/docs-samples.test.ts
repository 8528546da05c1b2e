import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type House, openHouse } from "../house.ts";
import { hasBrowser, leaveBrowser, openBrowser } from "./browser.ts";
import { violations } from "./look.ts";
import { watchPages } from "./watch.ts";

/* Samples on the pages of /docs: tabs, buttons to copy, and the reader's own key, which never leaves the tab. */

let house: House;
let browser: Browser;
const { strangers, complaints, newPage } = watchPages(() => house.api);

beforeAll(async () => {
	if (!hasBrowser) return;
	house = await openHouse();
	browser = await openBrowser();
}, 60_000);
afterAll(async () => {
	await leaveBrowser();
	await house?.close();
});

describe.skipIf(!hasBrowser)("The samples of /docs in a browser", () => {
	it("shows samples as tabs: one choice of language for all of them, kept for the next page and the next visit", async () => {
		const context = await browser.newContext();
		const page = await newPage(context, "/docs/guides/quickstart");
		const chosen = async (): Promise<string[]> => [
			...new Set(await page.locator('[role="tab"][aria-selected="true"]').allInnerTexts()),
		];
		expect(await page.getByRole("tab", { name: "curl" }).count()).toBeGreaterThan(5);
		expect(await chosen()).toEqual(["curl"]);
		expect(await page.getByText("holdfast.check(").isVisible()).toBe(false);
		await page.getByRole("tab", { name: "TypeScript" }).nth(1).click();
		expect(await chosen()).toEqual(["TypeScript"]);
		await page.getByText("holdfast.check(").waitFor();
		await page.keyboard.press("ArrowRight");
		expect(await chosen()).toEqual(["Python"]);
		expect(await page.evaluate("document.activeElement.textContent")).toBe("Python");
		expect(await violations(page)).toEqual([]);
		for (const at of ["/docs/reference/reserve", "/docs/guides/orders"]) {
			await page.goto(house.api + at);
			expect([at, await chosen()]).toEqual([at, ["Python"]]);
		}
		await page.close();
		const later = await newPage(context, "/docs/guides/holds");
		expect(await later.getByRole("tab", { name: "Python" }).first().getAttribute("aria-selected")).toBe("true");
		await context.close();
	}, 60_000);

	it("without storage, the tabs of the page still change", async () => {
		const context = await browser.newContext();
		await context.addInitScript(
			"Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } })",
		);
		await context.addInitScript(
			"Object.defineProperty(window, 'sessionStorage', { get() { throw new Error('forbidden'); } })",
		);
		const page = await newPage(context, "/docs/guides/quickstart");
		await page.getByRole("tab", { name: "Python" }).first().click();
		await page.getByText('session.post(f"{BASE}/api/v1/check"').waitFor();
		await context.close();
	}, 60_000);

	it("copies a sample as it is shown, with the reader's key once it was given; the key leaves the tab nowhere", async () => {
		const context = await browser.newContext();
		await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: house.api });
		const page = await newPage(context, "/docs/guides/quickstart");
		const copied = (): Promise<unknown> => page.evaluate("navigator.clipboard.readText()");
		const copy = page.getByRole("button", { name: "Copy" });
		await copy.nth(0).click();
		await page.getByRole("button", { name: "Copied" }).waitFor();
		expect(await copied()).toBe(
			`BASE=${house.api}\nKEY='pk_hf_sandbox_…:sk_hf_sandbox_…'\nCART=cart-1001 # another one each time you go through this page\n`,
		);

		const { token } = await house.mint({ environment: "sandbox", brandCode: "SANDBOX", sharedPool: false });
		const asked: string[] = [];
		page.on("request", (request) =>
			asked.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`),
		);
		await page.getByText("Show the samples with your sandbox key").click();
		const field = page.getByLabel(/^Your sandbox key/);
		await field.fill("pk_hf_sandbox_half");
		await page.getByText("This is not a whole sandbox key").waitFor();
		await field.fill(token);
		await page.getByText("now show your key").waitFor();
		expect(await violations(page)).toEqual([]);
		const shown = async (): Promise<string> => (await page.locator("pre code").allInnerTexts()).join("\n");
		expect(await shown()).toContain(`curl -s ${house.api}/api/v1/check -H "Authorization: Bearer ${token}"`);
		expect(await shown()).not.toContain("$KEY");

		await page.goto(`${house.api}/docs/guides/idempotency`);
		expect(await shown()).toContain(`Bearer ${token}`);
		await page.goto(`${house.api}/docs/reference/reserve`);
		expect(await page.getByLabel(/^Your key/).inputValue()).toBe(token);
		await copy.nth(0).click();
		await page.getByRole("button", { name: "Copied" }).first().waitFor();
		expect(await copied()).toContain(`-H "Authorization: Bearer ${token}"`);
		expect(asked.filter((one) => one.includes(token.split(":")[1] ?? ""))).toEqual([]);
		expect(page.url()).not.toContain("sk_hf");

		await page.getByText("Show the samples with your sandbox key").click();
		await page.getByLabel(/^Your sandbox key/).fill("");
		expect(await shown()).toContain("$KEY");
		const other = await newPage(context, "/docs/guides/idempotency");
		expect(await other.locator("pre code").first().innerText()).toContain("$KEY");
		await context.close();
	}, 60_000);

	it("a text that is not a key is not filled in, so none of it reaches the reader's shell", async () => {
		const context = await browser.newContext();
		const page = await newPage(context, "/docs/guides/quickstart");
		await page.getByText("Show the samples with your sandbox key").click();
		await page.getByLabel(/^Your sandbox key/).fill('pk_hf_sandbox_a:sk_hf_sandbox_b"; rm -rf ~; echo "');
		await page.getByText("This is not a whole sandbox key").waitFor();
		expect(await page.locator("pre code").allInnerTexts()).not.toContainEqual(expect.stringContaining("rm -rf"));
		await context.close();
	}, 60_000);

	it("without scripts every language of a sample is shown, one below the other", async () => {
		const context = await browser.newContext({ javaScriptEnabled: false });
		const page = await newPage(context, "/docs/guides/quickstart");
		for (const text of ["curl -s $BASE/api/v1/check", "holdfast.check(", 'session.post(f"{BASE}/api/v1/check"'])
			expect([text, await page.getByText(text).first().isVisible()]).toEqual([text, true]);
		expect(await page.getByText("TypeScript", { exact: true }).count()).toBeGreaterThan(5);
		expect(await page.getByRole("button", { name: "Copy" }).count()).toBe(0);
		await context.close();
	}, 60_000);

	it("ask nobody but us, and the policy of the pages forbids them nothing", () => {
		expect(strangers).toEqual([]);
		expect(complaints).toEqual([]);
	});
});
