import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { GetRequest } from "../../src/upkeep/traffic/admin-contract.ts";
import { operate } from "../operate.ts";
import { until } from "../processes/child.ts";
import { hasBrowser } from "./browser.ts";
import { LOOKS, lookAt, type OpenConsole, openConsole, show, visit } from "./console-look.ts";

/* An operator finds out why a partner was refused. */

let open: OpenConsole;
let house: OpenConsole["house"];
/** The id of a reserve that was refused. */
let refused: string;

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.stock({ TEA: 5 });
	const { token } = await house.mint({ name: "web", partner: "North Shop", scopes: ["atp.reserve", "atp.check"] });
	const reserve = (qty: number, ref: string) =>
		house.call(token, "/api/v1/reserve", { body: { items: [{ sku: "TEA", qty }], external_ref: ref } });
	await reserve(3, "cart-1");
	const answer = await reserve(4, "<b>cart-2</b>");
	refused = must(answer.headers.get("x-request-id"), "a request id");
	await until(
		"the requests to be logged",
		async () => (await operate(open.socket, GetRequest, { params: { request_id: refused } })).status === 200,
	);
}, 60_000);
afterAll(() => open?.close());

describe.skipIf(!hasBrowser)("An operator, in a browser,", () => {
	it("finds a refused request by its reference, and reads why it was refused", async () => {
		const page = await open.personIn("rita", "viewer");
		await visit(page, "Requests");
		await page.getByLabel("Text").fill("cart-2");
		const row = page.getByRole("row", { name: /North Shop, web reserve 409 no_inventory/ });
		await row.waitFor();
		await expect.poll(() => page.getByRole("row").count()).toBe(2);
		await row.getByRole("link").first().click();
		await page.getByRole("heading", { name: `Request ${refused}` }).waitFor();
		const why = page.getByRole("listitem");
		await why.filter({ hasText: '2 of "TEA" could be promised; asked for: 4.' }).waitFor();
		await why.filter({ hasText: "F-TEA in the shared pool: 2 available, 3 in holds (units)." }).waitFor();
		await page.getByText("Bodies are kept for sandbox keys only.").waitFor();
		await page.getByRole("link", { name: "The count of TEA as this key saw it then" }).click();
		await page.getByRole("heading", { name: "Explain a count", level: 1 }).waitFor();
		await page.getByRole("status").filter({ hasText: "2" }).first().waitFor();
		await page.context().close();
	}, 60_000);

	it("sees which errors are frequent, and the requests behind them", async () => {
		const page = await open.personIn("ruth", "viewer");
		await visit(page, "Requests");
		await page.getByRole("link", { name: "Errors", exact: true }).click();
		await page.getByRole("heading", { name: "Errors of partners" }).waitFor();
		await page
			.getByRole("row", { name: /1 no_inventory reserve North Shop, web/ })
			.getByRole("link", { name: "no_inventory" })
			.click();
		await page.getByRole("row", { name: /reserve 409 no_inventory/ }).waitFor();
		await page.context().close();
	}, 60_000);

	it("finds a request by the day of the reader's time zone", async () => {
		// one of the zones in which it is another day than in UTC now
		const timezoneId = new Date().getUTCHours() < 11 ? "Pacific/Pago_Pago" : "Pacific/Kiritimati";
		const dayOf = (ms: number): string => new Date(ms).toLocaleDateString("sv", { timeZone: timezoneId });
		const [from, to] = [dayOf(Date.now()), dayOf(Date.now() + 86_400_000)];
		const page = await open.personIn("zoe", "viewer", { timezoneId, at: `/requests?from=${from}&to=${to}&q=cart-2` });
		await page.getByRole("row", { name: /reserve 409 no_inventory/ }).waitFor();
		await page.goto(`${house.api}/admin/requests/errors?from=${from}`);
		await page.getByRole("row", { name: /1 no_inventory reserve/ }).waitFor();
		await page.goto(`${house.api}/admin/requests/errors?from=${to}`);
		await page.getByRole("heading", { name: "Errors of partners" }).waitFor();
		await page.getByText("Loading…").first().waitFor({ state: "detached" });
		expect(await page.getByRole("row").count()).toBe(0);
		await page.context().close();
	}, 60_000);

	it("sees a new request by itself", async () => {
		const page = await open.personIn("rosa", "viewer");
		await visit(page, "Requests");
		const { token } = await house.mint({ name: "late", partner: "South Shop", scopes: ["atp.check"] });
		await house.call(token, "/api/v1/check", { body: { items: [{ sku: "TEA", qty: 1 }] } });
		await page.getByRole("row", { name: /South Shop, late check 200/ }).waitFor();
		await page.context().close();
	}, 60_000);

	it.each(LOOKS)(
		"axe-core finds nothing on these pages, and nothing is cut off: $name",
		async ({ name, ...look }) => {
			const page = await open.personIn(`rob-${name}`, "viewer", look);
			for (const at of ["/requests", "/requests/errors", `/requests/${refused}`]) {
				await show(page, at);
				await lookAt(page, name, at.replace(refused, "one"));
			}
			await page.context().close();
		},
		120_000,
	);
});
