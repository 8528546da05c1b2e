import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { PutBrand } from "../../src/inventory/catalog/admin-contract.ts";
import { GetLot } from "../../src/inventory/stock/admin-contract.ts";
import { ReceiveUnits } from "../../src/inventory/stock/lot-write-contract.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { PASSWORD } from "../person.ts";
import { hasBrowser } from "./browser.ts";
import { type OpenConsole, openConsole } from "./console-look.ts";

/* What an operator typed, or was shown only once, when the connection fails or another page is opened. */

let open: OpenConsole;
let house: OpenConsole["house"];
let fg_id: string;

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	fg_id = must((await house.stock({ TEA: 100 })).lots[0]?.fg_id, "the lot");
}, 60_000);
afterAll(() => open?.close());

const lot = async () => (await operate(open.socket, GetLot, { params: { fg_id } })).json.data;
const tokenOn = (page: Page) => page.getByText(/^pk_hf_live_\w+:sk_hf_live_\w+$/);
/** Searches for a key, whose page then opens. */
async function find(page: Page, pk: string, name: string): Promise<void> {
	await page.getByRole("searchbox").first().fill(pk);
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name, level: 1 }).waitFor();
}
async function rotate(page: Page): Promise<void> {
	await page.getByRole("button", { name: "New secret" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
	await tokenOn(page).waitFor();
	keepSecretsOf(JSON.stringify({ token: await tokenOn(page).textContent() }));
}

describe.skipIf(!hasBrowser)("The console", () => {
	it("keeps what was typed about a thing when the thing cannot be read again", async () => {
		const page = await open.personIn("tom", "operator");
		await page.goto(`${house.api}/admin/stock/${fg_id}`);
		await page.getByRole("button", { name: "Correct" }).click();
		const reason = page.getByRole("dialog").getByLabel("Reason");
		await reason.fill("two were broken");
		const isRead = /\/api\/v1\/lots\/[^/]+$/;
		await page.route(isRead, (route) => route.abort());
		const failed = page.waitForEvent("requestfailed", (request) => isRead.test(request.url()));
		await operate(open.socket, ReceiveUnits, { params: { fg_id }, body: { units: 1 } }); // so that it is read again
		await failed;
		await page.getByRole("alert").first().waitFor({ state: "attached" });
		expect(await reason.inputValue()).toBe("two were broken");
		await page.context().close();
	}, 120_000);

	it("keeps a new secret on the page when nothing can be read after it was made", async () => {
		const { pk } = await house.mint({ name: "cut", partner: "Cut Shop" });
		const page = await open.personIn("kim", "admin");
		await page.goto(`${house.api}/admin/api-keys/${pk}`);
		const isRead = /\/api\/v1\/(me|keys\/[^/]+)$/;
		await page.getByRole("button", { name: "New secret" }).waitFor();
		await page.route(isRead, (route) => route.abort());
		const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/me"));
		await page.getByRole("button", { name: "New secret" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "New secret" }).click();
		await failed;
		await tokenOn(page).waitFor({ timeout: 20_000 });
		keepSecretsOf(JSON.stringify({ token: await tokenOn(page).textContent() }));
		await page.context().close();
	}, 120_000);

	it("shows the new secret of one key on no page of another", async () => {
		const one = await house.mint({ name: "one", partner: "Shop One" });
		const two = await house.mint({ name: "two", partner: "Shop Two" });
		const page = await open.personIn("ann", "admin");
		await find(page, one.pk, "Shop One: one");
		await find(page, two.pk, "Shop Two: two");
		await rotate(page);
		await page.goBack();
		await page.getByRole("heading", { name: "Shop One: one", level: 1 }).waitFor();
		expect(await tokenOn(page).count()).toBe(0);
		await page.context().close();
	}, 120_000);

	it("receives units once when the reply was lost and the person sends them again", async () => {
		const { available } = await lot();
		const page = await open.personIn("wes", "warehouse");
		await page.goto(`${house.api}/admin/stock/${fg_id}`);
		await page.getByRole("button", { name: "Receive more units" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Units", { exact: true }).fill("5");
		const lost = Promise.withResolvers<number>();
		await page.route(
			/\/receive$/,
			async (route) => {
				// the browser's own headers are not among those that are passed on
				const headers = { ...route.request().headers(), "sec-fetch-site": "same-origin" };
				lost.resolve((await route.fetch({ headers })).status());
				await route.abort();
			},
			{ times: 1 },
		);
		const send = dialog.getByRole("button", { name: "Receive more units" });
		await send.click();
		expect(await lost.promise).toBe(200);
		await dialog.getByText("The service does not answer").waitFor();
		await send.click();
		await dialog.waitFor({ state: "detached" });
		expect((await lot()).available).toBe(available + 5);
		// what is sent after that is another receipt
		await page.getByRole("button", { name: "Receive more units" }).click();
		await dialog.getByLabel("Units", { exact: true }).fill("5");
		await send.click();
		await dialog.waitFor({ state: "detached" });
		expect((await lot()).available).toBe(available + 10);
		await page.context().close();
	}, 120_000);

	it("says at once that there is no connection, and sends nothing later that was cancelled", async () => {
		const { available } = await lot();
		const page = await open.personIn("ola", "warehouse", { at: `/stock/${fg_id}` });
		await page.getByRole("button", { name: "Receive more units" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Units", { exact: true }).fill("5");
		await page.context().setOffline(true);
		await dialog.getByRole("button", { name: "Receive more units" }).click();
		await dialog.getByText("The service does not answer").waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await page.context().setOffline(false);
		await page.getByText("Up to date").waitFor();
		await operate(open.socket, ReceiveUnits, { params: { fg_id }, body: { units: 2 } });
		await page
			.getByText(String(available + 2), { exact: true })
			.first()
			.waitFor({ timeout: 30_000 });
		expect((await lot()).available).toBe(available + 2);
		await page.context().close();
	}, 120_000);

	it("works in a seventh tab: a hidden one keeps no connection, and reads everything again when it is shown", async () => {
		const first = await open.personIn("tia", "operator", { at: `/stock/${fg_id}` });
		const context = first.context();
		await context.addInitScript(
			"Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden ?? false })",
		);
		await first.reload();
		const setHidden = (page: Page, isHidden: boolean) =>
			page.evaluate(`globalThis.isHidden = ${isHidden}; document.dispatchEvent(new Event("visibilitychange"))`);
		let page = first;
		for (let tab = 2; tab <= 7; tab++) {
			await page.getByText("Up to date").waitFor();
			await setHidden(page, true);
			page = await open.newPage(context, "/admin/account");
		}
		await page.getByText("Up to date").waitFor({ timeout: 15_000 });
		await operate(open.socket, ReceiveUnits, { params: { fg_id }, body: { units: 1 } });
		const { available } = await lot();
		await setHidden(first, false);
		await first.getByText(String(available), { exact: true }).first().waitFor({ timeout: 30_000 });
		await context.close();
	}, 120_000);

	it("keeps a form when somebody leaves the browser's chooser of files, and closes it by Escape", async () => {
		const page = await open.personIn("esc", "operator", { at: `/stock/${fg_id}` });
		await page.getByRole("button", { name: "Correct" }).click();
		const reason = page.getByRole("dialog").getByLabel("Reason");
		await reason.fill("two were broken");
		await reason.dispatchEvent("cancel", { bubbles: true }); // as an input of files does
		expect(await reason.inputValue()).toBe("two were broken");
		await page.keyboard.press("Escape");
		await page.getByRole("dialog").waitFor({ state: "detached" });
		await page.context().close();
	}, 120_000);

	it("overwrites nothing unseen if what is changed could not be read when the form was opened", async () => {
		const params = { code: "BOLT" };
		await operate(open.socket, PutBrand, { params, body: { name: "Bolt" } });
		const page = await open.personIn("bea", "operator", { at: "/catalogue/brands" });
		const change = page.getByRole("button", { name: /BOLT$/ });
		await change.waitFor();
		await page.route(/\/brands\/BOLT$/, (route) => route.abort(), { times: 1 });
		const failed = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/brands/BOLT"));
		await change.click();
		await failed;
		await operate(open.socket, PutBrand, { params, body: { name: "Bolt and Sons" } });
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Name").fill("Bolt Ltd");
		await dialog.getByRole("button").first().click();
		await dialog.getByText("Somebody else has changed this").waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("cell", { name: "Bolt and Sons" }).waitFor();
		await page.context().close();
	}, 120_000);

	it("follows what changes again once the person has signed in again", async () => {
		const page = await open.personIn("liv", "operator");
		await page.goto(`${house.api}/admin/stock/${fg_id}`);
		await page.getByText("Up to date").waitFor();
		const refused = page.waitForResponse((answer) => answer.url().endsWith("/live") && answer.status() === 401);
		await house.db.query(
			"update operator_session set ended_at = now() where person_id in (select person_id from operator_person where name = 'liv')",
		);
		await refused;
		await page.getByText("Not connected").waitFor();
		// a read is refused, if none was by then: the dialog may be open already
		await page.locator("a[href='/admin/holds']").dispatchEvent("click");
		const dialog = page.getByRole("dialog", { name: "Sign in" });
		await dialog.getByLabel("Password").fill(PASSWORD);
		await dialog.getByRole("button", { name: "Sign in" }).click();
		await dialog.waitFor({ state: "detached" });
		await page.goBack();
		await page.getByRole("heading", { level: 1 }).first().waitFor();
		const { available } = await lot();
		await operate(open.socket, ReceiveUnits, { params: { fg_id }, body: { units: 1_000 } });
		await page
			.getByText(String(available + 1_000), { exact: true })
			.first()
			.waitFor({ timeout: 30_000 });
		await page.context().close();
	}, 120_000);

	it("says of a form that it shows what was there before somebody else changed it", async () => {
		const params = { code: "ACME" };
		await operate(open.socket, PutBrand, { params, body: { name: "Acme" } });
		const page = await open.personIn("cat", "operator");
		await page.goto(`${house.api}/admin/catalogue/brands`);
		const change = page.getByRole("button", { name: /ACME$/ });
		await change.waitFor();
		await change.click();
		await page.getByRole("dialog").getByLabel("Name").waitFor();
		const isRead = (answer: { url(): string }) => answer.url().endsWith("/brands/ACME");
		expect(await page.getByText("Somebody else has changed this").count()).toBe(0);
		await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
		await operate(open.socket, PutBrand, { params, body: { name: "Acme and Sons" } });
		const read = page.waitForResponse(isRead);
		await change.click();
		await read;
		await page.getByText("Somebody else has changed this").waitFor({ timeout: 10_000 });
		await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("cell", { name: "Acme and Sons" }).waitFor();
		await page.context().close();
	}, 120_000);

	it("offers no one what the role may not do: to stop an erasure of customers, or to see the people", async () => {
		await house.db.query(
			`insert into operator_run (run_id, operation, about, actor, request_id, status, state, done, held_until)
			 values (gen_random_uuid(), 'erase_customers', 'all', 'operator:test', 'req_1', 'running', '{}', 0, now() + interval '1 hour')`,
		);
		const { rows } = await house.db.query<{ id: string }>(
			"select run_id as id from operator_run where operation = 'erase_customers'",
		);
		for (const [role, buttons] of [
			["operator", 0],
			["admin", 1],
		] as const) {
			const page = await open.personIn(`erik-${role}`, role);
			await page.goto(`${house.api}/admin/runs/${rows[0]?.id}`);
			await page.getByText("operator:test").first().waitFor();
			expect(await page.getByRole("button", { name: "Stop" }).count()).toBe(buttons);
			if (role === "operator") {
				for (const at of ["/people", "/tokens", "/audit"]) {
					await page.goto(`${house.api}/admin${at}`);
					await page.getByRole("heading", { name: "Your role does not include this" }).waitFor();
				}
			}
			await page.context().close();
		}
		await house.db.query("delete from operator_run where operation = 'erase_customers'");
	}, 120_000);
});
