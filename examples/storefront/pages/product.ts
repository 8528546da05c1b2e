import { type Count, isKnown, shown } from "@holdfast/partner";
import type { Certificates } from "@holdfast/partner/mirror";
import { priceOf } from "../catalogue.ts";
import type { Known } from "../status.ts";
import { type Html, html, page } from "./html.ts";

/** Maximum number of kits of one product in a cart. */
export const MOST = 99;

/** A count in words. One that is unknown is neither a number nor "sold out". */
export function stockOf(count: Count): string {
	if (isKnown(count)) return count.qty === 0 ? "Sold out" : `${count.qty} in stock`;
	return shown(count, { unknown: "At the moment we cannot say whether this is in stock.", untracked: "Available" });
}

export const frontPage = (products: readonly Known[]): Html =>
	page(
		"Products",
		html`<ul class="products">${products.map(
			({ product: { id, name, cents }, count }) => html`
<li><a href="/products/${id}">${name}</a> <span>${priceOf(cents)}</span> <span>${stockOf(count)}</span></li>`,
		)}</ul>`,
	);

export function productPage({ product: { id, name, cents }, count, certificates }: Known, inCart: number): Html {
	const isForSale = isKnown(count) ? count.qty > 0 : count.kind === "untracked";
	return page(
		name,
		html`<p>${priceOf(cents)}</p>
<p class="stock">${stockOf(count)}</p>
${
	isForSale &&
	html`<form method="post" action="/cart"><input type="hidden" name="product" value="${id}">
<label for="qty">Quantity</label> <input id="qty" name="qty" type="number" min="0" max="${MOST}" value="${inCart || 1}">
<button>${inCart > 0 ? "Update cart" : "Add to cart"}</button></form>`
}
<h2>Certificates</h2>
${certificatesOf(certificates)}`,
	);
}

/** "Unknown" is not "none": a certificate that cannot be asked for may have been withdrawn. */
function certificatesOf(certificates: Certificates): Html {
	if (certificates.kind === "unknown") return html`<p>At the moment we cannot show certificates.</p>`;
	if (certificates.items.length === 0) return html`<p>There is no certificate of this product.</p>`;
	return html`<ul class="certificates">${certificates.items.map(
		({ batchNumber, labName, certificateUrl, verifyUrl }) => html`
<li><a href="${certificateUrl}">Certificate of batch ${batchNumber} (PDF)</a>${labName !== null && ` by ${labName}`},
<a href="${verifyUrl}">check batch ${batchNumber}</a></li>`,
	)}</ul>`;
}
