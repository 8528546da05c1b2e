import type { Page } from "playwright-core";
import { until } from "../../service/test/processes/child.ts";
import type { NewShop } from "./shop-for-tests.ts";

/** What a visitor of the shop does, and reads. */

/** The customer, by the names and by the labels of the form's fields. */
export const FIELDS = {
	name: "Ada Example",
	line1: "1 Main Street",
	city: "Portland",
	state: "OR",
	postalCode: "97201",
};
const LABELS = ["Name", "Street and number", "City", "State", "Postal code"];

export async function putIntoCart(page: Page, shop: NewShop, product: string, qty: number): Promise<void> {
	await page.goto(`${shop.address}/products/${product}`);
	await page.getByLabel("Quantity").fill(String(qty));
	await press(page, / cart$/);
}

/** Presses a button, and waits for the page that it leads to. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
	const loaded = page.waitForEvent("load");
	await page.getByRole("button", { name }).click();
	await loaded;
}

export async function pay(page: Page, card: "charged" | "declined" | "too late" = "charged"): Promise<void> {
	for (const [at, text] of Object.values(FIELDS).entries()) {
		await page.getByLabel(LABELS[at] ?? "", { exact: true }).fill(text);
	}
	const cards = page.getByLabel("Card");
	await cards.selectOption({ label: (await cards.locator("option", { hasText: card }).textContent()) ?? "" });
	await press(page, "Pay and order");
}

export const titleOf = async (page: Page): Promise<string | null> => await page.locator("h1").textContent();
export const textOf = async (page: Page): Promise<string> => (await page.locator("main").textContent()) ?? "";
/** Reloads the page once its address says so, which costs less than to reload it until then. */
export const untilSays = (page: Page, words: string): Promise<string> =>
	until(`the page to say "${words}"`, async () => {
		const reply = await page.request.get(page.url());
		if (!(await reply.text()).includes(words)) return null;
		await page.reload();
		const text = await textOf(page);
		return text.includes(words) ? text : null;
	});
export const refOf = (page: Page): string => new URL(page.url()).pathname.split("/").at(-1) ?? "";
