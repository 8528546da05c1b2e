import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Products } from "../../src/inventory/stock/contract.ts";
import { type CoaWorld, openCoaWorld, pdfOf } from "./coa-world.ts";
import { unique } from "./world.ts";

const FEED = "/api/partner/v1/coa";

let world: CoaWorld;
let token: string;

beforeAll(async () => {
	world = await openCoaWorld();
	({ token } = await world.key());
});
afterAll(() => world.stop());

/** A product of its own. */
async function product(name = unique("Product")): Promise<string> {
	const slug = unique("slug");
	await world.has({ products: [{ slug, name }] });
	return slug;
}

const feed = (query: string, headers: Record<string, string> = {}) => world.ask(`${FEED}?${query}`, { token, headers });

/** The records of a CSV, in the form of the JSON. */
function recordsOf(csv: string): Record<string, unknown>[] {
	const rows = parse(csv, { columns: true, bom: false }) as Record<string, string>[];
	return rows.map(({ product_slug, product_name, purity_pct, ...row }) => {
		const cells = Object.entries(row).map(([name, cell]) => [name, plain(cell)]);
		const nullable = cells.map(([name, cell]) => [name, cell === "" && name !== "certificate_url" ? null : cell]);
		return {
			...Object.fromEntries(nullable),
			product: { slug: plain(product_slug ?? ""), name: plain(product_name ?? "") },
			purity_pct: purity_pct === "" ? null : Number(purity_pct),
		};
	});
}
const plain = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r])/, "");

describe("The feed", () => {
	it("answers the record that the settlements describe, and its PDF without a key", async () => {
		const slug = await product("Glow Serum");
		const facts = { vialSize: "30 ml", testedOn: "2026-08-20", labName: "Northern", purityPct: 99.1 };
		await world.certify({ slug, batchNumber: "C-1/é", ...facts });
		const { json, headers } = await feed(`product=${slug}`);
		const [item] = json.data.items;
		expect(item).toEqual({
			product: { slug, name: "Glow Serum" },
			batch_number: "C-1/é",
			vial_size: "30 ml",
			tested_on: "2026-08-20",
			lab_name: "Northern",
			purity_pct: 99.1,
			status: "current",
			certificate_url: expect.stringMatching(new RegExp(`^${world.coa}/coa/file/[0-9a-f-]{36}/[0-9a-f]{64}$`)),
			verify_url: `${world.coa}/coa/lookup?lot=C-1%2F%C3%A9`,
			updated_at: expect.stringMatching(/Z$/),
		});
		expect(headers.get("x-next-cursor")).toBe(json.data.next_cursor);
		expect(headers.get("link")).toBeNull();
		const file = await world.ask(item.certificate_url);
		expect(file.bytes.equals(await pdfOf(slug, "C-1/é"))).toBe(true);
		expect(await world.ask(item.verify_url)).toMatchObject({ status: 200 });
	});

	it("hides drafts, shows current ones unless told otherwise, and a retired one as a tombstone", async () => {
		const slug = await product();
		await world.certify(
			{ slug, batchNumber: "draft", status: "draft" },
			{ slug, batchNumber: "current" },
			{ slug, batchNumber: "archived", status: "archived" },
			{ slug, batchNumber: "retired" },
		);
		await world.set(slug, "retired", "retired");
		const shown = async (status: string) =>
			(await feed(`product=${slug}${status}`)).json.data.items.map((one: { batch_number: string }) => one.batch_number);
		expect(await shown("")).toEqual(["current"]);
		expect(await shown("&status=current")).toEqual(["current"]);
		expect(await shown("&status=archived")).toEqual(["archived"]);
		expect(await shown("&status=retired")).toEqual(["retired"]);
		expect(await shown("&status=all")).toEqual(["current", "archived", "retired"]);
		const { json } = await feed(`product=${slug}&status=retired`);
		expect(json.data.items[0]).toMatchObject({ status: "retired", certificate_url: "" });
	});

	it("is followed by its cursor: every change comes, in JSON and CSV, and the addresses of next pages lead on", async () => {
		const slug = await product();
		await world.certify(...Array.from({ length: 5 }, (_, at) => ({ slug, batchNumber: `B${at}` })));
		const seen: string[] = [];
		let next: string | null = `${world.coa}${FEED}?status=all&product=${slug}&limit=2`;
		let cursor = "";
		while (next !== null) {
			const { json, headers } = await world.ask(next, { token });
			for (const item of json.data.items) seen.push(item.batch_number);
			cursor = json.data.next_cursor;
			next = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? null;
			expect(json.data.has_more).toBe(next !== null);
		}
		expect(seen).toEqual(["B0", "B1", "B2", "B3", "B4"]);
		const after = `status=all&product=${slug}&limit=2&cursor=${cursor}`;
		expect((await feed(after)).json.data.items).toEqual([]);
		await world.set(slug, "B1", "archived");
		await world.set(slug, "B3", "retired");
		const { json } = await feed(after);
		expect(json.data.items.map((one: { batch_number: string }) => one.batch_number)).toEqual(["B1", "B3"]);
		const csv = await feed(`${after}&format=csv`);
		expect(recordsOf(csv.text)).toEqual(json.data.items);
		expect(csv.headers.get("x-next-cursor")).toBe(json.data.next_cursor);
		expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
	});

	it("gives several products, and refuses a cursor with others", async () => {
		const [a, b, c] = [await product(), await product(), await product()];
		await world.certify({ slug: a, batchNumber: "1" }, { slug: b, batchNumber: "1" }, { slug: c, batchNumber: "1" });
		const both = await feed(`product=${b}&product=${a}`);
		expect(both.json.data.items.map((one: { product: { slug: string } }) => one.product.slug)).toEqual([a, b]);
		const cursor = both.json.data.next_cursor;
		expect((await feed(`product=${a}&product=${b}&cursor=${cursor}`)).status).toBe(200);
		expect((await feed(`product=${a}&cursor=${cursor}`)).json.error.code).toBe("invalid_input");
		expect((await feed(`product=${a}&product=${b}&status=all&cursor=${cursor}`)).json.error.code).toBe("invalid_input");
		const other = await world.key();
		const theirs = await world.ask(`${FEED}?product=${a}&product=${b}&cursor=${cursor}`, other);
		expect(theirs.json.error.code).toBe("invalid_input");
	});

	it("gives changes since a time, that time included, and says when tombstones are hidden", async () => {
		const slug = await product();
		await world.certify({ slug, batchNumber: "1" });
		await world.certify({ slug, batchNumber: "2" });
		const { json } = await feed(`product=${slug}`);
		const [, second] = json.data.items;
		const since = await feed(`product=${slug}&updated_since=${second.updated_at}`);
		expect(since.json.data.items).toEqual([second]);
		expect(since.headers.get("partner-warning")).toBe("tombstones_hidden");
		const later = new Date(Date.parse(second.updated_at) + 1).toISOString();
		const none = await feed(`product=${slug}&status=all&updated_since=${later}`);
		expect(none.json.data.items).toEqual([]);
		expect(none.headers.get("partner-warning")).toBeNull();
		await world.set(slug, "1", "retired");
		const all = await feed(`product=${slug}&status=all&updated_since=${json.data.as_of}`);
		expect(all.json.data.items.at(-1)).toMatchObject({ batch_number: "1", status: "retired" });
		expect((await feed("updated_since=yesterday")).json.error.code).toBe("invalid_input");
	});

	it("answers 304 to its ETag until something changes, in JSON and in CSV", async () => {
		const slug = await product();
		await world.certify({ slug, batchNumber: "1" });
		for (const format of ["json", "csv"]) {
			const query = `product=${slug}&status=all&format=${format}`;
			const first = await feed(query);
			const etag = first.headers.get("etag") ?? "";
			expect((await feed(query, { "if-none-match": etag })).status).toBe(304);
			await world.set(slug, "1", format === "json" ? "archived" : "current");
			expect((await feed(query, { "if-none-match": etag })).status).toBe(200);
		}
	});

	it("needs the scope atp.products, serves a read-only key, and refuses what it does not know", async () => {
		const narrow = await world.key({ scopes: ["atp.check"] });
		expect((await world.ask(FEED, narrow)).json.error.code).toBe("forbidden");
		expect((await world.ask(FEED)).json.error.code).toBe("unauthorized");
		const reader = await world.key({ scopes: ["atp.products", "atp.inventory", "atp.check"] });
		expect((await world.ask(FEED, reader)).status).toBe(200);
		for (const wrong of [
			"status=draft",
			"limit=0",
			"limit=501",
			"format=xml",
			"products=a",
			"product=",
			"cursor=x",
			"status=all&status=all",
		])
			expect([wrong, (await feed(wrong)).json?.error.code]).toEqual([wrong, "invalid_input"]);
	});

	it("keeps the sandbox and live apart", async () => {
		const slug = unique("sbx-slug").toLowerCase();
		await world.has({ products: [{ slug, name: "Sample" }] });
		await world.certify({ slug, batchNumber: "S" });
		const sandbox = await world.key({ brand: "SANDBOX" });
		expect((await feed(`product=${slug}`)).json.data.items).toEqual([]);
		expect((await world.ask(`${FEED}?product=${slug}`, sandbox)).json.data.items).toHaveLength(1);
		expect((await world.ask(`${FEED}/lot/S`, { token })).json.error.code).toBe("not_found");
		expect((await world.ask(`${FEED}/lot/S`, sandbox)).status).toBe(200);
	});
});

describe("A lot of the feed", () => {
	it("has the certificates of all its products, whatever their status", async () => {
		const [a, b] = [await product(), await product()];
		const batchNumber = `${unique("lot")} a/b?c=ö🙂`;
		await world.certify({ slug: a, batchNumber }, { slug: b, batchNumber, status: "archived" });
		await world.set(a, batchNumber, "retired");
		const { json } = await world.ask(`${FEED}/lot/${encodeURIComponent(batchNumber)}`, { token });
		const statuses = json.data.items.map((one: { status: string }) => one.status);
		expect(statuses.toSorted()).toEqual(["archived", "retired"]);
		expect((await world.ask(`${FEED}/lot/${encodeURIComponent(`${batchNumber} `)}`, { token })).status).toBe(404);
	});
});

describe("CSV", () => {
	it("runs nothing in a spreadsheet, and has every text that JSON has", async () => {
		const nasty = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", 'a"b,c', "line\r\nbreak", "'kept", " =", "é🙂"];
		const slugs: string[] = [];
		for (const [at, text] of nasty.entries()) {
			const slug = `${text}${unique("n")}`;
			slugs.push(slug);
			await world.has({ products: [{ slug, name: text }] });
			await world.certify({ slug, batchNumber: `${text}${at}`, labName: text, vialSize: text });
		}
		const query = `status=all&limit=100&${slugs.map((slug) => `product=${encodeURIComponent(slug)}`).join("&")}`;
		const { json } = await feed(query);
		const { text } = await feed(`${query}&format=csv`);
		expect(json.data.items).toHaveLength(nasty.length);
		expect(recordsOf(text)).toEqual(json.data.items);
		const cells = parse(text, { columns: false }) as string[][];
		for (const cell of cells.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
		expect(
			text.startsWith(
				"product_slug,product_name,batch_number,vial_size,tested_on,lab_name,purity_pct,status,certificate_url,verify_url,updated_at\r\n",
			),
		).toBe(true);
		expect(text.endsWith("\r\n")).toBe(true);
	});
});

describe("current_coa of products", () => {
	it("is the certificate that was published last, follows every change at once, and is null when none is current", async () => {
		const slug = await product();
		const { code, sku } = await world.stocked([{ brand: null, units: 5 }]);
		await world.has({
			skus: [{ sku, name: sku, product: slug, kind: "single", components: [{ formula: code, per_kit: 1 }] }],
		});
		const shown = async () => (await world.call(Products, token, { sku })).data.items[0]?.current_coa;
		expect(await shown()).toBeNull();
		await world.certify({ slug, batchNumber: "1" });
		expect(await shown()).toEqual({ batch_number: "1", verify_url: `${world.coa}/coa/lookup?lot=1` });
		await world.certify({ slug, batchNumber: "2" });
		expect((await shown())?.batch_number).toBe("2");
		await world.set(slug, "2", "retired");
		expect((await shown())?.batch_number).toBe("1");
		await world.set(slug, "1", "archived");
		expect(await shown()).toBeNull();
	});
});
