import { type Count, isKnown } from "@holdfast/partner";
import type { Certificates } from "@holdfast/partner/mirror";
import { PRODUCTS, type Product } from "./catalogue.ts";
import type { Shop } from "./shop.ts";

/** What is known about a product now. Pages and /status.json show this and nothing else. */
export interface Known {
	readonly product: Product;
	readonly count: Count;
	readonly certificates: Certificates;
}

export const knownOf = ({ inventory, certificates }: Shop, product: Product): Known => ({
	product,
	count: inventory.count(product.id),
	certificates: certificates.current(product.slug),
});

/** What the pages show, in the format that a go-live run reads. */
export const statusOf = (shop: Shop): object => ({
	items: PRODUCTS.map((product) => {
		const { count, certificates } = knownOf(shop, product);
		return {
			sku: product.sku,
			shown_qty: isKnown(count) ? count.qty : null,
			hidden: count.kind === "unknown",
			coa_url: (certificates.kind === "known" && certificates.items[0]?.certificateUrl) || null,
		};
	}),
});
