import { type Customer, checkCustomer } from "@holdfast/partner";
import { type Lines, linesOf, priceOf, totalOf } from "../catalogue.ts";
import { CARDS } from "../payments.ts";
import type { Known } from "../status.ts";
import { type Html, html, page } from "./html.ts";
import { stockOf } from "./product.ts";

/** Name, label and `autocomplete` of each field. This shop ships within the United States. */
const FIELDS = [
	["name", "Name", "name"],
	["line1", "Street and number", "address-line1"],
	["city", "City", "address-level2"],
	["state", "State", "address-level1"],
	["postalCode", "Postal code", "postal-code"],
] as const;

/**
 * The customer in a form; null: a field is empty or too long. Checked before the payment, because a refusal after it
 * costs a refund.
 */
export function customerIn(form: URLSearchParams): Customer | null {
	const [name = "", line1 = "", city = "", state = "", postalCode = ""] = FIELDS.map(([name]) =>
		form.get(name)?.trim(),
	);
	if ([name, line1, city, state, postalCode].includes("")) return null;
	const customer = { name, shipTo: { line1, city, state, postalCode, country: "US" } };
	try {
		checkCustomer(customer);
		return customer;
	} catch {
		return null;
	}
}

/** `problem`: why the last checkout did not succeed. */
export function cartPage(lines: Lines, known: readonly Known[], problem: string): Html {
	if (known.length === 0) return page("Cart", html`<p>Your cart is empty.</p>`);
	const isUnknown = known.some(({ count }) => count.kind === "unknown");
	return page(
		"Cart",
		html`${problem !== "" && html`<p role="alert">${problem}</p>`}
<ul>${linesOf(lines).map(
			({ product: { id, name, cents }, qty }, at) => html`
<li>${qty} × <a href="/products/${id}">${name}</a>: ${priceOf(qty * cents)}. ${known[at] && stockOf(known[at].count)}</li>`,
		)}</ul>
<p>Total ${priceOf(totalOf(lines))}</p>
<h2>Checkout</h2>
${isUnknown ? html`<p>At the moment we cannot take orders, because we do not know what is in stock. Your cart has been kept.</p>` : checkoutForm()}`,
	);
}

const checkoutForm = (): Html => html`<form class="fields" method="post" action="/checkout">${FIELDS.map(
	([name, label, autocomplete]) => html`
<label for="${name}">${label}</label> <input id="${name}" name="${name}" autocomplete="${autocomplete}" required>`,
)}
<label for="card">Card (nothing is really charged)</label>
<select id="card" name="card">${Object.entries(CARDS).map(([card, text]) => html`<option value="${card}">${text}</option>`)}</select>
<button>Pay and order</button></form>`;
