import type { Client } from "./client.ts";
import type { Wrong } from "./wrong.ts";

/** Certificates of one page: so few that the log keeps the whole reply. */
const PAGE = 20;

/** What a shop reads about a product: its slug, and the batch of its latest certificate. */
export interface Listed {
	readonly slug: string | null;
	readonly batch: string | null;
}

/** The PDF of a certificate, and when the certificate changed last. */
interface Document {
	readonly url: string;
	readonly at: string;
}

/** The certificates that a shop's pages link to. */
export interface Certificates {
	/** Follows the feed from where it ended. */
	follow(): Promise<void>;
	/** Writes the links of its pages anew. */
	link(bySku: ReadonlyMap<string, Listed>): void;
	/** The document that the page of a SKU links to; null: none. */
	linked(sku: string): string | null;
}

export function openCertificates(client: Client, coa: string, wrong: Wrong | null): Certificates {
	/** The documents of each product by batch, without those that were withdrawn. */
	const documents = new Map<string | null, Map<string | null, Document>>();
	const pages = new Map<string, Document>();
	let cursor: string | null = null;
	return {
		async follow() {
			const status = wrong === "forgets-the-tombstone" ? "" : "&status=all";
			for (let more = true; more; ) {
				const from = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
				const url = `${coa}/api/partner/v1/coa?limit=${PAGE}${status}${from}`;
				const reply = await client.ask({ method: "GET", url });
				if (reply.status !== 200) return;
				for (const { product, batch_number, status: now, certificate_url, updated_at } of reply.data.items) {
					const ofProduct = documents.get(product.slug) ?? new Map<string | null, Document>();
					if (now === "retired") ofProduct.delete(batch_number);
					else ofProduct.set(batch_number, { url: certificate_url, at: updated_at });
					documents.set(product.slug, ofProduct);
				}
				cursor = reply.data.next_cursor;
				more = reply.data.has_more;
			}
		},
		link(bySku) {
			for (const [sku, { slug, batch }] of bySku) {
				const ofProduct = documents.get(slug);
				const document = ofProduct?.get(batch) ?? [...(ofProduct?.values() ?? [])].at(-1);
				// a page that takes down a document only when there is a newer one keeps one that was withdrawn
				if (wrong === "keeps-a-retired-pdf" && !(document && document.at > (pages.get(sku)?.at ?? ""))) continue;
				if (document === undefined) pages.delete(sku);
				else pages.set(sku, document);
			}
		},
		linked: (sku) => pages.get(sku)?.url ?? null,
	};
}
