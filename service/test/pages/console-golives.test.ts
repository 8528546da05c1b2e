import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/glossary.ts";
import { GetGoLive } from "../../src/upkeep/golive/admin-contract.ts";
import { StartGoLive, WaiveGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { operate } from "../operate.ts";
import { hasBrowser } from "./browser.ts";
import { LOOKS, lookAt, type OpenConsole, openConsole, show, visit } from "./console-look.ts";

/* An operator takes a partner live. */

let open: OpenConsole;
let house: OpenConsole["house"];

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.importWorld({ brands: [{ code: "ACME", name: "Acme" }] });
}, 60_000);
afterAll(() => open?.close());

const sandboxKey = (name: string) =>
	house.mint({
		name,
		partner: `${name} shop`,
		environment: "sandbox",
		brandCode: "SANDBOX",
		sharedPool: false,
		scopes: SCOPES,
	});
/** The number of a running go-live. */
async function running(name: string): Promise<number> {
	const { pk } = await sandboxKey(name);
	return (await operate(open.socket, StartGoLive, { body: { key: pk } })).json.data.number;
}

describe.skipIf(!hasBrowser)("An operator, in a browser,", () => {
	it("starts a go-live, judges what only a person can, and starts its drill", async () => {
		await sandboxKey("north");
		const page = await open.personIn("olga", "operator");
		await visit(page, "Go-lives");
		await page.getByRole("link", { name: "Start a go-live" }).first().click();
		await page.getByRole("heading", { name: "Start a go-live" }).waitFor(); // the list has a filter "Sandbox key" as well
		await page.getByLabel("Sandbox key").fill("north shop/north");
		await page.getByRole("button", { name: "Start a go-live" }).click();
		await page.getByRole("heading", { name: /^Go-live \d+: north shop$/ }).waitFor();
		const card = page.locator("section.card").filter({ hasText: "for you to judge" }).first();
		await card.getByRole("button", { name: "Judge it" }).click();
		await page.getByLabel("What you saw, and where").fill("Ten pages <b>are</b> right.");
		await page.getByRole("dialog").getByRole("button", { name: "Judge it" }).click();
		await page.getByText("looked at it: Ten pages <b>are</b> right.").waitFor();
		await page.getByRole("button", { name: "Start the drill" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Start the drill" }).click();
		await page
			.getByRole("timer")
			.filter({ hasText: /The key is refused for (10:00|9:\d\d)/ })
			.waitFor();
		expect(await page.getByRole("button", { name: "Finish" }).count()).toBe(0);
		await page.context().close();
	}, 60_000);

	it("finishes one, and sees the production key once", async () => {
		const number = await running("south");
		const params = { id: String(number) };
		for (const check of (await operate(open.socket, GetGoLive, { params })).json.data.missing) {
			await operate(open.socket, WaiveGoLive, { params, body: { check, reason: "for this test" } });
		}
		const page = await open.personIn("anna", "admin", { at: `/golives/${number}` });
		await page.getByRole("button", { name: "Finish" }).click();
		await page.getByLabel("Key", { exact: true }).fill("web");
		await page.getByRole("dialog").getByRole("button", { name: "Finish" }).click();
		await page
			.getByText(/pk_hf_live_\w+:sk_hf_live_/)
			.first()
			.waitFor();
		// the browser asks the page only about the first of two
		for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
		await page
			.getByText(/pk_hf_live_\w+:sk_hf_live_/)
			.first()
			.waitFor();
		await page.getByRole("dialog").getByRole("button").last().click();
		await page.getByText("finished", { exact: true }).waitFor();
		expect(await page.getByText(/sk_hf_live_/).count()).toBe(0);
		await page.context().close();
	}, 60_000);

	it.each(LOOKS)(
		"axe-core finds nothing on these pages, and nothing is cut off: $name",
		async ({ name, ...look }) => {
			const number = await running(`look-${name}`);
			const page = await open.personIn(`ina-${name}`, "operator", look);
			for (const at of ["/golives", "/golives/new", `/golives/${number}`]) {
				await show(page, at);
				await lookAt(page, name, at.replace(String(number), "one"));
			}
			await page.context().close();
		},
		120_000,
	);
});
