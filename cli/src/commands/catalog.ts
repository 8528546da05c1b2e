import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import type { ListedCatalog } from "../../../service/src/inventory/catalog/list-catalog.ts";
import { withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { print, shorten, snake, table } from "../terminal/output.ts";

/** Most rows of each table in human-readable output. */
const MAX_ROWS = 200;

export function addCatalog(program: Command): void {
	const group = program.command("catalog").description("what is sold: brands, formulas, SKUs");
	addCommand(group, "list", "every brand, formula and SKU, with recipes", "catalog list").action(
		async (options: JsonOption) => {
			const { listCatalog } = await import("../../../service/src/inventory/catalog/list-catalog.ts");
			const list = await withStore(({ db }) => listCatalog(db));
			print(snake(list), options.json, () => describe(list));
		},
	);
}

function describe({ brands, formulas, skus }: ListedCatalog): string {
	const recipes = skus.map(({ components }) =>
		components.map(({ formula, perKit }) => `${formula}*${perKit}`).join(";"),
	);
	return [
		tableOf(
			["BRAND", "NAME"],
			brands.map(({ code, name }) => [code, name]),
			"brands",
		),
		tableOf(
			["FORMULA", "NAME", "STATUS", "SKUS"],
			formulas.map(({ code, name, status, skus: made }) => [code, name, status, made]),
			"formulas",
		),
		tableOf(
			["SKU", "NAME", "KIND", "PRODUCT", "COMPONENTS"],
			skus.map(({ sku, name, kind, product }, i) => [sku, name, kind, product, recipes[i]]),
			"SKUs",
		),
	].join("\n\n");
}

function tableOf(headings: readonly string[], rows: Parameters<typeof table>[1], what: string): string {
	if (rows.length === 0) return `No ${what} yet: ${quotedCommand("import")} makes them.`;
	const { shown, rest } = shorten(rows, MAX_ROWS, what);
	return [table(headings, shown), ...rest].join("\n");
}
