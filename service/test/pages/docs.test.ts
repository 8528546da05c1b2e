import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SURFACES } from "../../src/assembly/surfaces.ts";
import { ERROR_STATUS } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { createApiDates } from "../../src/partners/http/api-date.ts";
import { openSite } from "../../src/partners/http/docs/site.ts";
import { openApi } from "../../src/partners/http/openapi/document.ts";
import { type House, openHouse } from "../house.ts";
import { partnerCodes } from "../partner-codes.ts";
import { sizeOr } from "../sizes.ts";
import { hasBrowser, leaveBrowser, openBrowser } from "./browser.ts";
import { isWiderThanItsWindow, violations } from "./look.ts";
import { watchPages } from "./watch.ts";

/*
 * /docs as a partner's developer uses it: a real browser, the service's own Content-Security-Policy, a real key; on a
 * phone and on a desktop, light and dark, with the keyboard alone, without scripts, and with a screen reader.
 */

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1366, height: 900 };
const LOOKS = [
	{ name: "on a desk, light", viewport: DESK, colorScheme: "light" },
	{ name: "on a desk, dark", viewport: DESK, colorScheme: "dark" },
	{ name: "on a phone, light", viewport: PHONE, colorScheme: "light" },
	{ name: "on a phone, dark", viewport: PHONE, colorScheme: "dark" },
] as const;
/** One page of each kind. */
const KINDS = [
	"/docs",
	"/docs/guides/quickstart",
	"/docs/guides/holds",
	"/docs/errors/gone",
	"/docs/reference",
	"/docs/reference/reserve",
];

/** The pages of codes that partners never receive: only the links of such errors lead to them. */
const OF_OPERATORS = Object.keys(ERROR_STATUS)
	.filter((code) => !(partnerCodes() as string[]).includes(code))
	.map((code) => `/docs/errors/${code}`);

/**
 * In a full run axe-core looks at every page in each look; in an everyday run at one page of each kind, once on each
 * screen and in each scheme.
 */
const EVERY_PAGE = sizeOr(1, 0) === 1;
const EVERYDAY_LOOKS = [LOOKS[0], LOOKS[3]];

let house: House;
let browser: Browser;
/** Every page there is. */
let pages: readonly string[];
const { strangers, complaints, newPage } = watchPages(() => house.api);

beforeAll(async () => {
	if (!hasBrowser) return;
	house = await openHouse();
	await house.stock({ TEA: 10 });
	browser = await openBrowser();
	const { document, operations } = must(SURFACES[0], "the partner API");
	const site = await openSite({
		title: document.title,
		document: openApi(document, operations, createApiDates().current),
		origin: "",
		coa: "",
		at: "",
	});
	pages = site.addresses.filter((address) => !/\.\w+$|\/json$/.test(address));
}, 60_000);
afterAll(async () => {
	await leaveBrowser();
	await house?.close();
});

async function open(look: Partial<(typeof LOOKS)[number]> & { javaScriptEnabled?: boolean }): Promise<BrowserContext> {
	const { viewport = DESK, colorScheme = "light", javaScriptEnabled = true } = look;
	return await browser.newContext({ viewport, colorScheme, javaScriptEnabled });
}

describe.skipIf(!hasBrowser)("/docs in a browser", () => {
	it.each(EVERY_PAGE ? LOOKS : EVERYDAY_LOOKS)(
		"axe-core finds nothing, and nothing is cut off: $name",
		async (look) => {
			const context = await open(look);
			const looked = EVERY_PAGE ? pages : KINDS;
			expect(looked.length).toBeGreaterThan(4);
			const page = await newPage(context, "/docs");
			for (const at of looked) {
				await page.goto(house.api + at);
				await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
				expect([at, await violations(page), await isWiderThanItsWindow(page)]).toEqual([at, [], false]);
			}
			await context.close();
		},
		300_000,
	);

	it("axe-core would find something", async () => {
		const context = await open({});
		const page = await newPage(context, "/docs");
		await page.evaluate("document.querySelector('article').append(document.createElement('img'))");
		expect(await violations(page)).toEqual([expect.stringMatching(/: image-alt: /)]);
		await context.close();
	});

	it("every link of every page leads somewhere, and to a heading that is there", async () => {
		const html = new Map<string, string>();
		for (const at of pages) html.set(at, await (await fetch(house.api + at)).text());
		const broken: string[] = [];
		let links = 0;
		for (const [from, text] of html) {
			for (const [, href = ""] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
				const { origin, pathname, hash } = new URL(href, house.api + from);
				if (origin !== house.api) continue; // somebody else's
				links++;
				const there = html.get(pathname) ?? (await (await fetch(house.api + pathname)).text());
				html.set(pathname, there);
				if (there.startsWith('{"error"')) broken.push(`${from} leads to ${pathname}`);
				const anchor = decodeURIComponent(hash.slice(1));
				if (anchor !== "" && !there.includes(`id="${anchor}"`)) broken.push(`${from} leads to ${pathname}${hash}`);
			}
		}
		expect(broken).toEqual([]);
		expect(links).toBeGreaterThan(pages.length * 20);
	});

	it("the reference has every operation, in the order of a partner's flow, each parameter in words and no pattern", async () => {
		const { document, operations } = must(SURFACES[0], "the partner API");
		const index = await (await fetch(`${house.api}/docs/reference`)).text();
		const listed = [...index.matchAll(/<li><a href="reference\/(\w+)">[^<]+<\/a><br>/g)].map(([, id]) => id);
		const named = must(document.groups, "groups").flatMap((group) => group.operations);
		expect(
			operations.map(({ id }) => id).filter((id) => !named.includes(id)),
			"assembly/flow.ts names each",
		).toEqual([]);
		expect(listed).toEqual(named.filter((id) => operations.some((one) => one.id === id)));
		expect(listed.length).toBe(operations.length);
		for (const { id } of operations) {
			const page = await (await fetch(`${house.api}/docs/reference/${id}`)).text();
			expect([id, page]).toEqual([id, expect.not.stringMatching(/\^\[|\\p\{|\\d\{|>undefined|\[object/)]);
			const [, taken = ""] = /<h2 id="(?:parameters|body)">([\s\S]*?)<h2 id="success">/.exec(page) ?? [];
			expect([id, taken]).toEqual([id, expect.not.stringContaining("<dd></dd>")]);
			expect([id, page]).toEqual([id, expect.not.stringMatching(/curl -sS [^\n]*\{/)]);
		}
	});

	it("lets a developer try a reserve with a key: the units are held", async () => {
		const context = await open({});
		const page = await newPage(context, "/docs/reference/reserve");
		const { token } = await house.mint({ scopes: ["atp.reserve", "atp.inventory"] });
		await page.getByLabel(/^Your key/).fill(token);
		await page.getByLabel("Body").fill(JSON.stringify({ items: [{ sku: "TEA", qty: 3 }] }));
		await page.getByRole("button", { name: "Send POST" }).click();
		const answer = page.getByLabel("The answer");
		await answer.getByText("reservation_token").waitFor();
		expect(await answer.innerText()).toMatch(/^201\nx-request-id: req_/);
		const counted = await house.call(token, "/api/v1/inventory?sku=TEA");
		expect(counted.json.data.totals).toEqual({ on_hand: 10, reserved: 3, atp: 7 });
		// the key is there on the next page of this tab, and an error shows where it is explained
		await page.goto(`${house.api}/docs/reference/inventory`);
		await page.getByLabel("sku").fill("NOPE");
		await page.getByRole("button", { name: "Send GET" }).click();
		await page.getByLabel("The answer").getByText("not_found", { exact: false }).first().waitFor();
		expect(await page.getByLabel("The answer").innerText()).toContain(
			`link: <${house.api}/docs/errors/not_found>; rel="help"`,
		);
		complaints.length = 0; // the browser logs every 404
		expect(await violations(page)).toEqual([]);
		await context.close();
	}, 60_000);

	it("finds words in every kind of page, with the keyboard alone", async () => {
		const context = await open({});
		const page = await newPage(context, "/docs");
		for (const [words, title] of [
			["impaired", "Impaired holds"],
			["reservation_expired", "reservation_expired"],
			["combine", "Several orders in one box"],
			["after a crash", "After a crash: what became of my cart"],
			["hold units before", "Hold units before charging a customer"],
		] as const) {
			await page.goto(`${house.api}/docs`);
			await page.keyboard.press("/");
			await page.keyboard.type(words);
			await page.locator(".found a").first().waitFor();
			const found = await page.locator(".found a").evaluateAll((all) => all.map((one) => one.firstChild?.textContent));
			expect([words, found]).toEqual([words, expect.arrayContaining([title])]);
		}
		expect(await violations(page)).toEqual([]);
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.waitForURL(/\/docs\/.+/);
		await page.keyboard.press("/");
		await page.keyboard.type("qqqq");
		await page.getByText("Nothing found.").waitFor();
		await page.keyboard.press("Escape");
		expect(await page.locator(".found").isVisible()).toBe(false);
		await context.close();
	}, 60_000);

	it("can be walked with the keyboard: past the navigation, and through the menu of a phone", async () => {
		const desk = await open({});
		const page = await newPage(desk, "/docs/guides/holds");
		await page.keyboard.press("Tab");
		expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
		await page.keyboard.press("Enter");
		expect(await page.evaluate("document.activeElement.id")).toBe("content");
		await page.keyboard.press("Tab");
		expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
		await desk.close();
		const phone = await open({ viewport: PHONE });
		const small = await newPage(phone, "/docs/guides/holds");
		expect(await small.getByRole("link", { name: "Rate limits" }).first().isVisible()).toBe(false);
		const menu = small.getByRole("button", { name: "Menu" });
		for (let n = 0; n < 6 && !(await menu.evaluate((one) => one.ownerDocument.activeElement === one)); n++)
			await small.keyboard.press("Tab");
		await small.keyboard.press("Enter");
		await small.getByRole("link", { name: "Rate limits" }).first().waitFor();
		expect(await violations(small)).toEqual([]);
		await small.keyboard.press("Escape");
		expect(await small.getByRole("link", { name: "Rate limits" }).first().isVisible()).toBe(false);
		await phone.close();
	}, 60_000);

	it("are found by a question as a person asks it", async () => {
		const context = await open({});
		const page = await newPage(context, "/docs");
		for (const [question, heading] of [
			["how long does a hold last", "How long a hold lasts"],
			["what is idempotency_mismatch?", "idempotency_mismatch"],
		] as const) {
			await page.getByRole("searchbox").fill(question);
			await page.getByText(/^\d+ results?$/).waitFor();
			const first = await page.locator(".found li a").first().innerText();
			expect(first, question).toContain(heading);
		}
		await context.close();
	}, 60_000);

	it("can be read without scripts, on a phone too", async () => {
		const context = await open({ viewport: PHONE, javaScriptEnabled: false });
		const page = await newPage(context, "/docs");
		await page.getByRole("button", { name: "Menu" }).click();
		await page.getByRole("link", { name: "Holds", exact: true }).first().click();
		await page.getByRole("heading", { name: "Holds", level: 1 }).waitFor();
		expect(await page.getByRole("search").isVisible()).toBe(false);
		await page.goto(`${house.api}/docs/reference/reserve`);
		expect(await page.getByRole("button", { name: "Send POST" }).isVisible()).toBe(false);
		expect(await page.getByText("The form needs scripts").isVisible()).toBe(true);
		await context.close();
	}, 60_000);

	it("shows samples with the address that it is read at", async () => {
		const context = await open({});
		const page = await newPage(context, "/docs/guides/quickstart");
		expect(await page.locator("pre").first().innerText()).toContain(`BASE=${house.api}\n`);
		await context.close();
	}, 60_000);

	it("the first page leads from a key to production, in this order", async () => {
		const text = await (await fetch(`${house.api}/docs`)).text();
		const [, steps = ""] = /<h2 id="start-here">[\s\S]*?<ol>([\s\S]*?)<\/ol>/.exec(text) ?? [];
		expect([...steps.matchAll(/<li><a href="[^"]+">([^<]+)<\/a>/g)].map(([, words]) => words)).toEqual([
			"Get a key",
			"Make your first hold",
			"Mirror stock and certificates",
			"Receive webhooks",
			"Ship orders",
			"Go live",
		]);
	});

	it("every page is there as Markdown, and llms.txt leads to each but those of the operators' codes", async () => {
		const index = await (await fetch(`${house.api}/docs/llms.txt`)).text();
		const whole = await (await fetch(`${house.api}/docs/llms-full.txt`)).text();
		const answers = new Map<string, number>();
		for (const at of pages) {
			const markdown = at === "/docs" ? "/docs/index.md" : `${at}.md`;
			const reply = await fetch(house.api + markdown);
			const text = await reply.text();
			expect([at, reply.status, reply.headers.get("content-type")]).toEqual([at, 200, "text/markdown; charset=utf-8"]);
			expect([at, text]).toEqual([at, expect.stringMatching(/^# \S/)]);
			expect([at, text]).toEqual([at, expect.not.stringMatching(/undefined|\[object/)]);
			const isListed = !OF_OPERATORS.includes(at);
			expect([at, index.includes(`(${house.api}${markdown})`)]).toEqual([at, isListed]);
			expect([at, whole.includes(text)]).toEqual([at, isListed]);
			for (const [, href = ""] of text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)) {
				const { origin, pathname } = new URL(href, house.api + markdown);
				if (origin !== house.api) continue;
				const status = answers.get(pathname) ?? (await fetch(house.api + pathname)).status;
				answers.set(pathname, status);
				expect([markdown, href, status]).toEqual([markdown, href, 200]);
			}
		}
		for (const file of [
			"receiver.go",
			"collections/postman.json",
			"collections/bruno.json",
			"@holdfast/partner",
			"/docs/json",
		])
			expect(index).toContain(file);
		expect(whole).toContain("examples/storefront");
	}, 120_000);

	it("asks nobody but us, and its own policy forbids it nothing it needs", () => {
		expect(strangers).toEqual([]);
		expect(complaints).toEqual([]);
	});
});
