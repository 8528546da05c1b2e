import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD } from "../person.ts";
import { hasBrowser } from "./browser.ts";
import { LOOKS, type OpenConsole, openConsole, show } from "./console-look.ts";
import { isWiderThanItsWindow, violations } from "./look.ts";

/* The operators' guides as a person reaches them from the console. */

let open: OpenConsole;
beforeAll(async () => {
	if (hasBrowser) open = await openConsole();
}, 60_000);
afterAll(() => open?.close());

/** The addresses of the console's pages, with a thing that does not exist where one is named. */
const PAGES = [
	...readFileSync(join(import.meta.dirname, "../../../console/src/app/pages.ts"), "utf8").matchAll(
		/^\t\["([^"]*)", lazy/gm,
	),
].map(([, page = ""]) => page.replaceAll(/:\w+/g, "00000000-0000-7000-8000-000000000000"));

describe.skipIf(!hasBrowser)("The help of the console", () => {
	it("leads from each page to a heading that there is, by the keyboard too", async () => {
		expect(PAGES.length).toBeGreaterThan(50);
		const page = await open.personIn("hanna", "admin");
		const sections = new Set<string>();
		for (const at of PAGES) {
			const address = await page.request.get(`${open.house.api}/admin/${at}`);
			expect([at, address.status(), await address.text()]).toEqual([at, 200, expect.stringContaining('id="console"')]);
			await show(page, `/${at}`);
			const link = page.locator("main").getByRole("link", { name: /^Help: .+ \(opens in a new window\)$/ });
			await link.first().waitFor();
			expect([at, await link.count()]).toEqual([at, 1]);
			sections.add((await link.getAttribute("href")) ?? "");
		}
		for (const section of sections) {
			const [address, anchor] = section.split("#");
			const guide = await page.request.get(`${open.house.api}${address}`, { headers: { Accept: "text/html" } });
			expect([section, guide.status()]).toEqual([section, 200]);
			if (anchor !== undefined)
				expect([section, await guide.text()]).toEqual([section, expect.stringContaining(` id="${anchor}"`)]);
		}
		await page.goto(`${open.house.api}/admin/recalls/new`);
		await page.getByRole("link", { name: /^Help: / }).focus();
		const [guide] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("Enter")]);
		await guide.getByRole("heading", { name: "What it does" }).waitFor();
		await guide.getByRole("searchbox").fill("false alarm");
		await guide
			.getByRole("link", { name: /^A false alarm/ })
			.first()
			.click();
		await guide.waitForURL(/\/admin\/help\/recall#a-false-alarm$/);
		await guide.getByRole("link", { name: "Back to the console" }).click();
		await guide.getByRole("heading", { name: "Today", level: 1 }).waitFor();
		await page.context().close();
	}, 180_000);

	it("is shown after the sign-in to who asked for it before", async () => {
		const page = await open.personIn("hugo", "viewer");
		await page.context().clearCookies();
		await page.goto(`${open.house.api}/admin/help/warehouse#pick`);
		await page.getByLabel("Name").fill("hugo");
		await page.getByLabel("Password").fill(PASSWORD);
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.getByRole("heading", { name: "Pick", exact: true }).waitFor();
		await page.context().close();
	}, 60_000);

	it.each(LOOKS)(
		"reads well, with its pictures: $name",
		async ({ name, ...look }) => {
			const page = await open.personIn(`helga-${name}`, "viewer", { at: "/help", ...look });
			for (const at of ["", "/console", "/warehouse"]) {
				if (at !== "") await page.goto(`${open.house.api}/admin/help${at}`);
				const broken = "[...document.images].filter((one) => one.complete && one.naturalWidth === 0).length";
				await page.evaluate(
					"Promise.all([...document.images].map((one) => { one.loading = 'eager'; return one.decode(); }))",
				);
				expect([at, await page.evaluate(broken)]).toEqual([at, 0]);
				expect([name, at, await violations(page), await isWiderThanItsWindow(page)]).toEqual([name, at, [], false]);
			}
			await page.goto(`${open.house.api}/admin/stock`);
			await page.getByRole("link", { name: /^Help: / }).waitFor();
			await page.context().close();
		},
		120_000,
	);
});
