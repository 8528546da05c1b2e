import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { type CoaWorld, openCoaWorld, pdfOf } from "./coa-world.ts";
import { unique } from "./world.ts";

const FORMULA = "LOOKED-UP";

let world: CoaWorld;
let slug: string;

beforeAll(async () => {
	world = await openCoaWorld({
		HOLDFAST_TRUSTED_PROXIES: "127.0.0.0/8",
		HOLDFAST_COA_NAME: "Acme <Makers> & Co",
		HOLDFAST_COA_CONTACT: "mailto:care@acme.example",
	});
	slug = unique("slug");
	await world.has({ products: [{ slug, name: "Glow <b>Serum</b>" }] });
	await world.certify(
		{ slug, batchNumber: "L-1", testedOn: "2026-08-20", labName: "Lab & Co", purityPct: 99.12, vialSize: "30 ml" },
		{ slug, batchNumber: "L-2", status: "archived" },
		{ slug, batchNumber: "L-3" },
		{ slug, batchNumber: "L-4", status: "draft" },
	);
	await world.set(slug, "L-3", "retired");
	await world.has({
		formulas: [{ code: FORMULA, name: "F", status: "active" }],
		lots: ["L-4", "R-1", "L-1", "E-1", "E.1"].map((batch_number) => ({
			formula: FORMULA,
			brand_code: null,
			batch_number,
			units: 5,
		})),
	});
	await world.db.query(
		"update lot set recalled_at = now(), quarantined = available, available = 0 where batch_number = 'R-1'",
	);
	await world.db.query("insert into product (slug, name) values ('sbx-lookup', 'A sample') on conflict do nothing");
	await world.certify({ slug: "sbx-lookup", batchNumber: "SANDBOX" });
});
afterAll(() => world.stop());

let addresses = 0;
/** Sends a request from an address of its own, by default like a browser. */
const look = (query: string, headers: Record<string, string> = {}) =>
	world.ask(`/coa/lookup${query}`, {
		headers: { accept: "text/html,*/*;q=0.8", "x-forwarded-for": `198.51.100.${++addresses % 250}`, ...headers },
	});
const asJson = (query: string) => look(query, { accept: "application/json" });

describe("Looking a lot up", () => {
	it("says of each lot what is so, as a page and as JSON", async () => {
		for (const [lot, status, state, words] of [
			["L-1", 200, "current", "Certificate found"],
			["L-2", 200, "archived", "Certificate found, archived"],
			["L-3", 200, "withdrawn", "Withdrawn: do not use"],
			["L-4", 200, "pending", "Certificate not published yet"],
			["R-1", 200, "withdrawn", "Withdrawn: do not use"],
			["SANDBOX", 200, "sample", "A sample, not a product"],
			["L-5", 404, null, "Unknown lot number"],
			["-.", 404, null, "Unknown lot number"],
		] as const) {
			const query = `?lot=${encodeURIComponent(lot)}`;
			const page = await look(query);
			expect([lot, page.status, page.headers.get("content-type")]).toEqual([lot, status, "text/html; charset=utf-8"]);
			expect(page.text).toContain(words);
			const json = await asJson(query);
			expect(json.status).toBe(status);
			if (state === null) expect(json.json.error.code).toBe("not_found");
			else expect(json.json.data).toMatchObject({ lot, state });
		}
		const page = await look("?lot=L-1");
		for (const fact of [
			"2026-08-20",
			"Lab &amp; Co",
			"99.12 %",
			"30 ml",
			"Glow &lt;b&gt;Serum",
			"Acme &lt;Makers&gt; &amp; Co",
		])
			expect(page.text).toContain(fact);
		const { items } = (await asJson("?lot=L-1")).json.data;
		expect(page.text).toContain(`href="${items[0].certificate_url}"`);
		expect((await look("?lot=L-3")).text).toContain('href="mailto:care@acme.example"');
		expect((await asJson("?lot=L-3")).json.data.items[0].certificate_url).toBe("");
	});

	it("forgives capitals, blanks, hyphens and dots where that leaves one answer, and an exact number comes first", async () => {
		for (const [typed, lot] of [
			["l-1", "L-1"],
			[" L 1 ", "L-1"],
			["L\u20111", "L-1"],
			["l.1", "L-1"],
			["E-1", "E-1"],
			["E.1", "E.1"],
			["sandbox", "SANDBOX"],
		] as const)
			expect([typed, (await asJson(`?lot=${encodeURIComponent(typed)}`)).json.data?.lot]).toEqual([typed, lot]);
		for (const typed of ["e1", "L-1-1", "L_1", "Ｌ-1"]) // two lots, none, none, none
			expect([typed, (await asJson(`?lot=${encodeURIComponent(typed)}`)).status]).toEqual([typed, 404]);
	});

	it("promises no more than a number can prove, and tells of a lot without a certificate only that it is ours", async () => {
		for (const lot of ["L-1", "L-2", "L-4"]) {
			const { text } = await look(`?lot=${lot}`);
			expect(text).toContain("anybody can copy one from a label");
			expect(text).not.toMatch(/genuine/i);
		}
		expect((await asJson("?lot=L-4")).json.data).toEqual({ lot: "L-4", state: "pending", items: [] });
		const sample = await look("?lot=SANDBOX");
		expect(sample.text).not.toContain("/coa/file/");
	});

	it("warns of a recall whatever the certificate says, until no lot of the number is recalled", async () => {
		const recall = (at: string) =>
			world.db.query(
				`update lot set recalled_at = ${at}, quarantined = available + quarantined, available = 0 where batch_number = 'L-1'`,
			);
		await recall("now()");
		expect((await asJson("?lot=L-1")).json.data.state).toBe("withdrawn");
		await recall("null");
		expect((await asJson("?lot=L-1")).json.data.state).toBe("current");
	});

	it("finds a number by its spelling in an index, however many lots and certificates there are", async () => {
		const rows = await transaction(world.db, async (tx) => {
			await tx.query("set local enable_seqscan = off");
			const { rows } = await tx.query<{ "QUERY PLAN": string }>(
				"explain select from lot where batch_spelling(batch_number) = batch_spelling('l1') order by batch_number limit 1",
			);
			return rows.map((row) => row["QUERY PLAN"]).join("\n");
		});
		expect(rows).toContain("lot_spelling");
		expect(rows).not.toContain("Sort");
	});

	it("is a form without a lot, and JSON says that one is missing", async () => {
		const form = await look("");
		expect([form.status, form.text.includes('<label for="lot">')]).toEqual([200, true]);
		expect((await asJson("")).json.error.code).toBe("invalid_input");
		expect((await look("?lot=")).status).toBe(400);
		expect((await look("?lot=a&lot=b")).status).toBe(400);
	});

	it("lets nothing of what it shows run: the page loads nothing, and no text of it is HTML", async () => {
		for (const lot of ['"><script>alert(1)</script>', "'><img src=x onerror=alert(1)>", "</title><script>"]) {
			const page = await look(`?lot=${encodeURIComponent(lot)}`);
			expect(page.text).not.toMatch(/<script|<img/i);
			expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
			expect(page.headers.get("x-content-type-options")).toBe("nosniff");
		}
	});

	it("may be read by a page of any origin, be it found, refused or the form; nothing with a key may", async () => {
		const origin = { origin: "https://shop.example" };
		const json = { ...origin, accept: "application/json" };
		const answers = [
			await look("", origin),
			await look("?lot=L-1", json),
			await look("?lot=L-9", json),
			await look("?lot=L-9", origin),
			await look("?lot=", json),
		];
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 400]);
		for (const { headers } of answers) {
			expect(headers.get("access-control-allow-origin")).toBe("*");
			expect(headers.get("access-control-expose-headers")).toBe("Link, Retry-After, X-Request-Id");
			expect(headers.has("access-control-allow-credentials")).toBe(false);
		}
		for (const other of ["/api/partner/v1/coa", "/api/partner/v1/coa/lot/L-1", "/coa/elsewhere"])
			expect((await world.ask(other, { headers: origin })).headers.has("access-control-allow-origin")).toBe(false);
	});

	it("serves 30 looks a minute from one address, and then asks it to wait, in words", async () => {
		const headers = { "x-forwarded-for": "203.0.113.77" };
		const answers = [];
		for (let n = 0; n < 31; n++) answers.push((await look("", headers)).status);
		expect(answers.filter((status) => status === 200)).toHaveLength(30);
		const refused = await look("?lot=L-1", headers);
		expect([refused.status, refused.text.includes("Too many lookups")]).toEqual([429, true]);
		expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
		const asked = await look("?lot=L-1", { ...headers, accept: "application/json" });
		expect(asked.json.error.code).toBe("rate_limited");
		expect(asked.headers.get("access-control-allow-origin")).toBe("*");
		expect((await look("?lot=L-1")).status).toBe(200);
	});

	it("answers a known lot no later than an unknown one", async () => {
		const times = async (lot: string): Promise<number> => {
			const taken = [];
			for (let n = 0; n < 15; n++) {
				const began = performance.now();
				await look(`?lot=${lot}`);
				taken.push(performance.now() - began);
			}
			return taken.toSorted((a, b) => a - b)[7] as number;
		};
		const [known, unknown] = [await times("L-1"), await times("L-9")];
		// both wait for the same moment; the remaining difference is far below that of a network
		expect(Math.abs(known - unknown)).toBeLessThan(40);
	});
});

/** The same PDF with a comment of 3 MiB: too large to be cached in memory. */
function padded(pdf: Buffer): Buffer {
	const end = pdf.lastIndexOf("startxref");
	return Buffer.concat([pdf.subarray(0, end), Buffer.from(`%${"x".repeat(3 * 1024 * 1024)}\n`), pdf.subarray(end)]);
}

describe("The PDF of a certificate", () => {
	const urlOf = async (lot: string): Promise<string> =>
		(await asJson(`?lot=${lot}`)).json.data.items[0].certificate_url;

	it("is served whole, with its digest, sandboxed, to be asked for again before it is shown", async () => {
		const url = await urlOf("L-1");
		const file = await world.ask(url);
		expect(file.bytes.equals(await pdfOf(slug, "L-1"))).toBe(true);
		const header = (name: string) => file.headers.get(name);
		expect(header("content-type")).toBe("application/pdf");
		expect(header("content-length")).toBe(String(file.bytes.length));
		expect(header("etag")).toBe(`"${url.split("/").at(-1)}"`);
		expect(header("x-content-type-options")).toBe("nosniff");
		expect(header("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
		expect(header("content-disposition")).toMatch(/^inline; filename="certificate-[0-9a-f]{12}\.pdf"$/);
		expect(header("cache-control")).toBe("public, no-cache");
		expect((await world.ask(`${url}?disposition=attachment`)).headers.get("content-disposition")).toMatch(
			/^attachment;/,
		);
		expect((await world.ask(url, { headers: { "if-none-match": header("etag") ?? "" } })).status).toBe(304);
		const head = await world.ask(url, { method: "HEAD" });
		expect([head.status, head.headers.get("content-length"), head.bytes.length]).toEqual([
			200,
			String(file.bytes.length),
			0,
		]);
	});

	it.each(["small", "large"])("is served in parts: a %s one", async (kind) => {
		if (kind === "large")
			await world.certify({ slug, batchNumber: "L-LARGE", pdf: padded(await pdfOf(slug, "large")) });
		const url = await urlOf(kind === "large" ? "L-LARGE" : "L-1");
		const whole = (await world.ask(url)).bytes;
		if (kind === "large") expect(whole.equals(padded(await pdfOf(slug, "large")))).toBe(true);
		const size = whole.length;
		const etag = `"${url.split("/").at(-1)}"`;
		for (const [range, first, last] of [
			["bytes=0-9", 0, 9],
			["bytes=10-", 10, size - 1],
			["bytes=-7", size - 7, size - 1],
			[`bytes=5-${size + 100}`, 5, size - 1],
		] as const) {
			const part = await world.ask(url, { headers: { range, "if-range": etag } });
			expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${first}-${last}/${size}`]);
			expect(part.bytes.equals(whole.subarray(first, last + 1))).toBe(true);
			expect(part.headers.get("etag")).toBe(etag);
		}
		for (const range of ["bytes=9-1", "bytes=-", "bytes=0-1,4-5", "lines=1-2", `bytes=${size}-`, "bytes=1.5-2"]) {
			const part = await world.ask(url, { headers: { range } });
			expect([range, part.status, part.bytes.length]).toEqual([range, 200, size]);
		}
		const changed = await world.ask(url, { headers: { range: "bytes=0-9", "if-range": '"other"' } });
		expect(changed.status).toBe(200);
	});

	it("is gone at once when its certificate is retired or gets another PDF; nobody sees that of a draft", async () => {
		await world.certify({ slug, batchNumber: "G-1" });
		const first = await urlOf("G-1");
		await world.certify({ slug, batchNumber: "G-1", pdf: await pdfOf(slug, "G-1 again") });
		const second = await urlOf("G-1");
		expect(second).not.toBe(first);
		expect((await world.ask(first)).json.error.code).toBe("gone");
		expect((await world.ask(second)).bytes.equals(await pdfOf(slug, "G-1 again"))).toBe(true);
		await world.set(slug, "G-1", "archived");
		expect((await world.ask(second)).status).toBe(200);
		await world.set(slug, "G-1", "retired");
		expect((await world.ask(second)).json.error.code).toBe("gone");
		expect((await world.ask(second, { headers: { range: "bytes=0-9", "if-none-match": "*" } })).status).toBe(410);
		const { rows } = await world.db.query<{ id: string; digest: string }>(
			"select certificate_id as id, encode(file_digest, 'hex') as digest from certificate where batch_number = 'L-4'",
		);
		expect((await world.ask(`/coa/file/${rows[0]?.id}/${rows[0]?.digest}`)).json.error.code).toBe("not_found");
	});
});

describe("The same key at both addresses", () => {
	it("draws on one budget", async () => {
		const { token: slow } = await world.key({ requestsPerMinute: 2 });
		expect((await world.ask("/api/partner/v1/coa", { token: slow })).headers.get("ratelimit")).toMatch(/^"key";r=1;/);
		expect(
			(await fetch(`http://127.0.0.1:${world.port}/api/v1/products`, { headers: { authorization: `Bearer ${slow}` } }))
				.status,
		).toBe(200);
		expect((await world.ask("/api/partner/v1/coa", { token: slow })).json.error.code).toBe("rate_limited");
	});

	it("revoked, is refused within a second", async () => {
		const { token: other, pk } = await world.key();
		expect((await world.ask("/api/partner/v1/coa", { token: other })).status).toBe(200);
		const { revokeKey } = await import("../../src/partners/keys/suspend-key.ts");
		const { transaction } = await import("../../src/ground/pg/transaction.ts");
		await transaction(world.db, (tx) => revokeKey(tx, pk));
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		expect((await world.ask("/api/partner/v1/coa", { token: other })).json.error.code).toBe("unauthorized");
	});

	it("of a read-only partner works here, and at no other operation of the partner API than its own", async () => {
		const { PRESETS } = await import("../../src/partners/keys/scopes.ts");
		const { PARTNER_OPERATIONS } = await import("../../src/assembly/surfaces.ts");
		const { token: reader } = await world.key({ scopes: PRESETS.read_only });
		expect((await world.ask("/api/partner/v1/coa", { token: reader })).status).toBe(200);
		expect((await world.ask("/api/partner/v1/coa/lot/L-1", { token: reader })).status).toBe(200);
		for (const operation of PARTNER_OPERATIONS) {
			if (operation.scope === null) continue;
			if (operation.path.startsWith("/api/v1/sandbox/")) continue; // not for live keys, whatever their scopes
			const allowed = (PRESETS.read_only as readonly string[]).includes(operation.scope);
			const headers = { "idempotency-key": "k" };
			const { status } = await world.send(operation, reader, operation.examples.request, { headers });
			expect([operation.id, status === 403]).toEqual([operation.id, !allowed]);
		}
	});
});
