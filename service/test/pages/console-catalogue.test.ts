import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PutBrand } from "../../src/inventory/catalog/admin-contract.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { operate } from "../operate.ts";
import { hasBrowser } from "./browser.ts";
import { type OpenConsole, openConsole, textOfDownload, visit } from "./console-look.ts";

/* The catalogue, and the files that an import reads, as somebody uses them who never saw a terminal. */

let open: OpenConsole;
let house: OpenConsole["house"];

beforeAll(async () => {
	if (!hasBrowser) return;
	open = await openConsole();
	house = open.house;
	await house.importWorld({
		formulas: ["CALM-60", "REST-30"].map((code) => ({ code, name: code, status: "active" })),
		products: [{ slug: "calm", name: "Calm" }],
	});
}, 60_000);
afterAll(() => open?.close());

const csv = (name: string, ...lines: string[]) => ({
	name,
	mimeType: "text/csv",
	buffer: Buffer.from(`${lines.join("\r\n")}\r\n`),
});

describe.skipIf(!hasBrowser)("The console, of files", () => {
	const wrong = [
		csv("formulas (2).csv", "code,name,status", "IMP-1,Imp one,on", "IMP-2,Imp two,active"),
		csv("skus.csv", "sku,name,kind,components", "IMP,Imp,single,IMP-2*0"),
		csv(
			"lots.csv",
			"formula,brand_code,batch_number,expires_on,units",
			"IMP-2,,I-1,,none",
			"IMP-2,,I-2,2090-02-31,5",
			'IMP-2,,I-3,,"1,000"',
		),
	];
	const mended = [
		csv("formulas (2).csv", "code,name,status", "IMP-1,Imp one,active", "IMP-2,Imp two,active"),
		csv("skus.csv", "sku,name,kind,components", "IMP,Imp,single,IMP-2*1"),
		csv("lots.csv", "formula,brand_code,batch_number,expires_on,units", "IMP-2,,I-1,,10", "IMP-2,,I-2,2090-02-28,5"),
	];

	it("shows all mistakes at once, then what would change, and only then imports", async () => {
		const page = await open.personIn("ingo", "operator");
		await visit(page, "Import and export");
		const choose = page.getByLabel("Choose CSV or JSON files");
		const show = page.getByRole("button", { name: "Show what would change" });
		await choose.setInputFiles(wrong);
		await page.getByText("formulas (2).csv").first().waitFor();
		await show.click();
		const mistakes = page.getByRole("region", { name: "5 mistakes" });
		await expect.poll(() => mistakes.getByRole("row").count()).toBe(6);
		for (const place of [
			"formulas (2).csv line 2, status",
			"skus.csv line 2, components",
			"lots.csv line 2, units",
			"lots.csv line 3, expires_on",
			"lots.csv line 4, units",
		])
			await mistakes.getByRole("cell", { name: place }).waitFor();
		const places = await mistakes.getByRole("row").locator("td:first-child").allTextContents();
		expect(places.map((place) => place.replace(/,.*/, ""))).toEqual([
			"formulas (2).csv line 2",
			"lots.csv line 2",
			"lots.csv line 3",
			"lots.csv line 4",
			"skus.csv line 2",
		]);
		expect(await mistakes.getByText(/or null/).count()).toBe(0);

		await choose.setInputFiles(mended);
		await show.click();
		await page.getByRole("heading", { name: "What would change" }).waitFor();
		await page.locator('section[aria-label="What would change"]:focus').waitFor(); // it came into sight
		await page
			.getByRole("region", { name: "New" })
			.getByRole("row", { name: "Lots IMP-2, shared, I-1 units: 10" })
			.waitFor();
		await page.getByRole("row", { name: "Formulas 2 0 0" }).waitFor();
		await page.getByRole("row", { name: "Lots 2 0 0" }).waitFor();
		expect((await house.db.query("select from formula where code like 'IMP-%'")).rowCount).toBe(0);
		await page.getByRole("button", { name: "Import this" }).click();
		await page.getByRole("heading", { name: "What was changed" }).waitFor();
		expect((await house.db.query("select from lot where batch_number in ('I-1', 'I-2')")).rowCount).toBe(2);

		await page.getByRole("button", { name: "Import more" }).click();
		await choose.setInputFiles([csv("autumn.csv", "code,name,status", "IMP-1,Imp one,archived")]);
		await page.getByLabel("What autumn.csv contains").selectOption("Formulas");
		await show.click();
		await page.getByRole("row", { name: "Formulas IMP-1 status active archived" }).waitFor();
		await page.context().close();
	}, 120_000);

	it("shows the tokens of new keys once, and hands out each section as an import reads it", async () => {
		const page = await open.personIn("iris", "operator", { at: "/import" });
		const key = { name: "imported", partner: "Import Shop", environment: "sandbox", preset: "read_only" };
		const world = { partners: [{ name: "Import Shop" }], keys: [{ ...key, shared_pool: false }] };
		await page
			.getByLabel("Choose CSV or JSON files")
			.setInputFiles([
				{ name: "world.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(world)) },
			]);
		await page.getByRole("button", { name: "Show what would change" }).click();
		await page.getByRole("button", { name: "Import this" }).click();
		await page.getByText("Import Shop: imported").waitFor();
		const minted = (await page.locator(".copy pre").textContent()) ?? "";
		keepSecretsOf(JSON.stringify({ token: minted }));
		expect((await house.call(minted, "/api/v1/products")).status).toBe(200);
		expect(await textOfDownload(page, "Formulas")).toContain("CALM-60");

		await page.getByRole("button", { name: "Import more" }).click();
		await page.getByText("How is a CSV file written?").click();
		for (const section of ["Brands", "Formulas", "Products", "SKUs", "Lots", "Demand", "Safety buffers", "Partners"]) {
			const [file] = await Promise.all([
				page.waitForEvent("download"),
				page.getByRole("button", { name: `Download an empty file: ${section}`, exact: true }).click(),
			]);
			const content = await readFile(await file.path());
			const input = { name: file.suggestedFilename(), mimeType: "text/csv", buffer: content };
			await page.getByLabel("Choose CSV or JSON files").setInputFiles([input]);
			await page.getByText(input.name, { exact: true }).waitFor();
		}
		const rest = csv("formulas.csv", "code,name,status", "CALM-60,Calm,active", "REST-30,Rest,active");
		await page.getByLabel("Choose CSV or JSON files").setInputFiles([rest]);
		await page.getByRole("button", { name: "Show what would change" }).click();
		await page.getByRole("row", { name: "SKUs 1 0 0" }).waitFor(); // every example is read as it stands
		await page.context().close();
	}, 120_000);
});

describe.skipIf(!hasBrowser)("The console, of the catalogue", () => {
	it("creates and changes a SKU with its recipe, and says at the field what is wrong", async () => {
		const page = await open.personIn("carla", "operator");
		await visit(page, "Catalogue", "SKUs");
		await page.getByRole("button", { name: "New SKU" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("SKU", { exact: true }).fill("DUO");
		await dialog.getByLabel("Name").fill("Duo");
		await dialog.getByLabel("Kind").selectOption("kit");
		await dialog.getByRole("group", { name: "Component 1" }).getByLabel("Formula").selectOption("CALM-60");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.getByText("must name two or more formulas for a kit").waitFor();
		await dialog.getByRole("button", { name: "Add a component" }).click();
		const second = dialog.getByRole("group", { name: "Component 2" });
		await second.getByLabel("Formula").selectOption("REST-30");
		await second.getByLabel("Units in one kit").fill("2");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.waitFor({ state: "detached" });
		await page.getByRole("cell", { name: "1 × CALM-60, 2 × REST-30" }).waitFor();

		await page.getByRole("button", { name: "New SKU" }).click();
		await dialog.getByLabel("SKU", { exact: true }).fill("DUO");
		await dialog.getByLabel("Name").fill("Another");
		await dialog.getByRole("group", { name: "Component 1" }).getByLabel("Formula").selectOption("CALM-60");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.getByText("There is already one with this code").waitFor(); // a PUT would change it
		await dialog.getByRole("button", { name: "Cancel" }).click();
		expect(await page.getByRole("button", { name: "Change DUO" }).textContent()).toBe("Change");
		await page.getByRole("button", { name: "Change DUO" }).click();
		await dialog.getByLabel("Name").fill("Duo for two");
		await dialog.getByLabel("Product").selectOption("calm");
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByRole("row", { name: /DUO Duo for two kit calm 1 × CALM-60, 2 × REST-30/ }).waitFor();
		expect(await textOfDownload(page, "Download as CSV")).toContain("DUO,Duo for two,calm,kit");
		await page.context().close();
	}, 120_000);

	it("creates and changes products, formulas and brands", async () => {
		const page = await open.personIn("cleo", "operator");
		await visit(page, "Catalogue", "SKUs");
		const dialog = page.getByRole("dialog");
		for (const [tab, make, code, value] of [
			["Products", "New product", "Slug", "new-product"],
			["Formulas", "New formula", "Code", "NEW-FORMULA"],
			["Brands", "New brand", "Code", "NEWBRAND"],
		] as const) {
			await page.getByRole("navigation", { name: "Catalogue" }).getByRole("link", { name: tab }).click();
			await page.getByRole("heading", { name: tab, level: 1 }).waitFor();
			await page.getByRole("button", { name: make }).click();
			await dialog.getByLabel(code, { exact: true }).fill(value);
			await dialog.getByLabel("Name").fill(`Name of ${value}`);
			await dialog.getByRole("button", { name: "Save" }).click();
			await page.getByText(`Saved: ${value}`).waitFor();
			await page.getByRole("button", { name: `Change ${value}` }).click();
			await dialog.getByLabel("Name").fill(`Other ${value}`);
			await dialog.getByRole("button", { name: "Save" }).click();
			await page.getByRole("cell", { name: `Other ${value}` }).waitFor();
		}
		await page.context().close();
	}, 120_000);

	it("proposes a code from the name, and refuses one that is easily mistyped for good", async () => {
		const page = await open.personIn("clio", "operator", { at: "/catalogue/products" });
		const dialog = page.getByRole("dialog");
		await page.getByRole("button", { name: "New product" }).click();
		await dialog.getByLabel("Name").fill("Birch Tonic");
		expect(await dialog.getByLabel("Slug").inputValue()).toBe("birch-tonic");
		await dialog.getByLabel("Slug").fill("Birch Tonic");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.getByText("Use lower-case letters, digits and hyphens only").waitFor();
		await dialog.getByLabel("Slug").fill("birch");
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByText("Saved: birch").waitFor();
		await page.goto(`${house.api}/admin/catalogue/formulas`);
		await page.getByRole("button", { name: "New formula" }).click();
		await dialog.getByLabel("Name").fill("Birch tonic");
		expect(await dialog.getByLabel("Code").inputValue()).toBe("BIRCH-TONIC");
		await dialog.getByLabel("Code").fill("birch tonic");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.getByText("without blanks").waitFor();
		await page.goto(`${house.api}/admin/catalogue`);
		await page.setViewportSize({ width: 1366, height: 600 });
		await page.getByRole("button", { name: "New SKU" }).click();
		const save = await dialog.getByRole("button", { name: "Save" }).boundingBox();
		expect(save === null ? null : save.y + save.height).toBeLessThan(600); // in sight, however long the form is
		await page.context().close();
	}, 60_000);

	it("overwrites nothing unseen that a colleague changed while a form was open", async () => {
		await operate(open.socket, PutBrand, { params: { code: "SHARED" }, body: { name: "As it was" } });
		const page = await open.personIn("cora", "operator", { at: "/catalogue/brands" });
		const read = page.waitForResponse((response) => response.url().endsWith("/brands/SHARED"));
		await page.getByRole("button", { name: "Change SHARED" }).click();
		await read;
		await operate(open.socket, PutBrand, { params: { code: "SHARED" }, body: { name: "By a colleague" } });
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Name").fill("Mine");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.getByText("Somebody else has changed this").waitFor();
		expect(await dialog.getByLabel("Name").inputValue()).toBe("Mine");
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByRole("cell", { name: "Mine" }).waitFor();
		await page.context().close();
	}, 60_000);
});
