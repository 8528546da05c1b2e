import { adviceOn } from "../../ground/lib/nearest.ts";
import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { noSuch } from "../catalog/find-shelf.ts";
import { noCertificateOf } from "./certificate.ts";
import { type CertificateName, selectProductNames } from "./change-sql.ts";
import { listCertificates, type ShownCertificate, selectSpelledBatches } from "./list-certificates-sql.ts";

/** The certificate of a product and a batch: the one that is not retired, or else the last one retired. */
export async function findCertificate(
	db: Query,
	name: CertificateName,
): Promise<ShownCertificate | Refusal<"not_found">> {
	const { items } = await listCertificates(db, { slug: name.slug, batchNumbers: [name.batchNumber] }, 1);
	return items[0] ?? noCertificateOf(name);
}

/** The certificates of these batches that are not retired, batch by batch. Every batch must have one. */
export async function findToPrint(
	db: Query,
	batches: readonly string[],
	most: number,
): Promise<readonly ShownCertificate[] | Refusal<"not_found">> {
	const { items } = await listCertificates(db, { batchNumbers: batches }, most);
	const byBatch = Map.groupBy(
		items.filter(({ status }) => status !== "retired"),
		({ batchNumber }) => batchNumber,
	);
	const without = batches.find((batch) => !byBatch.has(batch));
	if (without !== undefined)
		return refuse("not_found", `Batch ${JSON.stringify(without)} has no certificate, or only a retired one.`);
	return batches.flatMap((batch) => byBatch.get(batch) ?? []);
}

/** Refuses a batch without a certificate, suggesting a batch number that is nearly the same, if any. */
export async function refuseUnknownBatch(db: Query, batchNumber: string): Promise<Refusal<"not_found">> {
	const others = await selectSpelledBatches(db, batchNumber);
	const advice = others.length === 0 ? "." : `: ${adviceOn(batchNumber, others, "")}`;
	return refuse("not_found", `There is no certificate of batch ${JSON.stringify(batchNumber)}${advice}`);
}

/** Refuses a product that does not exist, suggesting one of nearly the same name, if any. */
export async function refuseUnknownProduct(db: Query, slug: string): Promise<Refusal<"not_found"> | null> {
	const names = await selectProductNames(db, [slug]);
	return names.has(slug) ? null : refuse("not_found", await noSuch(db, "products", slug));
}
