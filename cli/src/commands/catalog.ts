import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { type ItemOf, pagesOf, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { print, shorten, table } from "../terminal/output.ts";

/** Maximum number of rows of each table in human-readable output. */
const MAX_ROWS = 200;

export function addCatalog(program: Command): void {
	const group = program.command("catalog").description("what is sold: brands, formulas, SKUs");
	addCommand(group, "list", "every brand, formula and SKU, with recipes", "catalog list").action(
		async (options: JsonOption) => {
			const list = await withOperator(async (call) => ({
				brands: (await pagesOf(call, "list_brands")).items,
				formulas: (await pagesOf(call, "list_formulas")).items,
				skus: (await pagesOf(call, "list_skus")).items,
			}));
			print(list, options.json, () => describe(list));
		},
	);
}

interface Catalog {
	readonly brands: readonly ItemOf<"list_brands">[];
	readonly formulas: readonly ItemOf<"list_formulas">[];
	readonly skus: readonly ItemOf<"list_skus">[];
}

function describe({ brands, formulas, skus }: Catalog): string {
	const recipes = skus.map(({ components }) =>
		components.map(({ formula, per_kit }) => `${formula}*${per_kit}`).join(";"),
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
	if (rows.length === 0) return `No ${what} yet: ${quotedCommand("import")} creates them.`;
	const { shown, rest } = shorten(rows, MAX_ROWS, what);
	return [table(headings, shown), ...rest].join("\n");
}
