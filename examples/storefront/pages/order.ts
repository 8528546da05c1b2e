import type { Sale } from "../book.ts";
import { linesOf, priceOf, totalOf } from "../catalogue.ts";
import type { PaymentState } from "../payments.ts";
import { type Html, html, page } from "./html.ts";

const TITLES: Readonly<Record<Sale["state"], string>> = {
	paying: "Your order is in progress",
	ordered: "Thank you for your order",
	refunded: "Your order could not be placed",
};
const STATUSES: Readonly<Record<string, string>> = {
	placed: "Received",
	held: "On hold: we are looking into it",
	picked: "Packed",
	partially_shipped: "Partly shipped",
	shipped: "Shipped",
	cancelled: "Cancelled",
};

export function orderPage({ id, state, lines, order, parcels }: Sale, payment: PaymentState | null): Html {
	const status = order?.status ?? "placed";
	const isOpen = status === "placed" || status === "held";
	return page(
		TITLES[state],
		html`<p>Number ${id}</p>
<ul>${linesOf(lines).map(({ product, qty }) => html`<li>${qty} × ${product.name}</li>`)}</ul>
<p>Total ${priceOf(totalOf(lines))}. ${payment === "paid" && "Paid."}${payment === "refunded" && "Your payment was returned."}</p>
${state === "paying" && html`<p>We are still working on it, and you will not be charged twice. <a href="/orders/${id}">Look again</a> in a few minutes.</p>`}
${
	state === "ordered" &&
	html`<p class="status">${STATUSES[status] ?? status}</p>
<ul>${Object.values(parcels).map(
		({ trackingNumber, trackingUrl }) => html`
<li>Parcel ${trackingUrl === null ? trackingNumber : html`<a href="${trackingUrl}">${trackingNumber}</a>`}</li>`,
	)}</ul>
${isOpen && html`<form method="post" action="/orders/${id}/cancel"><button>Cancel the order</button></form>`}`
}`,
	);
}
