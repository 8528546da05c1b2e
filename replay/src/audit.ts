import type { HoldAnswer } from "./answers.ts";
import type { Article } from "./catalogue.ts";
import type { Line } from "./split.ts";

/** The requested hold, which determines the granted one. */
export interface Asked {
	readonly lines: readonly Line[];
	readonly brand: string | null;
	/** Whether the key may draw on the shared stock. */
	readonly shared: boolean;
}

/** Checks the numbers of a granted hold. Returns one line for each problem. */
export function auditHold(
	asked: Asked,
	hold: HoldAnswer,
	articles: ReadonlyMap<string, Article>,
	idOf: ReadonlyMap<string, string>,
): string[] {
	if (hold.items.length !== asked.lines.length) {
		return [`${asked.lines.length} lines were asked for, ${hold.items.length} held`];
	}
	return asked.lines.flatMap((line, i) =>
		auditItem(asked, line, hold.items[i] as HoldAnswer["items"][number], articles, idOf),
	);
}

function auditItem(
	{ brand, shared }: Asked,
	line: Line,
	item: HoldAnswer["items"][number],
	articles: ReadonlyMap<string, Article>,
	idOf: ReadonlyMap<string, string>,
): string[] {
	const faults: string[] = [];
	const fault = (what: string): void => {
		faults.push(`${line.sku} x ${line.qty}: ${what}, got ${JSON.stringify(item)}`);
	};
	if (item.sku !== line.sku || item.brand_code !== brand || item.reserved_qty !== line.qty)
		fault("sku, brand and quantity as asked");
	const recipe = articles.get(line.sku)?.components ?? [];
	if (item.components.length !== recipe.length) fault(`${recipe.length} components`);
	for (const { formula, per_kit } of recipe) {
		const part = item.components.find((component) => component.formula_id === idOf.get(formula));
		const units = line.qty * per_kit;
		if (part?.reserved_units !== units || part.per_kit !== per_kit) fault(`${units} units of ${formula}`);
		if (part === undefined) continue;
		if (part.from_brand_pool + part.from_shared_pool !== units) fault("pools that add up");
		if (part.fg_ids.length === 0) fault("the lots drawn from");
		if (brand === null && part.from_brand_pool > 0) fault("nothing from a brand");
		if (!shared && part.from_shared_pool > 0) fault("nothing from the shared stock");
	}
	return faults;
}
