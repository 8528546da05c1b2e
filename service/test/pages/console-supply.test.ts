import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { RecallLots } from "../../src/inventory/recall/admin-contract.ts";
import { operate } from "../operate.ts";
import { placeOrder } from "../operator/placed.ts";
import { sizeOr } from "../sizes.ts";
import { hasBrowser } from "./browser.ts";
import { LOOKS, lookAt, type OpenConsole, openConsole, show, textOfDownload, visit } from "./console-look.ts";

/* Stock, recalls, ledger and counts, as somebody without a terminal uses them; and how all pages of supply look. */

/** Holds that a recalled batch is in. */
const HOLDS = sizeOr(1_000, 50);
/** Holds that are made at a time. */
const AT_A_TIME = 50;
const NEW_YORK = "America/New_York";

let open: OpenConsole;
let house: OpenConsole["house"];
let token: string;

const single = (sku: string, formula: string) => ({
	sku,
	name: sku,
	kind: "single",
	components: [{ formula, per_kit: 1 }],
});
const formula = (code: string) => ({ code, name: code, status: "active" });

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.importWorld({
		brands: [{ code: "ACME", name: "Acme" }],
		formulas: ["CALM-60", "REST-30", "BAD-60", "EVE-A", "EVE-B"].map(formula),
		products: [{ slug: "calm", name: "Calm" }],
		skus: [
			single("CALM", "CALM-60"),
			single("BAD", "BAD-60"),
			{
				sku: "EVENING",
				name: "Evening set",
				kind: "kit",
				components: [
					{ formula: "EVE-A", per_kit: 1 },
					{ formula: "EVE-B", per_kit: 2 },
				],
			},
		],
	});
	({ token } = await house.mint({ name: "web", partner: "Web Shop", scopes: SCOPES }));
}, 60_000);
afterAll(() => open?.close());

async function reserve(sku: string, qty: number, external_ref: string): Promise<string> {
	const { status, json } = await house.call(token, "/api/v1/reserve", {
		body: { items: [{ sku, qty }], external_ref },
	});
	expect([status, json.error]).toEqual([201, undefined]);
	return json.data.reservation_token;
}

/** An answer came into sight by itself, and has the focus. */
const isInSight = (page: Page, name: string): Promise<void> =>
	page.locator(`section[aria-label="${name}"]:focus`).waitFor();

/** The value of a fact of a page. */
const fact = (page: Page, term: string): Locator =>
	page.locator("dt", { hasText: new RegExp(`^${term}$`) }).locator("xpath=following-sibling::dd");

describe.skipIf(!hasBrowser)("The console, of stock", () => {
	it("receives a batch after showing what will be, and asks about a number that is nearly another's", async () => {
		const page = await open.personIn("rita", "warehouse");
		await visit(page, "Stock");
		await page.getByRole("link", { name: "Receive a batch" }).first().click(); // an empty list has one, too
		await page.getByRole("heading", { name: "Receive a batch", level: 1 }).waitFor();
		await page.getByLabel("Formula").selectOption("CALM-60");
		await page.getByLabel("Batch number").fill("C-1");
		await page.getByLabel("Units").fill("12");
		await page.getByLabel("Last day of use").fill("2090-11-30");
		await page.getByLabel("Reason").fill("delivery note 7");
		await page.getByLabel("Location").fill("B-7");
		await page.getByRole("button", { name: "Check" }).click();
		await page.getByText("A new lot is created.").waitFor();
		expect(await fact(page, "Reason").textContent()).toBe("delivery note 7");
		await isInSight(page, "Is this right?");
		expect((await house.db.query("select from lot where batch_number = 'C-1'")).rowCount).toBe(0);
		await page.getByRole("button", { name: "Receive 12 units" }).click();
		await page.getByRole("heading", { name: "CALM-60 C-1", level: 1 }).waitFor();
		await page.getByText("delivery note 7").waitFor();
		expect(await fact(page, "Available").textContent()).toBe("12");
		expect(await fact(page, "Location").textContent()).toBe("B-7");

		await page.goto(`${house.api}/admin/stock/receive?formula=CALM-60&batch_number=C-1`);
		await page.getByLabel("Units").fill("1");
		await page.getByRole("button", { name: "Check" }).click();
		await page.getByText("This lot exists.").waitFor();
		await expect.poll(() => fact(page, "Last day of use").textContent()).toBe("2090-11-30");
		await expect.poll(() => fact(page, "Location").textContent()).toBe("B-7");

		await page.goto(`${house.api}/admin/stock/receive?formula=CALM-60`);
		await page.getByLabel("Batch number").fill("c 1");
		await page.getByLabel("Units").fill("3");
		await page.getByRole("button", { name: "Check" }).click();
		await page.getByText("did you mean that one?").waitFor();
		expect(await page.getByText("new_batch").count()).toBe(0); // the name of a field of the API
		await page.getByLabel("It is another batch").check();
		await page.getByRole("button", { name: "Check" }).click();
		await page.getByRole("button", { name: "Receive 3 units" }).click();
		await page.getByRole("heading", { name: "CALM-60 c 1", level: 1 }).waitFor();
		expect(await page.getByRole("button", { name: "Destroy units" }).count()).toBe(0); // somebody of the warehouse
		await page.context().close();
	}, 120_000);

	it("corrects a count, and says whom a quarantine hits before it happens and after", async () => {
		const lot = { formula: "CALM-60", brand_code: null };
		await house.importWorld({
			lots: [
				{ ...lot, batch_number: "Q-1", expires_on: "2089-01-31", units: 10 },
				{ ...lot, batch_number: "Q-2", expires_on: "2089-02-28", units: 20 },
			],
		});
		const page = await open.personIn("quin", "operator", { at: "/stock/Q-1" });
		await page.getByRole("button", { name: "Correct the count" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Free units to add").fill("-99");
		await dialog.getByLabel("Reason").fill("counted");
		await dialog.getByRole("button", { name: "Correct the count" }).click();
		await dialog.getByText("has 10 free units").waitFor();
		await dialog.getByLabel("Free units to add").fill("-2"); // the reason is still there
		await dialog.getByRole("button", { name: "Correct the count" }).click();
		await dialog.waitFor({ state: "detached" });
		await expect.poll(() => fact(page, "Available").textContent()).toBe("8");
		await page.getByText("correct: counted").waitFor();

		await reserve("CALM", 4, "cart-1");
		await page.getByRole("link", { name: "cart-1" }).waitFor(); // the lot that ends first
		await page.getByRole("button", { name: "Quarantine units" }).click();
		await dialog.getByLabel("How many").selectOption("All units");
		await dialog.getByLabel("Reason").fill("looks odd");
		await dialog.getByRole("button", { name: "Show what it would do" }).click();
		await dialog.getByText("8 units would go into quarantine.").waitFor();
		await dialog.getByText("4 are in holds or orders, which would get units of other lots").waitFor();
		expect(await fact(page, "Quarantined").textContent()).toBe("0");
		await dialog.getByRole("button", { name: "Quarantine units" }).click();
		await dialog.getByText("8 units went into quarantine.").waitFor();
		await dialog.getByRole("button", { name: "Close" }).click();
		await expect.poll(() => fact(page, "Quarantined").textContent()).toBe("8");
		await page.getByRole("button", { name: "Change the location" }).click();
		await dialog.getByLabel("Location").fill("A-12-3");
		await dialog.getByRole("button", { name: "Save" }).click();
		await expect.poll(() => fact(page, "Location").textContent()).toBe("A-12-3");

		await visit(page, "Ledger");
		await page.getByText("No formula is chosen").waitFor();
		await page.getByLabel("Formula").selectOption("CALM-60");
		await page.getByText("quarantine: looks odd").first().waitFor();
		await page.getByRole("link", { name: "Q-1" }).first().click();
		await page.getByRole("heading", { name: "CALM-60 Q-1" }).waitFor();
		await page.context().close();
	}, 120_000);
});

describe.skipIf(!hasBrowser)("The console, of a recall", () => {
	it("shows all whom it hits before it happens, asks for the number, and keeps the lists", async () => {
		const lot = { formula: "BAD-60", batch_number: "R-1" };
		await house.importWorld({
			lots: [
				{ ...lot, brand_code: null, units: HOLDS + 5 },
				{ ...lot, brand_code: "ACME", batch_number: "r 1", units: 4 },
			],
		});
		for (let n = 0; n < HOLDS; n += AT_A_TIME)
			await Promise.all(Array.from({ length: AT_A_TIME }, (_, i) => reserve("BAD", 1, `held-${n + i}`)));
		await placeOrder(house, token, "bad-order", { sku: "BAD", qty: 2 });
		const body = { reservation_token: await reserve("BAD", 3, "sold"), external_ref: "sale-1" };
		expect((await house.call(token, "/api/v1/consume", { body })).status).toBe(200);

		const page = await open.personIn("remy", "operator");
		await visit(page, "Recalls");
		await page.getByText("No batch has been recalled").waitFor();
		await page.getByRole("link", { name: "Recall a batch" }).click();
		await page.getByLabel("Batch number").fill("R-1");
		await page.getByLabel("Why is it recalled?").fill("lab report 77");
		await page.getByRole("button", { name: "Show what it would do" }).click();
		await page.getByText(`${HOLDS + 2} units in 1 lot would go into quarantine.`).waitFor();
		for (const [term, n] of [
			["Holds that lack units", HOLDS],
			["Orders on hold for lack of units", 1],
			["Sales of partners that ship themselves", 1],
			["Boxes shipped to customers", 0],
			["Batch numbers that are nearly the same", 1],
		] as const)
			expect([term, await fact(page, term).textContent()]).toEqual([term, String(n)]);
		await page.getByRole("link", { name: "sale-1" }).waitFor();
		await page.getByRole("link", { name: "bad-order" }).waitFor();
		await page.getByRole("link", { name: "r 1", exact: true }).waitFor();
		await page.getByRole("button", { name: `Show all ${HOLDS}` }).click();
		const holds = page.getByRole("region", { name: "Holds that lack units" });
		await expect.poll(() => holds.getByRole("row").count()).toBe(HOLDS + 1);
		expect((await house.db.query("select from lot where recalled_at is not null")).rowCount).toBe(0);

		const recall = page.getByRole("button", { name: "Recall 1 lot" });
		await page.getByLabel("Type the batch number R-1 to confirm").fill("r-1");
		expect(await recall.isDisabled()).toBe(true);
		await page.getByLabel("Type the batch number R-1 to confirm").fill("R-1");
		await recall.click();
		await page.getByRole("heading", { name: "Recall of R-1", level: 1 }).waitFor({ timeout: 120_000 });
		await page.getByText(`${HOLDS + 2} units in 1 lot went into quarantine.`).waitFor();
		expect(await fact(page, "State").textContent()).toBe("done");
		expect(await fact(page, "Holds that lack units").textContent()).toBe(String(HOLDS));
		const lines = (await textOfDownload(page, "Download the lists as CSV")).split("\r\n");
		expect(lines.filter((line) => line.startsWith("impaired_hold,"))).toHaveLength(HOLDS);

		await page.getByRole("link", { name: "R-1", exact: true }).click();
		await page.getByRole("heading", { name: "BAD-60 R-1" }).waitFor();
		await page.getByRole("link", { name: "Go to the recall" }).click();
		await page.getByRole("heading", { name: "Recall of R-1" }).waitFor();
		await visit(page, "Recalls");
		await page.getByRole("link", { name: "R-1", exact: true }).waitFor();
		await page.context().close();
	}, 300_000);
});

describe.skipIf(!hasBrowser)("The console, of a count", () => {
	it("leads to it step by step, now and at a past time in the reader's zone; the address can be shared", async () => {
		const lot = { brand_code: null, expires_on: "2090-01-31" };
		await house.importWorld({
			lots: [
				{ ...lot, formula: "EVE-A", batch_number: "A-1", units: 10 },
				{ ...lot, formula: "EVE-B", batch_number: "B-1", units: 8 },
			],
			buffers: [{ formula: "EVE-B", brand_code: null, units: 2 }],
		});
		const past = await nextSecond();
		await reserve("EVENING", 1, "evening-cart");
		const page = await open.personIn("conny", "viewer", { timezoneId: NEW_YORK });
		await visit(page, "Explain a count");
		await page.locator("datalist option[value=EVENING]").waitFor({ state: "attached" });
		await page.getByLabel("SKU").fill("EVENING");
		await page.getByRole("button", { name: "Explain" }).click();
		await page.getByText("2 kits can be promised now").waitFor();
		await page.getByRole("heading", { name: "EVE-B this formula limits the count" }).waitFor();
		const steps = page.getByRole("region", { name: "How much of EVE-B there is" });
		for (const step of [
			"Came in: Shared stock 8",
			"Held: Shared stock −2",
			"Available: Shared stock 6",
			"Promised already: Shared stock −2",
			"Available to promise 4",
			"Units in one kit 2",
			"Enough for kits 2",
		])
			await steps.getByRole("row", { name: step }).waitFor();
		await page.getByRole("link", { name: "Safety buffer" }).waitFor();
		await page.getByRole("link", { name: "evening-cart" }).first().waitFor(); // without a click

		await page.goto(`${house.api}/admin/counts?sku=CALM`);
		await page.getByText(/^\d+ units can be promised now$/).waitFor(); // a single SKU is not a kit
		expect(await page.getByText("Units in one kit").count()).toBe(0);
		await page.goto(`${house.api}/admin/counts?sku=EVENING`);
		await page.getByLabel("At this time").fill(localIn(NEW_YORK, past));
		await page.getByRole("button", { name: "Explain" }).click();
		await page.getByText("3 kits could be promised then").waitFor();
		expect(new URL(page.url()).searchParams.get("at")).toBe(past.toISOString());
		const other = await open.personIn("cora", "viewer", { timezoneId: "Asia/Tokyo" });
		await other.goto(page.url());
		await other.getByText("3 kits could be promised then").waitFor();
		expect(await other.getByLabel("At this time").inputValue()).toBe(localIn("Asia/Tokyo", past));
		for (const one of [page, other]) await one.context().close();
	}, 120_000);
});

/** A whole second by the clock of the database that has just begun: a field for a time has no smaller parts. */
async function nextSecond(): Promise<Date> {
	const { rows } = await house.db.query<{ at: Date }>(
		"select date_trunc('second', clock_timestamp()) + interval '1 second' as at",
	);
	const { at } = must(rows[0], "a second");
	await house.db.query("select pg_sleep(extract(epoch from $1::timestamptz - clock_timestamp()) + 0.01)", [at]);
	return at;
}

/** An instant as a field for a time has it in a zone: without seconds if there are none. */
const localIn = (timeZone: string, at: Date): string =>
	new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
		.format(at)
		.replace(" ", "T")
		.replace(/(T\d\d:\d\d):00$/, "$1");

describe.skipIf(!hasBrowser)("The pages of supply", () => {
	it.each(LOOKS)(
		"have nothing that axe-core finds, and nothing is cut off: $name",
		async ({ name, ...look }) => {
			const batch_number = `LOOK-${name}`;
			const lot = { formula: "CALM-60", brand_code: "ACME", batch_number, units: 5 };
			const { lots } = await house.importWorld({ lots: [lot] });
			const fg_id = must(lots[0]?.fg_id, "a lot");
			const body = { fg_id, reason: "to be seen" };
			const { recall_id } = (await operate(open.socket, RecallLots, { body })).json.data;
			const page = await open.personIn(`lena-${name}`, "admin", look);
			const stock = ["/stock", "/stock/receive", `/stock/${fg_id}`, "/ledger", "/ledger?formula=CALM-60"];
			const recalls = ["/recalls", "/recalls/new", `/recalls/new?fg_id=${fg_id}`, `/recalls/${recall_id}`];
			const counts = [
				"/counts",
				"/counts?sku=EVENING",
				"/counts?sku=EVENING&at=2020-01-01T00:00:00Z",
				"/counts?sku=NONE",
			];
			const catalogue = ["/catalogue", "/catalogue/products", "/catalogue/formulas", "/catalogue/brands", "/import"];
			for (const at of [...stock, ...recalls, ...counts, ...catalogue]) {
				await show(page, at);
				for (const summary of await page.locator("details:not([open]) > summary").all()) await summary.click();
				await lookAt(page, name, at);
			}
			for (const [at, button] of [
				["/catalogue", "New SKU"],
				["/catalogue/brands", "New brand"],
				[`/stock/${fg_id}`, "Destroy units"],
				[`/stock/${fg_id}`, "Correct the count"],
			] as const) {
				await show(page, at);
				await page.getByRole("button", { name: button }).click();
				await page.getByRole("dialog").waitFor();
				await lookAt(page, name, `${at}, ${button}`);
			}
			await page.context().close();
		},
		240_000,
	);
});
