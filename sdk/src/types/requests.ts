import type { Pair } from "./pair.ts";

/** Mistakes with requests, lists and the client itself. */
export const REQUESTS: readonly Pair[] = [
	{
		mistake: "a client has no key",
		error: 2345,
		wrong: 'export const client = new Holdfast({ baseUrl: "https://api.example" });',
		right: 'export const client = new Holdfast({ baseUrl: "https://api.example", token: "pk_…:sk_…" });',
	},
	{
		mistake: "the key may be missing from the environment",
		error: 2345,
		wrong: 'export const client = new Holdfast({ baseUrl: "https://api.example", token: process.env.HOLDFAST_TOKEN });',
		right: `const { HOLDFAST_TOKEN: token } = process.env;
if (token === undefined) throw new Error("HOLDFAST_TOKEN is not set.");
export const client = new Holdfast({ baseUrl: "https://api.example", token });`,
	},
	{
		mistake: "a member is spelt as the contract spells it",
		error: 2561,
		wrong: 'export const hold = await holdfast.reserve({ items: cart.items, external_ref: "cart-1" });',
		right: 'export const hold = await holdfast.reserve({ items: cart.items, externalRef: "cart-1" });',
	},
	{
		mistake: "a reply is read as the contract spells it",
		error: 2551,
		wrong: "export const end = (await holdfast.reserve(cart)).expires_at;",
		right: "export const end = (await holdfast.reserve(cart)).expiresAt;",
	},
	{
		mistake: "a time is taken for a text",
		error: 2345,
		wrong: "export const end = Date.parse((await holdfast.reserve(cart)).expiresAt);",
		right: "export const end = (await holdfast.reserve(cart)).expiresAt.getTime();",
	},
	{
		mistake: "a line has no quantity",
		error: 2741,
		wrong: 'export const lines = await holdfast.check([{ sku: "A" }]);',
		right: 'export const lines = await holdfast.check([{ sku: "A", qty: 1 }]);',
	},
	{
		mistake: "the one line of a check is no list",
		error: 2353,
		wrong: 'export const lines = await holdfast.check({ sku: "A", qty: 1 });',
		right: 'export const lines = await holdfast.check([{ sku: "A", qty: 1 }]);',
	},
	{
		mistake: "a list is awaited as if it were an array",
		error: 2339,
		wrong: "export const { length } = await holdfast.products.list();",
		right: "export const { length } = await Array.fromAsync(holdfast.products.list());",
	},
	{
		mistake: "a list is iterated without waiting",
		error: 2488,
		wrong: "for (const { sku } of holdfast.products.list()) console.log(sku);\nexport {};",
		right: "for await (const { sku } of holdfast.products.list()) console.log(sku);\nexport {};",
	},
	{
		mistake: "a filter has a word that the service does not know",
		error: 2820,
		wrong: 'export const boxes = holdfast.shipments.list({ status: "shiped" });',
		right: 'export const boxes = holdfast.shipments.list({ status: "shipped" });',
	},
	{
		mistake: "the feed of certificates is asked for withdrawn ones by a wrong word",
		error: 2322,
		wrong: 'export const feed = holdfast.coa.list({ status: "withdrawn" });',
		right: 'export const feed = holdfast.coa.list({ status: "all" });',
	},
	{
		mistake: "a page that may be unchanged is read as if it had been sent",
		error: 18047,
		wrong: `const reply = await holdfast.raw.products.list({}, { etag: 'W/"1"' });
export const items = reply.data.items;`,
		right: `const reply = await holdfast.raw.products.list({}, { etag: 'W/"1"' });
export const items = reply.data?.items;`,
	},
	{
		mistake: "a hold is moved to where only an order can be",
		error: 2769,
		wrong: 'export const moved = await holdfast.sandbox.advance({ token: "t", to: "picked" });',
		right: 'export const moved = await holdfast.sandbox.advance({ token: "t", to: "expired" });',
	},
	{
		mistake: "an order is cancelled with a bare reason",
		error: 2559,
		wrong: 'export const order = await holdfast.orders.cancel("cart-1", "changed their mind");',
		right: 'export const order = await holdfast.orders.cancel("cart-1", { reason: "changed their mind" });',
	},
];
