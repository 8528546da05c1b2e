import { expect, test } from "vitest";
import { type Kit, toCatalogue } from "./catalogue.ts";
import { toDemand } from "./invoices.ts";
import { toOrders, withKits } from "./orders.ts";
import { toStock } from "./stock.ts";

const row = (InvoiceNo: string, StockCode: string, Quantity: number, at = "2010-12-01T08:00", CustomerID = "7") => ({
	InvoiceNo,
	StockCode,
	Description: StockCode === "POST" ? "POSTAGE" : `THING ${StockCode}`,
	Quantity: String(Quantity),
	InvoiceDate: at,
	CustomerID,
	Country: "United Kingdom",
});

const ROWS = [
	row("2", "10001", 6, "2010-12-02T08:00"),
	row("1", "10001", 3),
	row("1", "10002a", 4),
	row("1", "POST", 1),
	row("C3", "10002A", -4, "2010-12-03T08:00"),
	row("4", "10001", -2, "2010-12-04T08:00", ""),
	row("5", "10001", 0, "2010-12-05T08:00"),
];
const DAY = Date.parse("2026-01-01T12:00:00Z");

const pair: Kit = {
	sku: "KIT",
	name: "2 x A + 1 x B",
	kind: "kit",
	components: [],
	parts: [
		{ sku: "A", count: 2 },
		{ sku: "B", count: 1 },
	],
};

test("rows become invoices in time order: sales, cancellations and write-offs", () => {
	const { invoices } = toDemand(ROWS);
	expect(invoices.map(({ number, kind, lines }) => [number, kind, lines.length])).toEqual([
		["1", "sale", 3],
		["2", "sale", 1],
		["C3", "cancellation", 1],
		["4", "write_off", 1],
	]);
	expect(toDemand(ROWS, 2).invoices).toHaveLength(2);
	expect(invoices.flatMap(({ lines }) => lines).every(({ quantity }) => quantity > 0)).toBe(true);
});

test("codes that differ in case are two SKUs of one formula; fees have none", () => {
	const { articles, formulas } = toCatalogue(toDemand(ROWS), 1);
	expect([...formulas.keys()].toSorted()).toEqual(["10001", "10002A"]);
	expect(articles.get("10002a")?.components).toEqual([{ formula: "10002A", per_kit: 1 }]);
	expect(articles.get("10002A")?.components).toEqual(articles.get("10002a")?.components);
	expect(articles.get("POST")).toMatchObject({ kind: "non_physical", components: [] });
});

test("an order asks for goods alone; a cancellation brings them back; a write-off is consumed", () => {
	const demand = toDemand(ROWS);
	const [first, , cancellation, writeOff] = toOrders(demand.invoices, toCatalogue(demand, 1), 1);
	expect(first?.parts.flatMap((part) => part.lines)).toEqual([
		{ sku: "10001", qty: 3 },
		{ sku: "10002a", qty: 4 },
	]);
	expect(cancellation).toMatchObject({ parts: [], returns: [{ sku: "10002A", qty: 4 }] });
	expect(writeOff?.parts.map(({ fate, lines }) => [fate, lines])).toEqual([["consume", [{ sku: "10001", qty: 2 }]]]);
	expect(cancellation?.channel).toBe(first?.channel);
});

test("a seed decides everything: the same one the same orders and stock, another one others", () => {
	const demand = toDemand(Array.from({ length: 200 }, (_, i) => row(String(i), String(10_000 + (i % 40)), i + 1)));
	const make = (seed: number) => {
		const catalogue = toCatalogue(demand, seed);
		const orders = toOrders(demand.invoices, catalogue, seed);
		return JSON.stringify([orders, toStock(catalogue, orders, seed, DAY)]);
	};
	expect(make(1)).toBe(make(1));
	expect(make(1)).not.toBe(make(2));
});

test("a kit takes the place of its parts as often as they allow, and the rest stays", () => {
	const lines = [
		{ sku: "A", qty: 3 },
		{ sku: "B", qty: 9 },
		{ sku: "A", qty: 2 },
		{ sku: "C", qty: 1 },
	];
	expect(withKits(lines, [pair], () => true)).toEqual([
		{ sku: "B", qty: 7 },
		{ sku: "A", qty: 1 },
		{ sku: "C", qty: 1 },
		{ sku: "KIT", qty: 2 },
	]);
	expect(withKits(lines, [pair], () => false)).toEqual(lines);
	expect(withKits(lines.slice(0, 1), [pair], () => true)).toEqual(lines.slice(0, 1));
});

test("of a plentiful formula there is enough for all, whoever comes first", () => {
	const demand = toDemand(
		Array.from({ length: 400 }, (_, i) =>
			row(String(i), String(10_000 + (i % 60)), 1 + (i % 7), undefined, String(i % 50)),
		),
	);
	const catalogue = toCatalogue(demand, 3);
	const orders = toOrders(demand.invoices, catalogue, 3);
	const stock = toStock(catalogue, orders, 3, DAY);
	const units = (rows: readonly { formula: string; units: number }[], formula: string) =>
		rows.filter((r) => r.formula === formula).reduce((sum, r) => sum + r.units, 0);
	const lots = stock.lots.filter((lot) => !stock.expired.has(lot));
	expect(stock.plenty.size).toBeGreaterThan(0);
	for (const formula of stock.plenty) {
		const wanted = (shared: boolean) =>
			orders
				.filter((order) => order.channel.shared === shared)
				.flatMap((order) => order.parts.flatMap((part) => part.lines))
				.filter((line) => line.sku === formula)
				.reduce((sum, line) => sum + line.qty, 0);
		const shared = units(
			lots.filter((lot) => lot.brand_code === null),
			formula,
		);
		expect(shared - units(stock.demand, formula) - units(stock.buffers, formula)).toBeGreaterThanOrEqual(wanted(true));
		const own = units(
			lots.filter((lot) => lot.brand_code === "SOUTH"),
			formula,
		);
		expect(own).toBeGreaterThanOrEqual(wanted(false));
	}
});
