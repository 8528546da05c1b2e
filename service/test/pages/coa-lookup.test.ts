import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CoaWorld, openCoaWorld } from "../contract/coa-world.ts";
import { hasBrowser, leaveBrowser, openBrowser } from "./browser.ts";
import { violations } from "./look.ts";

/*
 * The page on which a buyer checks a lot, in a real browser: its states on a phone and a desktop, light and dark, by
 * keyboard alone and without scripts. `HOLDFAST_TEST_IMAGES=1` writes the pictures of the guides again.
 */

const IMAGES = path.resolve(import.meta.dirname, "../../../docs/images");
const PICTURES = process.env.HOLDFAST_TEST_IMAGES === "1";
const SCREENS = {
	phone: { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true },
	desktop: { viewport: { width: 1100, height: 760 } },
} as const;
const STATES = [
	["current", "C-2611", "Certificate found"],
	["archived", "C-2511", "Certificate found, archived"],
	["withdrawn", "C-2499", "Withdrawn: do not use"],
	["pending", "C-2612", "Certificate not published yet"],
	["recalled", "C-2498", "Withdrawn: do not use"],
	["sample", "SANDBOX", "A sample, not a product"],
	["unknown", "C-0000", "Unknown lot number"],
] as const;

let world: CoaWorld;
let browser: Browser;
let addresses = 0;

beforeAll(async () => {
	if (!hasBrowser) return;
	world = await openCoaWorld({
		HOLDFAST_TRUSTED_PROXIES: "127.0.0.0/8",
		HOLDFAST_COA_NAME: "Northwind Labs",
		HOLDFAST_COA_COLOUR: "#0a7c66",
		HOLDFAST_COA_CONTACT: "mailto:care@northwind.example",
	});
	await world.has({ products: [{ slug: "glow-serum", name: "Glow Serum" }] });
	const facts = {
		slug: "glow-serum",
		vialSize: "30 ml",
		testedOn: "2026-08-20",
		labName: "Northern Analytical",
		purityPct: 99.12,
	};
	await world.certify(
		{ ...facts, batchNumber: "C-2611" },
		{ ...facts, batchNumber: "C-2511", status: "archived" },
		{ ...facts, batchNumber: "C-2499" },
	);
	await world.set("glow-serum", "C-2499", "retired");
	await world.has({
		formulas: [{ code: "GLOW", name: "Glow", status: "active" }],
		lots: ["C-2612", "C-2498"].map((batch_number) => ({ formula: "GLOW", brand_code: null, batch_number, units: 5 })),
	});
	await world.db.query(
		"update lot set recalled_at = now(), quarantined = available, available = 0 where batch_number = 'C-2498'",
	);
	await world.db.query("insert into product (slug, name) values ('sbx-lookup', 'A sample') on conflict do nothing");
	await world.certify({ slug: "sbx-lookup", batchNumber: "SANDBOX" });
	browser = await openBrowser();
}, 60_000);
afterAll(async () => {
	await leaveBrowser();
	await world?.stop();
});

type Screen = keyof typeof SCREENS;
type Scheme = "light" | "dark";

async function open(screen: Screen, colorScheme: Scheme, at: string): Promise<Page> {
	const context = await browser.newContext({
		...SCREENS[screen],
		colorScheme,
		extraHTTPHeaders: { "x-forwarded-for": `198.51.100.${++addresses}` },
	});
	const page = await context.newPage();
	await page.goto(world.coa + at);
	return page;
}

describe.skipIf(!hasBrowser)("The lookup page in a browser", () => {
	const looks = [
		["phone", "light"],
		["desktop", "dark"],
		["phone", "dark"],
		["desktop", "light"],
	] as const;
	// an everyday run tests each state in one look, and each look with at least one state
	const inFull = process.env.GUARANTEES === "full" || PICTURES;
	const all = STATES.flatMap((state, n) =>
		looks.filter((_, m) => inFull || m === n % looks.length).map((look) => [...state, ...look] as const),
	);
	it.each(all)("%s (%s): %s, on a %s, %s: axe-core finds nothing", async (name, lot, words, screen, scheme) => {
		const page = await open(screen, scheme, `/coa/lookup?lot=${lot}`);
		expect(await page.locator(".word").textContent()).toBe(words);
		expect(await violations(page)).toEqual([]);
		const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
		expect(wide).toBe(false);
		if (PICTURES && name !== "recalled") {
			await mkdir(IMAGES, { recursive: true });
			await writeFile(path.join(IMAGES, `coa-${name}-${screen}-${scheme}.png`), await page.screenshot());
		}
		await page.context().close();
	});

	it("the form, and every page that refuses, too", async () => {
		for (const at of ["/coa/lookup", "/coa/lookup?lot=", `/coa/lookup?lot=${"x".repeat(300)}`]) {
			const page = await open("phone", "light", at);
			expect([at, await violations(page)]).toEqual([at, []]);
			await page.context().close();
		}
	});

	it("works by keyboard alone, and says what it found in its title", async () => {
		const page = await open("desktop", "light", "/coa/lookup");
		await page.keyboard.press("Tab");
		expect(await page.evaluate("document.activeElement.className")).toBe("skip");
		await page.keyboard.press("Tab");
		expect(await page.evaluate("document.activeElement.id")).toBe("lot");
		await page.keyboard.type("c 2611");
		await page.keyboard.press("Enter");
		await page.locator(".current").waitFor();
		expect(await page.title()).toBe("Lot C-2611: Certificate found – Northwind Labs");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Tab");
		expect(await page.evaluate("document.activeElement.textContent")).toContain("(PDF)");
		const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
		expect(outline).toBe("solid");
		await page.context().close();
	});

	it("works without scripts", async () => {
		const context = await browser.newContext({ javaScriptEnabled: false });
		const page = await context.newPage();
		await page.goto(`${world.coa}/coa/lookup`);
		await page.getByLabel("Lot number").fill("C-2499");
		await page.getByRole("button", { name: "Check" }).click();
		expect(await page.locator(".word").textContent()).toBe("Withdrawn: do not use");
		await context.close();
	});
});
