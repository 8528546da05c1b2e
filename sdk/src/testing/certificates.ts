import { PassThrough } from "node:stream";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { environmentOfSlug } from "../../../service/src/inventory/catalog/sku.ts";
import { wrongMove } from "../../../service/src/inventory/certificates/certificate.ts";
import { digestOf } from "../../../service/src/inventory/certificates/digest.ts";
import type { FileStore } from "../../../service/src/inventory/certificates/file-store.ts";
import { SANDBOX_BATCH, sandboxCatalog } from "../../../service/src/upkeep/sandbox/test-skus.ts";
import type { Rows, StoredCertificate } from "./rows.ts";
import type { CertificateOptions } from "./types.ts";

/**
 * Creates the certificate of a product and batch, or changes its status. Returns it if anything changed. `now`:
 * milliseconds since 1970.
 */
export function putCertificate(rows: Rows, asked: CertificateOptions, now: number): StoredCertificate | null {
	const { slug, batchNumber, status = "current" } = asked;
	const known = [...rows.certificates.values()].find((one) => one.slug === slug && one.batchNumber === batchNumber);
	if (known !== undefined) {
		if (known.status === status) return null;
		const wrong = wrongMove(known.status, status, false);
		if (wrong !== null) throw new Error(wrong.message);
		return write(rows, { ...known, status }, now);
	}
	const { productName = slug, vialSize = null, testedOn = null, labName = null, purityPct = null } = asked;
	const pdf = pdfOf(`${productName}, batch ${batchNumber}`);
	const facts = { slug, batchNumber, productName, vialSize, testedOn, labName, purityPct };
	const environment = environmentOfSlug(slug);
	return write(
		rows,
		{ ...facts, certificateId: newId(), status, digest: digestOf(pdf), pdf, environment, publishedAt: null },
		now,
	);
}

function write(rows: Rows, one: Omit<StoredCertificate, "version" | "updatedAt">, now: number): StoredCertificate {
	const publishedAt = one.status === "current" ? now : one.publishedAt;
	const version = rows.certificateNumbers.take(now);
	const written = { ...one, publishedAt, version, updatedAt: now };
	rows.certificates.set(one.certificateId, written);
	return written;
}

/** The samples of the sandbox's products, one of them withdrawn, as the service makes them at its first start. */
export function putSampleCertificates(rows: Rows, now: number): void {
	const facts = { testedOn: "2026-08-20", labName: "Sample Laboratory", purityPct: 99.1 };
	const products = sandboxCatalog().products.toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
	for (const { slug, name: productName } of products)
		putCertificate(rows, { slug, productName, batchNumber: SANDBOX_BATCH, ...facts }, now);
	const [first] = products;
	if (first === undefined) return;
	const withdrawn = { slug: first.slug, productName: first.name, batchNumber: "SANDBOX-WITHDRAWN", ...facts };
	putCertificate(rows, withdrawn, now);
	putCertificate(rows, { ...withdrawn, status: "retired" }, now);
}

/** The smallest PDF with one line of text. */
function pdfOf(text: string): Buffer {
	const line = `BT /F1 12 Tf 72 720 Td (${text.replace(/[^ -~]|[()\\]/g, "?")}) Tj ET`;
	const objects = [
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		`<< /Length ${line.length} >>\nstream\n${line}\nendstream`,
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	];
	let pdf = "%PDF-1.4\n";
	const places = objects.map((object, index) => {
		const place = pdf.length;
		pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
		return `${String(place).padStart(10, "0")} 00000 n \n`;
	});
	const start = pdf.length;
	pdf += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
	return Buffer.from(`${pdf}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
}

/** The PDFs of the certificates. */
export const createFileStore = (rows: Rows): FileStore => ({
	put: async (bytes) => digestOf(bytes),
	async open(digest, _size, range) {
		const found = [...rows.certificates.values()].find((one) => one.digest === digest);
		if (found === undefined) return null;
		const part = range === undefined ? found.pdf : found.pdf.subarray(range.first, range.last + 1);
		return new PassThrough().end(part);
	},
	remove: async () => undefined,
	close: () => undefined,
});
