import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MintedKey } from "../../src/partners/keys/mint-key.ts";
import { GetSeries } from "../../src/upkeep/series/admin-contract.ts";
import { writeSeries } from "../../src/upkeep/series/write-series.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { hasBrowser } from "./browser.ts";
import { DESK, LOOKS, lookAt, type OpenConsole, openConsole, PHONE, show } from "./console-look.ts";

/* Figures over time, as charts and as the tables beside them. */

let open: OpenConsole;
let house: OpenConsole["house"];
let web: MintedKey;
let idle: MintedKey;

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.stock({ TEA: 20 });
}, 60_000);
afterAll(() => open?.close());

const reserve = async ({ token }: MintedKey, qty: number): Promise<string> => {
	const { json } = await house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "TEA", qty }] } });
	return json.data?.reservation_token ?? "";
};
interface Point {
	readonly by: Readonly<Record<string, number>>;
}
const sumsOf = async (name: string, query = ""): Promise<Record<string, number>> => {
	const { json } = await operate(open.socket, GetSeries, { query: `?name=${name}${query}` });
	const sums: Record<string, number> = {};
	for (const { by } of json.data.points as Point[]) {
		for (const [label, n] of Object.entries(by)) sums[label] = (sums[label] ?? 0) + n;
	}
	return sums;
};
/** Resolves when this many requests are in the figures. */
const counted = (requests: number): Promise<boolean> =>
	until(`${requests} requests to be counted`, async () => {
		await writeSeries(house.db, house.deps.tally);
		const { rows } = await house.db.query<{ n: number }>(
			"select coalesce(sum(value), 0)::int as n from series_point where name = 'requests' and step = 'hour'",
		);
		return rows[0]?.n === requests;
	});

const figure = (page: Page, title: string): Locator => page.getByRole("article", { name: title, exact: true });
/** The sums of a figure's table by the heads of its columns. */
const tableOf = async (page: Page, title: string): Promise<Record<string, number>> => {
	const table = figure(page, title).getByRole("table");
	const cells = (row: Locator): Promise<string[]> => row.locator("th, td").allTextContents();
	const [head = [], ...rows] = await Promise.all((await table.getByRole("row").all()).map(cells));
	const sums: Record<string, number> = {};
	for (const row of rows) {
		for (const [place, text] of head.entries()) if (place > 0) sums[text] = (sums[text] ?? 0) + Number(row[place]);
	}
	return sums;
};
/** The colours of a figure's chart, and how many of its pixels have each; blended ones are left out. */
const colours = (page: Page, title: string): Promise<Record<string, number>> =>
	figure(page, title)
		.locator("canvas")
		.evaluate((canvas) => {
			const { width, height, getContext } = canvas as unknown as {
				width: number;
				height: number;
				getContext(kind: "2d"): {
					getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
				};
			};
			const { data } = getContext.call(canvas, "2d").getImageData(0, 0, width, height);
			const found: Record<string, number> = {};
			for (let at = 0; at < data.length; at += 4) {
				const [red = 0, green = 0, blue = 0, alpha] = data.slice(at, at + 4);
				if (alpha !== 255) continue;
				const colour = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
				found[colour] = (found[colour] ?? 0) + 1;
			}
			return found;
		});
/** The colour --good of the pages, in which requests that were done are drawn. */
const GOOD = { light: "#176a35", dark: "#7dd49a" } as const;

describe.skipIf(!hasBrowser)("Figures in the console", () => {
	it("say that there are none before the first request, on pages that alone load the charts", async () => {
		const page = await open.personIn("fay", "viewer", { at: "" });
		await page.getByText("There are no figures yet").waitFor();
		const asked: string[] = [];
		page.on("request", (request) => asked.push(request.url()));
		const loaded = async (at: string, heading: string): Promise<number> => {
			asked.length = 0;
			await page.goto(house.api + at);
			await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
			await page.waitForLoadState("load");
			return asked.filter((url) => url.includes("/assets/figures-")).length;
		};
		expect(await loaded("/admin/orders", "Orders")).toBe(0);
		expect(await loaded("/admin", "Today")).toBe(1);
		await page.context().close();
	}, 60_000);

	it("are what the API says after real requests, of all keys on Today and of one on its page", async () => {
		web = await house.mint({ name: "web", partner: "North Shop", scopes: ["atp.reserve", "atp.consume"] });
		idle = await house.mint({ name: "idle", partner: "South Shop", scopes: ["atp.reserve"] });
		const held = await reserve(web, 2);
		await reserve(web, 3);
		await reserve(web, 99);
		await reserve(idle, 1);
		const consume = { reservation_token: held, external_ref: "sale-1" };
		expect((await house.call(web.token, "/api/v1/consume", { body: consume })).status).toBe(200);
		await counted(5);
		const page = await open.personIn("finn", "viewer", { at: "" });
		await figure(page, "Requests").locator("canvas").waitFor();
		expect(await sumsOf("requests")).toEqual({ 200: 1, 201: 3, 409: 1 });
		expect(await tableOf(page, "Requests")).toEqual({ "2xx done": 4, "4xx refused": 1, Sum: 5 });
		expect(await tableOf(page, "Refusals")).toEqual({ ...(await sumsOf("refusals")), Sum: 1 });
		const { made, consumed } = await sumsOf("holds");
		expect(await tableOf(page, "Holds")).toEqual({ made, consumed });
		await figure(page, "Holds").getByText("33 % of the holds made").waitFor();
		await figure(page, "Webhook attempts").getByText("None in this time").waitFor();
		await page.goto(`${house.api}/admin/api-keys/${web.pk}`);
		await figure(page, "Holds").getByText("50 % of the holds made").waitFor();
		expect(await sumsOf("holds", `&key=${web.pk}`)).toEqual({ made: 2, consumed: 1 });
		expect(await tableOf(page, "Holds")).toEqual({ made: 2, consumed: 1 });
		expect(await tableOf(page, "Requests")).toEqual({ "2xx done": 3, "4xx refused": 1, Sum: 4 });
		for (const range of ["hour", "month", "year"]) {
			await page.getByRole("combobox", { name: "Time" }).selectOption(range);
			await expect
				.poll(() => figure(page, "Holds").locator("caption").textContent())
				.toContain(range === "hour" ? "by the minute" : "by the day");
			expect(await tableOf(page, "Holds")).toEqual({ made: 2, consumed: 1 });
		}
		expect(new URL(page.url()).searchParams.get("figures")).toBe("year");
		await page.goto(`${house.api}/admin/api-keys/${idle.pk}`);
		await figure(page, "Holds").getByText("0 % of the holds made").waitFor();
		expect(await tableOf(page, "Requests")).toEqual({ "2xx done": 1, Sum: 1 });
		await page.context().close();
	}, 120_000);

	it("are read again by themselves", async () => {
		const page = await open.personIn("fred", "viewer", { at: "" });
		await expect.poll(() => tableOf(page, "Requests")).toMatchObject({ Sum: 5 });
		await reserve(idle, 1);
		await counted(6);
		await expect.poll(() => tableOf(page, "Requests")).toMatchObject({ Sum: 6 });
		await page.context().close();
	}, 60_000);

	it("are drawn anew in the width of the window and in the colours of the machine", async () => {
		const page = await open.personIn("fritz", "viewer", { at: "", colorScheme: "light" });
		await figure(page, "Requests").locator("canvas").waitFor();
		const inGood = async (scheme: keyof typeof GOOD): Promise<number> =>
			(await colours(page, "Requests"))[GOOD[scheme]] ?? 0;
		await expect.poll(() => inGood("light")).toBeGreaterThan(50);
		await page.emulateMedia({ colorScheme: "dark" });
		await expect.poll(() => inGood("dark")).toBeGreaterThan(50);
		expect(await inGood("light")).toBe(0);
		const width = async (): Promise<number> =>
			(await figure(page, "Requests").locator("canvas").boundingBox())?.width ?? 0;
		const wide = await width();
		await page.setViewportSize(PHONE);
		await expect.poll(width).toBeLessThan(PHONE.width);
		await page.setViewportSize(DESK);
		await expect.poll(width).toBe(wide);
		await page.getByRole("button", { name: "Show as table" }).click();
		expect(await page.locator("canvas").count()).toBe(0);
		await figure(page, "Requests").getByRole("columnheader", { name: "2xx done" }).waitFor();
		await page.getByRole("button", { name: "Show as chart" }).click();
		await figure(page, "Requests").locator("canvas").waitFor();
		await page.context().close();
	}, 60_000);

	it.each(LOOKS)(
		"axe-core finds nothing on these pages, and nothing is cut off: $name",
		async ({ name, ...look }) => {
			const page = await open.personIn(`flora-${name}`, "viewer", look);
			for (const at of ["?figures=hour", `/api-keys/${web.pk}?figures=day`, "?figures=year"]) {
				await show(page, at);
				await figure(page, "Requests").locator("canvas").waitFor();
				await lookAt(page, name, at.replace("?", "-"));
				await page.getByRole("button", { name: "Show as table" }).click();
				await lookAt(page, name, `${at} as a table`);
			}
			await page.context().close();
		},
		120_000,
	);
});
