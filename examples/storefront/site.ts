import { randomUUID } from "node:crypto";
import { saleOf } from "./book.ts";
import { type Lines, linesOf, PRODUCTS, productOf } from "./catalogue.ts";
import { finish } from "./checkout.ts";
import { cancel } from "./orders.ts";
import { cartPage, customerIn } from "./pages/cart.ts";
import { type Html, notice } from "./pages/html.ts";
import { orderPage } from "./pages/order.ts";
import { frontPage, MOST, productPage } from "./pages/product.ts";
import { CARDS, type Card } from "./payments.ts";
import type { Shop } from "./shop.ts";
import { knownOf, statusOf } from "./status.ts";

export interface Visit {
	readonly method: string;
	readonly path: string;
	/** The id of the visitor's cart; empty: none. */
	readonly cart: string;
	readonly form: URLSearchParams;
}

export interface Answer {
	readonly status?: number;
	readonly type?: string;
	readonly body?: string;
	/** The visitor is sent there. */
	readonly location?: string;
	/** The id of the visitor's cart from now on. */
	readonly cookie?: string;
}

type Handler = (shop: Shop, visit: Visit, id: string) => Answer | Promise<Answer>;

const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
	["GET", /^\/$/, (shop) => shows(frontPage(PRODUCTS.map((product) => knownOf(shop, product))))],
	["GET", /^\/products\/([\w-]+)$/, showProduct],
	["GET", /^\/cart$/, showCart],
	["POST", /^\/cart$/, changeCart],
	["POST", /^\/checkout$/, checkOut],
	["GET", /^\/orders\/([\w-]+)$/, showOrder],
	["POST", /^\/orders\/([\w-]+)\/cancel$/, cancelOrder],
	["GET", /^\/status\.json$/, (shop) => ({ type: "application/json", body: JSON.stringify(statusOf(shop)) })],
];

export async function answerTo(shop: Shop, visit: Visit): Promise<Answer> {
	for (const [method, path, handler] of ROUTES) {
		const found = method === visit.method ? path.exec(visit.path) : null;
		if (found !== null) return await handler(shop, visit, found[1] ?? "");
	}
	return notFound();
}

const shows = (page: Html, status = 200): Answer => ({ status, body: page.text });
const notFound = (): Answer => shows(notice("Not found", "There is no such page."), 404);

function showProduct(shop: Shop, { cart }: Visit, id: string): Answer {
	const product = productOf(id);
	const qty = shop.book.value.carts[cart]?.lines[id] ?? 0;
	return product === undefined ? notFound() : shows(productPage(knownOf(shop, product), qty));
}

function showCart(shop: Shop, { cart }: Visit): Answer {
	const { lines = {}, problem = "" } = shop.book.value.carts[cart] ?? {};
	const known = linesOf(lines).map(({ product }) => knownOf(shop, product));
	return shows(cartPage(lines, known, problem));
}

/** Sets a quantity, so that a repeat changes nothing. */
async function changeCart({ book }: Shop, { cart, form }: Visit): Promise<Answer> {
	const product = productOf(form.get("product") ?? "");
	const qty = Number(form.get("qty"));
	if (product === undefined || !Number.isInteger(qty) || qty < 0 || qty > MOST) return notFound();
	const before = book.value.carts[cart];
	const id = before === undefined ? randomUUID() : cart; // the id of a cart that was sold is used up
	const lines: Lines = { ...before?.lines, [product.id]: qty };
	await book.change(({ carts }) => (carts[id] = { lines, problem: "" }));
	return { location: "/cart", cookie: id };
}

/** Makes the cart a sale, and finishes it. A second click finds the sale of the first. */
async function checkOut(shop: Shop, { form, cart: id }: Visit): Promise<Answer> {
	const { book } = shop;
	const lines = book.value.carts[id]?.lines ?? {};
	if (linesOf(lines).length > 0) {
		const isUnknown = linesOf(lines).some(({ product }) => knownOf(shop, product).count.kind === "unknown");
		if (isUnknown) return { location: "/cart" };
		const customer = customerIn(form);
		const card = form.get("card") ?? "";
		if (customer === null || !isCard(card)) return shows(notice("Not complete", "Please fill in every field."), 422);
		await book.change(({ carts, sales }) => {
			delete carts[id];
			sales[id] = { id, lines, customer, card, state: "paying", order: null, parcels: {} };
		});
	}
	const sale = saleOf(book, id);
	if (sale?.state === "paying") await finish(shop, sale);
	return { location: saleOf(book, id) === undefined ? "/cart" : `/orders/${id}` };
}

const isCard = (text: string): text is Card => Object.hasOwn(CARDS, text);

async function showOrder({ book, payments }: Shop, _visit: Visit, id: string): Promise<Answer> {
	const sale = saleOf(book, id);
	return sale === undefined ? notFound() : shows(orderPage(sale, await payments.find(id)));
}

async function cancelOrder(shop: Shop, _visit: Visit, id: string): Promise<Answer> {
	const sale = saleOf(shop.book, id);
	if (sale?.state === "ordered") await cancel(shop, sale);
	return { location: `/orders/${id}` };
}
