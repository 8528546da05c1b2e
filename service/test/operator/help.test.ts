import { afterAll, beforeAll, expect, it } from "vitest";
import { HELP } from "../../src/partners/http/docs/operator-guides.ts";
import { openOperatorSite } from "../../src/partners/http/docs/operator-site.ts";
import { SignOut } from "../../src/partners/people/me-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { personAt } from "../person.ts";

let house: House;
let addresses: readonly string[];

beforeAll(async () => {
	house = await openHouse();
	({ addresses } = await openOperatorSite());
});
afterAll(() => house.close());

const get = (at: string, headers: Record<string, string> = {}) => fetch(house.api + at, { headers });

it("The guides are shown to nobody but a person who has signed in, whatever is asked for", async () => {
	expect(addresses).toEqual(expect.arrayContaining([HELP, `${HELP}/recall`, `${HELP}/search.json`]));
	const { token } = await house.mint({ scopes: ["atp.reserve"] });
	const strangers = [{}, { Cookie: `holdfast=${"x".repeat(43)}` }, { Authorization: `Bearer ${token}` }];
	for (const who of strangers) {
		for (const at of [...addresses, `${HELP}/no-such-page`]) {
			const refused = await get(at, { ...who, Accept: "application/json" });
			expect([at, refused.status, (await refused.json()) as unknown]).toMatchObject([
				at,
				401,
				{ error: { code: "unauthorized" } },
			]);
		}
		const signIn = await get(`${HELP}/recall`, { ...who, Accept: "text/html" });
		expect([signIn.status, signIn.headers.get("cache-control")]).toEqual([401, "no-store"]);
		expect(signIn.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'nonce-/);
		expect(await signIn.text()).not.toMatch(/recall/i);
	}
});

it("Who has signed in reads every guide, with its pictures and its search, until the session ends", async () => {
	const reader = await personAt(house.api, house, "rita", "viewer");
	const cookie = { Cookie: "cookie" in reader ? reader.cookie : "" };
	for (const at of addresses) {
		const page = await get(at, cookie);
		expect([at, page.status, page.headers.get("cache-control")]).toEqual([at, 200, "private, no-cache"]);
		const policy = page.headers.get("content-security-policy") ?? "";
		expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;/);
		if (!page.headers.get("content-type")?.startsWith("text/html")) {
			await page.arrayBuffer();
			continue;
		}
		const html = await page.text();
		expect(html).not.toMatch(/ style=|<style|<script(?![^>]* src=)| on\w+=/);
		for (const [, href = ""] of html.matchAll(/<(?:a|img|script|link)[^>]+(?:href|src)="([^"]+)"/g)) {
			const { pathname } = new URL(href, house.api + at);
			if (href.startsWith(".") && pathname.startsWith(HELP))
				expect([at, addresses]).toContainEqual(expect.arrayContaining([pathname]));
		}
	}
	const signedOut = await operate(reader, SignOut, { body: {} });
	expect(signedOut.status).toBe(200);
	await expect.poll(async () => (await get(HELP, cookie)).status).toBe(401);
});
