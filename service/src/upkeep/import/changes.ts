import type { Static } from "typebox";
import type { RecipePart, SkuEntry } from "../../inventory/catalog/entries.ts";
import type { Report } from "./admin-contract.ts";
import { type EntryKind, type EntryOf, KINDS } from "./entries.ts";
import { type Existing, KEY_OF, keyOf, type Plan } from "./plan.ts";

/** One object that an import creates or changes. */
type ImportChange = Static<typeof Report>["changes"][number];
type Value = ImportChange["fields"][number]["from"];

/** Everything that a plan creates or changes, section by section, in the order of the input. */
export function changesOf(plan: Plan, existing: Existing): ImportChange[] {
	return KINDS.flatMap((section) => {
		const { created, changed } = plan[section];
		const nameOf = NAME_OF[section] as (entry: unknown) => string;
		const fieldsOf = FIELDS_OF(existing)[section] as (entry: unknown) => ImportChange["fields"];
		const told = (change: ImportChange["change"], entry: EntryOf[EntryKind]) => ({
			section,
			name: nameOf(entry),
			change,
			fields: change === "create" ? unitsOf(entry) : fieldsOf(entry),
		});
		return [...created.map(({ entry }) => told("create", entry)), ...changed.map(({ entry }) => told("change", entry))];
	});
}

/** The units of a new lot, demand or buffer. */
const unitsOf = (entry: EntryOf[EntryKind]): ImportChange["fields"] =>
	"units" in entry ? [{ field: "units", from: null, to: entry.units }] : [];

const poolName = (brandCode: string | null): string => brandCode ?? "shared";

const NAME_OF: { readonly [K in EntryKind]: (entry: EntryOf[K]) => string } = {
	...KEY_OF,
	lots: ({ formula, brandCode, batchNumber }) => `${formula}, ${poolName(brandCode)}, ${batchNumber}`,
	demand: ({ formula, brandCode, reference }) => `${formula}, ${poolName(brandCode)}, ${reference}`,
	buffers: ({ formula, brandCode }) => `${formula}, ${poolName(brandCode)}`,
	keys: ({ partner, name }) => `${partner} / ${name}`,
};

const differing = (fields: readonly [field: string, from: Value, to: Value][]): ImportChange["fields"] =>
	fields.filter(([, from, to]) => from !== to).map(([field, from, to]) => ({ field, from, to }));

const recipeText = (recipe: readonly RecipePart[] = []): string =>
	recipe.map(({ formula, perKit }) => `${formula}*${perKit}`).join(";");

const skuFields = (was: SkuEntry | undefined, is: SkuEntry): ImportChange["fields"] =>
	differing([
		["name", was?.name ?? null, is.name],
		["product", was?.product ?? null, is.product],
		["kind", was?.kind ?? null, is.kind],
		["vial_size", was?.vialSize ?? null, is.vialSize],
		["components", recipeText(was?.components), recipeText(is.components)],
	]);

const FIELDS_OF = (existing: Existing): { [K in EntryKind]: (entry: EntryOf[K]) => ImportChange["fields"] } => ({
	brands: ({ code, name }) => differing([["name", existing.brands.get(code)?.name ?? null, name]]),
	formulas: ({ code, name, status }) => {
		const was = existing.formulas.get(code);
		return differing([
			["name", was?.name ?? null, name],
			["status", was?.status ?? null, status],
		]);
	},
	products: ({ slug, name }) => differing([["name", existing.products.get(slug)?.name ?? null, name]]),
	skus: (entry) => skuFields(existing.skus.get(entry.sku), entry),
	lots: (entry) => differing([["units", existing.lots.get(keyOf("lots", entry))?.received ?? 0, entry.units]]),
	demand: (entry) => differing([["units", existing.demand.get(keyOf("demand", entry)) ?? 0, entry.units]]),
	buffers: (entry) => differing([["units", existing.buffers.get(keyOf("buffers", entry)) ?? 0, entry.units]]),
	partners: () => [],
	keys: () => [],
});
