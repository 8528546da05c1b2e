import type { Query } from "../../ground/pg/connect.ts";
import type { FileStore } from "../../inventory/certificates/file-store.ts";
import type { CertificateEntry } from "../../inventory/certificates/plan.ts";
import { putCertificatesIn } from "../../inventory/certificates/put-certificates.ts";
import { drawSamplePdf } from "../../inventory/certificates/sample-pdf.ts";
import { type StatusLinks, setStatusIn } from "../../inventory/certificates/set-status.ts";
import { selectProductsWithoutSample } from "./sql.ts";
import { SANDBOX_BATCH } from "./test-skus.ts";

const ACTOR = "system:sandbox";
/** A batch whose certificate is withdrawn, so that partners can see that case. */
const WITHDRAWN_BATCH = "SANDBOX-WITHDRAWN";
const WITHDRAWN = { actor: ACTOR, reason: "a sample of a withdrawn certificate" } as const;
const TESTED_ON = "2026-08-20";
const LAB = "Sample Laboratory";
const PURITY_PCT = 99.1;

/**
 * Creates the missing sample certificates of the sandbox's products, within the caller's transaction, which must end
 * right afterwards. Returns how many. Concurrent calls are harmless.
 */
export async function putSamplesIn(tx: Query, files: FileStore, links: StatusLinks): Promise<number> {
	const products = await selectProductsWithoutSample(tx, SANDBOX_BATCH);
	if (products.length === 0) return 0;
	const entries: CertificateEntry[] = [];
	for (const product of products) {
		entries.push(await putSample(files, product, { batchNumber: SANDBOX_BATCH, testedOn: TESTED_ON }));
	}
	const [first] = entries;
	if (first !== undefined) entries.push({ ...first, batchNumber: WITHDRAWN_BATCH });
	const answer = await putCertificatesIn(tx, entries, { actor: ACTOR });
	if (first !== undefined)
		await setStatusIn(tx, links, { slug: first.slug, batchNumber: WITHDRAWN_BATCH }, "retired", WITHDRAWN);
	return "plans" in answer ? answer.plans.filter(({ what }) => what === "created").length : 0;
}

/** Draws and stores the PDF of a sample certificate. Returns the certificate's entry. */
export async function putSample(
	files: FileStore,
	{ slug, name }: { readonly slug: string; readonly name: string },
	batch: { readonly batchNumber: string; readonly testedOn: string },
): Promise<CertificateEntry> {
	const facts = { ...batch, labName: LAB, purityPct: PURITY_PCT };
	const bytes = await drawSamplePdf({ productName: name, ...facts });
	const digest = await files.put(bytes);
	return { slug, vialSize: null, ...facts, status: "current", digest, size: bytes.length };
}
