import type { Command } from "commander";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { type ItemOf, pagesOf, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { print, shorten, tableOf } from "../terminal/output.ts";

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
	return [
		section("brands", brands, (some) => tableOf(some, { BRAND: "code", NAME: "name" })),
		section("formulas", formulas, (some) =>
			tableOf(some, { FORMULA: "code", NAME: "name", STATUS: "status", SKUS: "skus" }),
		),
		section("SKUs", skus, (some) =>
			tableOf(some, { SKU: "sku", NAME: "name", KIND: "kind", PRODUCT: "product", COMPONENTS: recipeOf }),
		),
	].join("\n\n");
}

const recipeOf = ({ components }: Catalog["skus"][number]): string =>
	components.map(({ formula, per_kit }) => `${formula}*${per_kit}`).join(";");

function section<T>(what: string, items: readonly T[], show: (items: T[]) => string): string {
	if (items.length === 0) return `No ${what} yet: ${quotedCommand("import")} creates them.`;
	const { shown, rest } = shorten(items, MAX_ROWS, what);
	return [show(shown), ...rest].join("\n");
}
