import type { Pair } from "./pair.ts";

/** Mistakes with counts: above all, a zero that nobody counted. */
export const COUNTS: readonly Pair[] = [
	{
		mistake: "a quantity is read before it is known that there is one",
		error: 2339,
		wrong: "export const left: number = count.qty;",
		right: 'export const left: number | undefined = count.kind === "known" ? count.qty : undefined;',
	},
	{
		mistake: "an unknown count falls back to 0",
		error: 2339,
		wrong: "export const left = count.qty ?? 0;",
		right: 'export const left = shown(count, { unknown: "Ask us" });',
	},
	{
		mistake: "a count is compared with a number, to say sold out",
		error: 2367,
		wrong: "export const soldOut = count === 0;",
		right: "export const soldOut = isKnown(count) && count.qty === 0;",
	},
	{
		mistake: "a count is compared like a number",
		error: 2365,
		wrong: "export const canBuy = count > 0;",
		right: "export const canBuy = isKnown(count) && count.qty > 0;",
	},
	{
		mistake: "counts are added up",
		error: 2365,
		wrong: "export const both = count + 1;",
		right: "export const both = isKnown(count) ? count.qty + 1 : undefined;",
	},
	{
		mistake: "a number is put where a count belongs",
		error: 2322,
		wrong: "export const none: Count = 0;",
		right: 'export const none: Count = { kind: "known", qty: 0 };',
	},
	{
		mistake: "an unknown count is given a quantity",
		error: 2353,
		wrong: 'export const none: Count = { kind: "unknown", why: "stale", since: new Date(), qty: 0 };',
		right: 'export const none: Count = { kind: "unknown", why: "stale", since: new Date() };',
	},
	{
		mistake: "a known count has no quantity",
		error: 2322,
		wrong: 'export const some: Count = { kind: "known" };',
		right: 'export const some: Count = { kind: "known", qty: 3 };',
	},
	{
		mistake: "the kind of a count is misspelt",
		error: 2367,
		wrong: 'export const hide = count.kind === "unkown";',
		right: 'export const hide = count.kind === "unknown";',
	},
	{
		mistake: "the reason of an unknown count is misspelt",
		error: 2367,
		wrong: 'export const alert = count.kind === "unknown" && count.why === "unauthorised";',
		right: 'export const alert = count.kind === "unknown" && count.why === "unauthorized";',
	},
	{
		mistake: "a switch forgets the unknown count",
		error: 2366,
		wrong: `export function text(count: Count): string {
	switch (count.kind) {
		case "known":
			return String(count.qty);
		case "untracked":
			return "";
	}
}`,
		right: `export function text(count: Count): string {
	switch (count.kind) {
		case "known":
			return String(count.qty);
		case "untracked":
			return "";
		case "unknown":
			return "Ask us";
	}
}`,
	},
	{
		mistake: "a count is made text without a word for the unknown one",
		error: 2345,
		wrong: 'export const text = shown(count, { untracked: "" });',
		right: 'export const text = shown(count, { untracked: "", unknown: "Ask us" });',
	},
	{
		mistake: "the counts of a check are used as numbers",
		error: 2345,
		wrong: `const [line] = await holdfast.check([{ sku: "A", qty: 1 }]);
if (line !== undefined) console.log(Math.min(line.atpQty, 10));
export {};`,
		right: `const [line] = await holdfast.check([{ sku: "A", qty: 1 }]);
if (line !== undefined && isKnown(line.atpQty)) console.log(Math.min(line.atpQty.qty, 10));
export {};`,
	},
	{
		mistake: "the counts of a product are used as numbers",
		error: 2322,
		wrong: `for await (const { availability } of holdfast.products.list()) {
	const left: number = availability.atpQty;
	console.log(left);
}
export {};`,
		right: `for await (const { availability } of holdfast.products.list()) {
	const left: Count = availability.atpQty;
	console.log(left);
}
export {};`,
	},
	{
		mistake: "the totals of an inventory are used as numbers",
		error: 2322,
		wrong: 'export const left: number = (await holdfast.inventory.get({ sku: "A" })).totals.atp;',
		right: 'export const left: number = (await holdfast.raw.inventory.get({ sku: "A" })).data.totals.atp;',
	},
];
