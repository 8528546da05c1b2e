import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { PutCertificate } from "../../src/inventory/certificates/certificate-write-contract.ts";
import { AddDemand } from "../../src/inventory/demand/admin-contract.ts";
import { noteOpenOrder } from "../../src/inventory/demand/note-report.ts";
import { MakeEndpoint } from "../../src/partners/webhooks/endpoint-admin-contract.ts";
import { VerifyLedger } from "../../src/upkeep/ledger/admin-contract.ts";
import { pdfOf } from "../contract/coa-world.ts";
import { at, settings } from "../demand-world.ts";
import { keepSecret } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { placeOrder } from "../operator/placed.ts";
import { readPdf } from "../read-pdf.ts";
import { ok, openReceiver, type Receiver } from "../webhooks/receiver.ts";
import { signedBy } from "../webhooks/signers.ts";
import { hasBrowser } from "./browser.ts";
import { keepBack, LOOKS, lookAt, type OpenConsole, openConsole, show, visit } from "./console-look.ts";
import { isWiderThanItsWindow, violations } from "./look.ts";

/* What an operator does at a desk: certificates, demand, webhooks, health, tokens, and the search. */

const PARTNER = "North Shop";
const BATCHES = ["C-2611", "D-1"];

let open: OpenConsole;
let house: OpenConsole["house"];
let receiver: Receiver;
let store: string;
/** The endpoint of the pages that are looked at. */
let endpointId: string;

beforeAll(async () => {
	if (!hasBrowser) return;
	store = await mkdtemp(path.join(tmpdir(), "holdfast-desk-"));
	receiver = await openReceiver(ok);
	open = await openConsole({ HOLDFAST_COA_STORE: store, HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
	house = open.house;
	await house.importWorld({
		brands: [{ code: "ACME", name: "Acme" }],
		products: [{ slug: "glow-serum", name: "Glow Serum" }],
		formulas: ["GLOW-30", "PLAIN"].map((code) => ({ code, name: code, status: "active" })),
		skus: [glow("GLOW", { product: "glow-serum" })],
		lots: [
			...BATCHES.map((batch_number) => ({ formula: "GLOW-30", brand_code: null, batch_number, units: 20 })),
			{ formula: "PLAIN", brand_code: null, batch_number: "T-1", units: 1 },
		],
	});
	await house.stock({ TEA: 50 });
	const key = await house.mint({ name: "web", partner: PARTNER, scopes: ["atp.reserve", "atp.orders"] });
	await placeOrder(house, key.token, "order-7", { sku: "TEA", external_order_id: "shop-7" });
	const pdf = { name: "d-1.pdf", bytes: new Uint8Array(await pdfOf("Glow Serum", "D-1")) };
	const params = { slug: "glow-serum", batch: "D-1" };
	await operate(open.socket, PutCertificate, { params, body: { status: "draft" }, files: [pdf] });
	const demand = { reference: "PO-17", formula: "GLOW-30", brand_code: "ACME", units: 4 };
	await operate(open.socket, AddDemand, { body: demand });
	const url = `${receiver.url}/looked-at`;
	const made = await operate(open.socket, MakeEndpoint, { body: { partner: PARTNER, environment: "live", url } });
	endpointId = made.json.data.endpoint_id;
	signedBy(endpointId, url, [made.json.data.secret]);
}, 60_000);
afterAll(async () => {
	await open?.close();
	await receiver?.close();
	if (hasBrowser) await rm(store, { recursive: true, force: true });
});

const glow = (sku: string, more: object = {}) => ({
	sku,
	name: sku,
	kind: "single",
	components: [{ formula: "GLOW-30", per_kit: 1 }],
	...more,
});

/** What a click saves. */
async function saved(page: Page, click: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
	const [download] = await Promise.all([page.waitForEvent("download"), click()]);
	return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** The state that a buyer is shown at this address, wherever the house has it. */
async function buyerSees(address: string): Promise<string | null> {
	const { pathname, search } = new URL(address);
	const context = await open.browser.newContext();
	const page = await context.newPage();
	await page.goto(house.coa + pathname + search);
	const word = await page.locator(".word").textContent();
	await context.close();
	return word;
}

describe.skipIf(!hasBrowser)("At the desk", () => {
	it("a certificate goes from a PDF to the page for buyers, gets labels, and is withdrawn", async () => {
		const page = await open.personIn("olga", "operator");
		await visit(page, "Certificates");
		await page.getByRole("link", { name: "Add certificates" }).click();
		await page.getByText("No PDF yet").waitFor();
		await page.locator("datalist option").first().waitFor({ state: "attached" }); // the products
		const pdf = { name: "glow-serum_C-26.pdf", mimeType: "application/pdf", buffer: await pdfOf("Glow", "C-2611") };
		const notes = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no PDF") };
		await page.getByLabel("PDFs", { exact: true }).setInputFiles([pdf, notes]);
		await page.getByText("were left out: notes.txt").waitFor();
		const row = page.getByRole("group", { name: "glow-serum_C-26.pdf" });
		expect(await row.getByLabel("Product").inputValue()).toBe("glow-serum");
		expect(await row.getByLabel("Batch number").inputValue()).toBe("C-26");
		await row.getByLabel("Purity").fill("98");
		await page.getByRole("group", { name: "The same for all" }).getByLabel("Laboratory").fill("Northern Analytical");
		const sending = await keepBack(page, /\/certificates\/files$/);
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await sending.begun;
		await row.getByLabel("Purity").fill("99.12");
		sending.goOn();
		await page.locator("button:enabled").getByText("Check", { exact: true }).waitFor();
		// what was sent is not what is there
		expect(await page.getByRole("button", { name: /^Publish/ }).count()).toBe(0);
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await page.getByText("No lot has this batch number").waitFor();
		await page.getByText("see the warning below").waitFor();
		await page.locator('section[aria-label="What will happen"]:focus').waitFor(); // it came into sight
		await row.getByLabel("Batch number").fill("T-1");
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await page.getByText("Lot T-1 is of PLAIN, which is not in this product.").waitFor();
		await row.getByLabel("Batch number").fill("C-2611");
		await row.getByLabel("Product").fill("glow-serun");
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await row.getByText('did you mean "glow-serum"?').waitFor(); // at the field, and nothing typed is lost
		await row.getByLabel("Product").fill("glow-serum");
		await page.getByRole("button", { name: "Check", exact: true }).click();
		await page.getByRole("button", { name: "Publish 1 certificate" }).click();
		await page.getByText("1 certificate is saved.").waitFor();
		await page.getByRole("region", { name: "What was done" }).first().waitFor();
		await page.getByRole("button", { name: "Print labels" }).click();
		await page.getByRole("dialog").getByText("This address works on this machine only.").waitFor();
		const sheet = await saved(page, () => page.getByRole("button", { name: "Make the sheet" }).click());
		expect(sheet.name).toBe("labels-C-2611.pdf");
		expect(readPdf(sheet.bytes).pages).toHaveLength(1);
		await page.getByRole("link", { name: "C-2611", exact: true }).click();
		await page.getByRole("heading", { name: "Certificate of Glow Serum, batch C-2611" }).waitFor();
		await page.getByText("Northern Analytical").waitFor();
		const qr = page.getByRole("img", { name: "QR code that leads buyers to the page of batch C-2611" });
		await qr.waitFor();
		expect(await page.evaluate("document.querySelector('img.qr').decode().then(() => true)")).toBe(true);
		const address = must(await page.getByRole("link", { name: "Open the page for buyers" }).getAttribute("href"), "it");
		expect(await buyerSees(address)).toBe("Certificate found");
		await page.getByRole("button", { name: "Retire", exact: true }).click();
		const dialog = page.getByRole("dialog", { name: "Retire for good" });
		await dialog.getByText("Still for sale: 20 free units in 1 lot.").waitFor();
		await dialog.getByLabel("Reason").fill("wrong figure");
		await dialog.getByRole("button", { name: "Retire", exact: true }).click();
		const recall = dialog.getByRole("link", { name: "Recall batch C-2611" });
		expect(await recall.getAttribute("href")).toBe("/admin/recalls/new?batch_number=C-2611&reason=wrong+figure");
		await dialog.getByRole("button", { name: "Close" }).click();
		await page.getByText("Withdrawn for good.").waitFor();
		expect(await buyerSees(address)).toBe("Withdrawn: do not use");
		await page.context().close();
	}, 120_000);

	it("demand is added, changed and shipped, and what was not found waits as an exception", async () => {
		const page = await open.personIn("paul", "operator");
		await visit(page, "Demand");
		await page.getByRole("button", { name: "Add demand" }).click();
		const adding = page.getByRole("dialog", { name: "Add demand" });
		await adding.getByLabel("Reference").fill("PO-18");
		await adding.getByLabel("Formula").fill("F-TE");
		await adding.getByLabel("Units").fill("30");
		await adding.getByRole("button", { name: "Add demand" }).click();
		await adding.getByText('did you mean "F-TEA"?').waitFor();
		await adding.getByLabel("Formula").fill("F-TEA");
		await adding.getByRole("button", { name: "Add demand" }).click();
		await page.getByRole("link", { name: "PO-18" }).click();
		await page.getByRole("button", { name: "Change" }).click();
		await page.getByRole("dialog").getByLabel("Units").fill("1000");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await page.getByRole("cell", { name: "1000" }).waitFor();
		await page.getByRole("button", { name: "It was shipped" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "It was shipped" }).click();
		await page.getByText("units could not be found in any lot").waitFor();
		await page.getByRole("link", { name: "See the exceptions" }).click();
		await page.getByRole("button", { name: "Dismiss PO-18" }).click();
		await page.getByRole("dialog").getByLabel("What was done").fill("a typing error");
		await page.getByRole("dialog").getByRole("button", { name: "Dismiss" }).click();
		await page.getByText("No exception fits these filters").waitFor();
		await page.context().close();
	}, 120_000);

	it("an order of an unknown store is put right, and its exception is retried", async () => {
		const report = { source: "label", reference: "1001", store: "web", modifiedAt: at(1) };
		await noteOpenOrder(house.db, settings, { ...report, lines: [{ sku: "GLOW-NEW", qty: 2 }] });
		const page = await open.personIn("rosa", "operator");
		await visit(page, "Stores");
		await page.getByRole("button", { name: "Set store web" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await page.getByText("1 open order was worked through again.").waitFor();
		await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
		await visit(page, "Exceptions");
		await page.getByText('There is no SKU "GLOW-NEW"').waitFor();
		await house.importWorld({ skus: [glow("GLOW-NEW")] });
		await page.getByRole("button", { name: "Retry label:1001" }).click();
		await page.getByRole("dialog").getByLabel("Reason").fill("the SKU is there now");
		await page.getByRole("dialog").getByRole("button", { name: "Retry" }).click();
		await page.getByText("1 reference was tried again").waitFor();
		await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
		await page.getByText('There is no SKU "GLOW-NEW"').waitFor({ state: "detached" });
		await visit(page, "Demand");
		await page.getByRole("link", { name: "label:1001" }).waitFor();
		await page.context().close();
	}, 120_000);

	it("an endpoint is made, tested, paused and deleted, and a delivery is sent again", async () => {
		const page = await open.personIn("sven", "operator");
		await visit(page, "Webhooks");
		await page.getByRole("button", { name: "New endpoint" }).click();
		const dialog = page.getByRole("dialog", { name: "New endpoint" });
		await dialog.getByLabel("Partner").selectOption(PARTNER);
		await dialog.getByLabel("Environment").selectOption("live");
		expect(await dialog.getByRole("checkbox", { checked: true }).count()).toBe(2); // the contract's two
		await dialog.getByLabel("A hold lost units").check();
		await dialog.getByLabel("Address").fill("http://10.0.0.1/");
		await dialog.getByRole("button", { name: "New endpoint" }).click();
		await dialog.locator(".wrong").waitFor(); // no address of an inner network
		await dialog.getByLabel("Address").fill(receiver.url);
		await dialog.getByRole("button", { name: "New endpoint" }).click();
		await page.getByRole("heading", { name: "The secret is shown only now" }).waitFor();
		const secret = (await page.locator(".copy pre").textContent()) ?? "";
		await page.getByRole("button", { name: "I have kept it" }).click();
		await page.getByRole("button", { name: "Send a test" }).waitFor();
		await page.getByText("An order was put on hold, A hold lost units").waitFor();
		const id = must(new URL(page.url()).pathname.split("/").at(-1), "its id");
		signedBy(id, receiver.url, [secret]);
		await page.getByRole("button", { name: "Send a test" }).click();
		await page.getByText("is on its way").waitFor();
		await page.getByRole("cell", { name: "delivered", exact: true }).waitFor(); // it came by itself
		await page.getByText("1 attempt: answered 200").click();
		await page.getByText("thank you").waitFor();
		const before = receiver.arrived.length;
		await page.getByRole("button", { name: "Send again" }).click();
		await page.getByText("It is sent again.").waitFor();
		await expect.poll(() => receiver.arrived.length).toBe(before + 1);
		await page.getByRole("button", { name: "Pause" }).click();
		await page.getByRole("dialog").getByLabel("Reason").fill("their till is being rebuilt");
		await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
		await page.getByText("inactive: an operator paused it").waitFor();
		await page.getByRole("button", { name: "Delete" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
		await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
		await page.getByRole("link", { name: receiver.url, exact: true }).waitFor({ state: "detached" });
		await visit(page, "Deliveries");
		await page.context().close();
	}, 120_000);

	it("a token is minted, works, and is refused once it is revoked", async () => {
		const page = await open.personIn("tina", "admin");
		await visit(page, "Tokens");
		await page.getByRole("button", { name: "New token" }).click();
		await page.getByRole("dialog").getByLabel("Name").fill("nightly");
		await page.getByRole("dialog").getByLabel("Role").selectOption("viewer");
		await page.getByRole("dialog").getByRole("button", { name: "New token" }).click();
		await page.getByRole("heading", { name: "The token is shown only now" }).waitFor();
		const token = (await page.locator(".copy pre").first().textContent()) ?? "";
		keepSecret("an operator's token", must(token.split(":")[1], "its secret half"));
		const answered = async (): Promise<number> =>
			(await fetch(`${house.api}/admin/api/v1/overview`, { headers: { authorization: `Bearer ${token}` } })).status;
		expect(await answered()).toBe(200);
		await page.getByRole("button", { name: "I have kept it" }).click();
		await page.getByRole("button", { name: "Revoke nightly" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
		await page.getByText("revoked", { exact: true }).waitFor();
		await expect.poll(answered).toBe(401);
		await page.context().close();
	}, 120_000);

	it("the counts are proved, a difference is named, and a backup is saved", async () => {
		const page = await open.personIn("ugo", "admin");
		await visit(page, "Health");
		await page.getByText("Everything is as it should be").waitFor();
		await page.getByRole("button", { name: "Verify" }).click();
		await page.getByText("The counts are true").waitFor({ timeout: 60_000 });
		const change = (by: number) =>
			house.db.query(
				"update lot set available = available - $1, destroyed = destroyed + $1 where batch_number = 'D-1'",
				[by],
			);
		await change(1);
		await page.getByRole("button", { name: "Verify" }).click();
		await page.getByText("differences were found").waitFor({ timeout: 60_000 });
		await change(-1);
		await visit(page, "Runs");
		await page.getByRole("link", { name: "Verification: the ledger" }).first().click();
		await page.getByText("differences were found").waitFor();
		await visit(page, "Health");
		const backup = await saved(page, () => page.getByRole("button", { name: "Make a backup" }).click());
		expect(backup.name).toMatch(/^holdfast-[\dTZ.-]+\.tar$/);
		expect(backup.bytes.includes("manifest.sha256")).toBe(true);
		await page.getByText("The backup is complete").waitFor();
		await page.context().close();
	}, 180_000);

	it("what is printed on a thing finds it, from anywhere, with the key /", async () => {
		const page = await open.personIn("vera", "viewer");
		const search = async (text: string): Promise<void> => {
			await page.keyboard.press("/");
			await page.keyboard.type(text);
			await page.keyboard.press("Enter");
		};
		await search("D-1");
		await page.getByRole("heading", { name: "Search: D-1", level: 1 }).waitFor();
		await page.getByRole("link", { name: "GLOW-30 D-1" }).waitFor(); // the lot
		await page.getByRole("link", { name: "Glow Serum D-1" }).waitFor(); // its certificate
		await page.locator("main").focus();
		await search("shop-7");
		await page.getByRole("heading", { name: /shop-7/, level: 1 }).waitFor(); // the one that is exactly this opens
		await page.waitForURL(/\/admin\/orders\/[^/]+$/);
		await expect.poll(() => page.getByLabel("Search everything").inputValue()).toBe("");
		await page.locator("main").focus();
		await search("nothing has this name");
		await page.getByText("Nothing here is called “nothing has this name”").waitFor();
		await visit(page, "Certificates");
		await page.getByLabel("Batch, product or laboratory").press("/"); // a character like any other
		await page.getByText("No certificate fits these filters").waitFor();
		await page.context().close();
	}, 120_000);

	it("an exact name hides nothing else; an admin finds people, and reads in words who did what", async () => {
		const page = await open.personIn("xenia", "admin", { at: "/search?q=GLOW" });
		await page.getByText("exactly this").waitFor(); // the SKU
		await page.getByRole("link", { name: "GLOW-30 D-1" }).waitFor();
		await page.goto(`${house.api}/admin/search?q=xen`);
		await page.getByRole("main").getByRole("link", { name: "xenia" }).waitFor();
		await page.goto(`${house.api}/admin/search?q=SBX`);
		await page.getByRole("link", { name: /^SBX-/ }).first().waitFor();
		await page.goto(`${house.api}/admin/search?q=BX-`);
		await page.getByText("Nothing here is called “BX-”").waitFor();
		await visit(page, "Audit log");
		await page
			.getByRole("row", { name: /Saved a certificate glow-serum D-1 done/ })
			.first()
			.waitFor();
		await page.getByRole("link", { name: "glow-serum D-1" }).first().click();
		await page.getByRole("heading", { name: "Certificate of Glow Serum, batch D-1" }).waitFor();
		await page.context().close();
	}, 60_000);

	it.each(LOOKS)(
		"axe-core finds nothing on any page or dialog, and nothing is cut off: $name",
		async ({ name, ...look }) => {
			await operate(open.socket, VerifyLedger);
			const run = (await house.db.query("select run_id from operator_run limit 1")).rows[0]?.run_id;
			const page = await open.personIn(`wim-${name}`, "admin", look);
			const pages: readonly (readonly [at: string, button?: string])[] = [
				["/certificates"],
				["/certificates/new"],
				["/certificates/glow-serum/D-1", "Publish"],
				["/demand", "Add demand"],
				["/demand", "Import a CSV file"],
				["/demand/buffers", "Set a buffer"],
				["/demand/item/PO-17", "Change"],
				["/exceptions", "Retry all"],
				["/stores", "Set a store"],
				["/webhooks", "New endpoint"],
				[`/webhooks/endpoints/${endpointId}`, "New secret"],
				["/webhooks/deliveries"],
				["/webhooks/events"],
				["/runs"],
				[`/runs/${run}`],
				["/health"],
				["/tokens", "New token"],
				["/search"],
				["/search?q=GLO"],
			];
			for (const [at, button] of pages) {
				await show(page, at);
				await lookAt(page, name, at);
				if (button === undefined) continue;
				await page.getByRole("button", { name: button, exact: true }).click();
				await page.getByRole("dialog").waitFor();
				await lookAt(page, name, `${at}, ${button}`);
			}
			await show(page, "/certificates/new");
			const pdf = { name: `${"long".repeat(20)}.pdf`, mimeType: "application/pdf", buffer: await pdfOf("Glow", "X") };
			await page.getByLabel("PDFs", { exact: true }).setInputFiles([pdf]);
			await page.getByRole("button", { name: "Check", exact: true }).waitFor();
			expect([name, await violations(page), await isWiderThanItsWindow(page)]).toEqual([name, [], false]);
			await page.context().close();
		},
		240_000,
	);
});
