/**
 * Certificates for the operators' work: of a product of their own, whose lots are past their date, so that no count is
 * affected.
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Knowledge } from "../../knowledge.ts";
import { CERTIFICATES } from "./workload.ts";

/** Lots, each with its own certificate, because a retired certificate does not come back. */
const LOTS = 80;
const PRODUCT = "lab-product";
/** Archived, so that partners see no product made of it. */
const FORMULA = "CERTIFIED";

type RunCommand = (args: readonly string[]) => Promise<unknown>;

/** Imports the lots and a folder with a certificate for each of them. */
export async function furnishCertificates(folder: string, run: RunCommand, knows: Knowledge): Promise<void> {
	const batches = Array.from({ length: LOTS }, (_, at) => `C-${at + 1}`);
	const world = path.join(folder, "certificates-world.json");
	const lot = { formula: FORMULA, brand_code: null, units: 10, expires_on: "2020-01-31", received_on: "2019-01-01" };
	const document = {
		products: [{ slug: PRODUCT, name: "Lab product" }],
		formulas: [{ code: FORMULA, name: FORMULA, status: "archived" }],
		skus: [
			{ sku: FORMULA, name: FORMULA, product: PRODUCT, kind: "single", components: [{ formula: FORMULA, per_kit: 1 }] },
		],
		lots: batches.map((batch_number) => ({ ...lot, batch_number })),
	};
	await writeFile(world, JSON.stringify(document));
	const { lots } = (await run(["import", world, "--json"])) as { lots: { batch_number: string; fg_id: string }[] };
	const inbox = path.join(folder, "certificates");
	await mkdir(inbox);
	const rows = batches.map(
		(batch, at) => `${PRODUCT},,${batch},,,,,${at % 2 === 0 ? "current" : "archived"},${batch}.pdf`,
	);
	const head = "product_slug,product_name,batch_number,vial_size,tested_on,lab_name,purity_pct,status,file";
	await writeFile(path.join(inbox, "certificates.csv"), [head, ...rows, ""].join("\r\n"));
	for (const batch of batches) await writeFile(path.join(inbox, `${batch}.pdf`), pdfOf(batch));
	await run(["coa", "import", inbox, "--json"]);
	for (const { batch_number: batch, fg_id: fgId } of lots)
		knows.of(CERTIFICATES).standing.push({ product: PRODUCT, batch, fgId });
}

/** A minimal PDF. */
function pdfOf(text: string): string {
	const body = `%PDF-1.4\n% ${text}\n1 0 obj\n<< /Type /Catalog >>\nendobj\n`;
	return `${body}xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 1 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}
