import type { Pair } from "./pair.ts";

const PLACED = "export const order = await holdfast.withHold(cart, async (hold) => hold.place({ customer }));";

/** Mistakes with holds: a charge without one, and one that is forgotten. */
export const SALES: readonly Pair[] = [
	{
		mistake: "the customer is charged, and the hold forgotten",
		error: 2345,
		wrong: `await holdfast.withHold(cart, async (hold) => {
	await pay(hold.externalRef);
});
export {};`,
		right: `await holdfast.withHold(cart, async (hold) => {
	await pay(hold.externalRef);
	return hold.place({ customer });
});
export {};`,
	},
	{
		mistake: "the order is placed, and not returned",
		error: 2345,
		wrong: `await holdfast.withHold(cart, async (hold) => {
	await hold.place({ customer });
});
export {};`,
		right: PLACED,
	},
	{
		mistake: "the hold is forgotten when the customer does not pay",
		error: 2345,
		wrong: `await holdfast.withHold(cart, async (hold) => {
	if (await pay(hold.externalRef)) return hold.place({ customer });
});
export {};`,
		right: `await holdfast.withHold(cart, async (hold) => {
	if (await pay(hold.externalRef)) return hold.place({ customer });
	return hold.release();
});
export {};`,
	},
	{
		mistake: "an order that was placed past the hold is returned",
		error: 2322,
		wrong: `export const order = await holdfast.withHold(cart, async ({ token }) =>
	holdfast.orders.place({ token, customer }));`,
		right: PLACED,
	},
	{
		mistake: "an end is made up",
		error: 2322,
		wrong: "export const order = await holdfast.withHold(cart, async () => ({ value: true }));",
		right: PLACED,
	},
	{
		mistake: "ChargeUnknown is returned, not thrown",
		error: 2322,
		wrong: "export const order = await holdfast.withHold(cart, async () => new ChargeUnknown());",
		right: `await holdfast.withHold(cart, async () => {
	throw new ChargeUnknown();
});
export {};`,
	},
	{
		mistake: "an order is read from a sale that the customer may not have paid",
		error: 18047,
		wrong: `const order = await holdfast.withHold(cart, async (hold) =>
	(await pay(hold.externalRef)) ? hold.place({ customer }) : hold.release());
export const id = order.orderId;`,
		right: `const order = await holdfast.withHold(cart, async (hold) =>
	(await pay(hold.externalRef)) ? hold.place({ customer }) : hold.release());
export const id = order?.orderId;`,
	},
	{
		mistake: "an order is read from a sale that the partner ships",
		error: 2339,
		wrong: `const sale = await holdfast.withHold(cart, async (hold) => hold.consume());
export const id = sale.orderId;`,
		right: `const sale = await holdfast.withHold(cart, async (hold) => hold.consume());
export const units = sale.consumedUnits;`,
	},
	{
		mistake: "a sale has no reference by which it could continue after a crash",
		error: 2345,
		wrong: `export const order = await holdfast.withHold({ items: cart.items }, async (hold) => hold.place({ customer }));`,
		right: PLACED,
	},
	{
		mistake: "an order is placed for nobody",
		error: 2345,
		wrong: "export const order = await holdfast.withHold(cart, async (hold) => hold.place({}));",
		right: PLACED,
	},
	{
		mistake: "an order of a sale names a hold of its own",
		error: 2353,
		wrong: `export const order = await holdfast.withHold(cart, async (hold) => hold.place({ customer, token: "another" }));`,
		right: PLACED,
	},
	{
		mistake: "the customer is charged without waiting for the hold",
		error: 2339,
		wrong: "export const { token } = holdfast.reserve(cart);",
		right: "export const { token } = await holdfast.reserve(cart);",
	},
	{
		mistake: "a hold is released by itself, not by its token",
		error: 2345,
		wrong: "export const released = await holdfast.release(await holdfast.reserve(cart));",
		right: "export const released = await holdfast.release((await holdfast.reserve(cart)).token);",
	},
	{
		mistake: "units are consumed without a reference to reverse them by",
		error: 2345,
		wrong: 'export const sale = await holdfast.consume({ token: "t" });',
		right: 'export const sale = await holdfast.consume({ token: "t", externalRef: cart.externalRef });',
	},
];
