import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { chance } from "./chance.ts";
import type { Report } from "./report.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "holdfast-replay-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** This number of invoices of a small shop, every tenth a cancellation. */
function shopOf(invoices: number): string {
	const lines = ["InvoiceNo,StockCode,Description,Quantity,InvoiceDate,CustomerID,Country"];
	const upTo = (most: number, what: string): number => 1 + Math.floor(chance(1, what) * most);
	for (let i = 0; i < invoices; i += 1) {
		const isBack = i % 10 === 9;
		const customer = i % 7 === 0 ? "" : String(100 + upTo(9, `customer ${i}`));
		const country = Number(customer) % 3 === 0 ? "France" : "United Kingdom";
		for (let line = 0; line < upTo(8, `lines ${i}`); line += 1) {
			const code = 10_000 + upTo(60, `code ${i} ${line}`);
			const quantity = upTo(12, `quantity ${i} ${line}`) * (isBack ? -1 : 1);
			const at = `2010-12-${String(1 + Math.floor(i / 10)).padStart(2, "0")}T08:00`;
			lines.push(`${isBack ? "C" : ""}${i},${code},THING ${code},${quantity},${at},${customer},${country}`);
		}
	}
	const file = join(folder, "shop.csv.gz");
	writeFileSync(file, gzipSync(lines.join("\n")));
	return file;
}

test("a small shop's orders are placed, shipped and recalled, and every count, event and row of a list is right", async () => {
	const args = [MAIN, shopOf(150), "--fulfil", "--fast", "--json", "--seed", "7"];
	const text = await new Promise<string>((done) => {
		execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (_error, stdout, stderr) => done(stdout || stderr));
	});
	const report = JSON.parse(text) as Report;
	expect(report.wrong_answers_shown).toEqual([]);
	expect(report.differences_shown).toEqual([]);
	expect(report).toMatchObject({ wrong_answers: 0, differences: 0, verify: "clean", ok: true });
	expect(report.orders?.placed).toBeGreaterThan(50);
	expect(report.orders?.shipped_whole).toBeGreaterThan(30);
	expect(report.orders?.events["order.shipped"]).toBeGreaterThan(30);
	expect(report.orders?.readers.filter(({ rows, in_tables }) => rows === 0 || rows !== in_tables)).toEqual([]);
});
