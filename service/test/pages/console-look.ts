import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page, Route } from "playwright-core";
import { expect } from "vitest";
import type { Role } from "../../src/glossary.ts";
import { SetUp } from "../../src/partners/people/contract.ts";
import { InvitePerson } from "../../src/partners/people/people-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, operate } from "../operate.ts";
import { linkFor as newSetUp, PASSWORD } from "../person.ts";
import { sizeOr } from "../sizes.ts";
import { leaveBrowser, openBrowser } from "./browser.ts";
import { isWiderThanItsWindow, violations } from "./look.ts";

export const DESK = { width: 1366, height: 900 };
export const TABLET = { width: 1024, height: 768 };
export const PHONE = { width: 390, height: 844 };
const ON_A_PHONE = { name: "phone-dark", viewport: PHONE, colorScheme: "dark" } as const;
const ON_A_DESK = { name: "desk-light", viewport: DESK, colorScheme: "light" } as const;
/** The looks in which every page must be right: all of them in a full run, only the narrowest in an everyday run. */
export const LOOKS = sizeOr(
	[
		ON_A_PHONE,
		{ name: "tablet-light", viewport: TABLET, colorScheme: "light" } as const,
		ON_A_DESK,
		{ name: "desk-dark", viewport: DESK, colorScheme: "dark" } as const,
	],
	[ON_A_PHONE, ...(process.env.PICTURES === "on" ? [ON_A_DESK] : [])],
);

/** A house and a browser, in which any complaint of a page of the console fails the test. */
export interface OpenConsole {
	readonly house: House;
	readonly browser: Browser;
	readonly socket: As;
	/** A page at an address below the house's, which is watched. `origin`: another name of the house. */
	newPage(context: BrowserContext, at: string, origin?: string): Promise<Page>;
	/** The address of a new set-up link. */
	linkFor(name: string, role: string): Promise<string>;
	/**
	 * A person in a browser of their own, just signed in. `at`: the page that they open, below /admin; unless it is
	 * given, that of their account, which reads little.
	 */
	personIn(name: string, role: Role, look?: BrowserContextOptions & { readonly at?: string }): Promise<Page>;
	/** Closes everything. Fails on requests to another origin, on what the policy forbade, and on errors of scripts. */
	close(): Promise<void>;
}

/** `env`: HOLDFAST_* variables in addition to those that the house sets. */
export async function openConsole(env: Record<string, string> = {}): Promise<OpenConsole> {
	const house = await openHouse({ env });
	const socket = { socket: house.socket };
	const browser = await openBrowser();
	const complaints: string[] = [];
	const newPage: OpenConsole["newPage"] = async (context, at, origin = house.api) => {
		const page = await context.newPage();
		watch(page, origin, complaints);
		await page.goto(origin + at);
		return page;
	};
	const linkFor = async (name: string, role: string): Promise<string> => {
		const { json } = await operate(socket, InvitePerson, { body: { name, role } });
		const link = new URL(json.data.link);
		keepSecretsOf(JSON.stringify({ secret: link.hash.slice(1) }));
		return link.pathname + link.hash;
	};
	return {
		house,
		browser,
		socket,
		newPage,
		linkFor,
		personIn: async (name, role, { at = "/account", ...look } = {}) => {
			const context = await browser.newContext({ viewport: DESK, ...look });
			await signIn(context, house.api, await newSetUp(socket, name, role));
			const page = await newPage(context, `/admin${at}`);
			await page.locator("h1").first().waitFor();
			return page;
		},
		close: async () => {
			await leaveBrowser();
			await house.close();
			expect(complaints).toEqual([]);
		},
	};
}

/** Sends what the page of a set-up link sends, so that the context has the cookie which the service hands out. */
async function signIn(context: BrowserContext, api: string, token: string): Promise<void> {
	const headers = { "Sec-Fetch-Site": "same-origin" };
	const answer = await context.request.post(api + SetUp.path, { data: { token, password: PASSWORD }, headers });
	expect([answer.status(), (await answer.json()).error]).toEqual([200, undefined]);
}

function watch(page: Page, origin: string, complaints: string[]): void {
	page.on("request", (request) => {
		if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(origin)) complaints.push(request.url());
	});
	page.on("console", (message) => {
		// the browser reports a refused call by itself; what the page does about it is what is tested
		const isRefusal = message.text().startsWith("Failed to load resource");
		if (message.type() === "error" && !isRefusal) complaints.push(`${page.url()}: ${message.text()}`);
	});
	page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
}

/** Where `PICTURES=on` keeps what the pages look like, for docs/operator/console.md. */
const PICTURES = join(import.meta.dirname, "../../../docs/images");

/**
 * Checks that nothing is wrong with a page as it is now, in one of the looks. `what`: its address, or what was done to
 * it.
 */
export async function lookAt(page: Page, look: string, what: string): Promise<void> {
	const found = [look, what, await violations(page), await isWiderThanItsWindow(page)];
	expect(found).toEqual([look, what, [], false]);
	if (process.env.PICTURES !== "on") return;
	const name = what.replace(/[0-9a-f]{8}-[-0-9a-f]{27}|pk_hf_\w+/g, "one").replaceAll(/\W+/g, "-");
	const file = `console-${name.replaceAll(/^-|-$/g, "") || "today"}-${look}.jpg`;
	await page.screenshot({ path: join(PICTURES, file), type: "jpeg", quality: 70 });
}

/** Goes to a section by its link, and waits for its heading. */
export async function visit(page: Page, section: string, title = section): Promise<void> {
	await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: section, exact: true }).click();
	await page.getByRole("heading", { name: title, level: 1 }).waitFor();
}

/**
 * Goes to a page of another kind as the console's own links do, and waits until everything is there. The document, its
 * scripts and its stream of changes stay, which takes less work than to open the address.
 */
export async function show(page: Page, at: string): Promise<void> {
	const to = new URL(`/admin${at}`, page.url());
	// the heading would stay as well, and nothing would tell when the page is there
	if (to.pathname === new URL(page.url()).pathname) {
		await page.goto(to.href);
	} else {
		await page.evaluate(`for (const h1 of document.querySelectorAll("h1")) h1.dataset.before = "yes";
			history.pushState(null, "", ${JSON.stringify(to.href)});
			dispatchEvent(new PopStateEvent("popstate"));`);
	}
	await page.locator("h1:not([data-before])").first().waitFor();
	await page.getByText("Loading…").first().waitFor({ state: "detached" });
}

/** Keeps the first request to such an address back until it may go on. */
export async function keepBack(page: Page, address: RegExp): Promise<{ readonly begun: Promise<void>; goOn(): void }> {
	const [begun, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const hold = async (route: Route): Promise<void> => {
		begun.resolve();
		await going.promise;
		await route.continue();
	};
	await page.route(address, hold, { times: 1 });
	return { begun: begun.promise, goOn: going.resolve };
}

/** The text of the file that a link of the page downloads. */
export async function textOfDownload(page: Page, link: string): Promise<string> {
	const [file] = await Promise.all([
		page.waitForEvent("download"),
		page.getByRole("link", { name: link, exact: true }).click(),
	]);
	return await readFile(await file.path(), "utf8");
}
