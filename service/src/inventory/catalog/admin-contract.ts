import Type, { type TProperties } from "typebox";
import { adminEdit, adminOperation } from "../../partners/admin/operation.ts";
import { pageOf, pageQuery } from "../../partners/admin/page.ts";
import { Id, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { MAX_CODE_LENGTH, MAX_COMPONENTS, MAX_NAME_LENGTH, MAX_PER_KIT } from "./entries.ts";

const Code = (description: string) => Text({ min: 1, max: MAX_CODE_LENGTH, description });
const Name = () => Text({ min: 1, max: MAX_NAME_LENGTH, description: "Its name." });
/** The code of a row is in the path; if the body has it as well, both must be the same. */
const SameCode = () => Type.Optional(Code("As in the path; it may be left out."));
const Query = <Filters extends TProperties>(filters: Filters) =>
	pageQuery({
		...filters,
		q: Type.Optional(Code("Only those whose code or name contains this, in any mix of upper and lower case.")),
	});

const PUT_ERRORS = { not_found: "Nothing with this code exists yet: leave If-Match out." };

const STATUSES = ["draft", "active", "archived"] as const;
const KINDS = ["single", "kit", "non_physical"] as const;
const StatusField = (description: string) => Type.Enum([...STATUSES], { description });
const KindField = (description: string) => Type.Enum([...KINDS], { description });

const Brand = ReplyObject("Brand", {
	code: Type.String({ description: "Unique." }),
	name: Type.String({ description: "Its name." }),
});
const BRAND_EXAMPLE = { code: "ACME", name: "Acme" } as const;
const BrandParams = Type.Object({ code: Code("The code of the brand.") });
const BRAND_PARAMS = { code: BRAND_EXAMPLE.code };

export const ListBrands = adminOperation({
	id: "list_brands",
	method: "GET",
	path: "/admin/api/v1/brands",
	summary: "List brands",
	description: "By code.",
	query: Query({}),
	replies: { 200: pageOf(Brand, "Brands") },
	examples: { replies: { 200: { items: [BRAND_EXAMPLE], next_cursor: null } } },
});

export const GetBrand = adminOperation({
	id: "get_brand",
	method: "GET",
	path: "/admin/api/v1/brands/:code",
	summary: "Read a brand",
	description: "In the form that an import takes.",
	params: BrandParams,
	conditional: true,
	replies: { 200: Brand },
	examples: {
		params: BRAND_PARAMS,
		replies: { 200: BRAND_EXAMPLE },
		errors: { not_found: 'There is no brand "ACNE": did you mean "ACME"?' },
	},
});

export const PutBrand = adminEdit({
	id: "put_brand",
	method: "PUT",
	path: "/admin/api/v1/brands/:code",
	summary: "Create or change a brand",
	description: "A new brand has its own pool.",
	params: BrandParams,
	body: RequestObject("PutBrandRequest", { code: SameCode(), name: Name() }),
	replies: { 200: Brand, 201: Brand },
	examples: {
		params: BRAND_PARAMS,
		request: { name: "Acme" },
		replies: { 200: BRAND_EXAMPLE, 201: BRAND_EXAMPLE },
		errors: PUT_ERRORS,
	},
});

const Formula = ReplyObject("Formula", {
	code: Type.String({ description: "Unique." }),
	formula_id: Id("Its id, by which partners see it."),
	name: Type.String({ description: "Its name." }),
	status: StatusField("Only units of an `active` formula are sold."),
	skus: Type.Integer({ description: "SKUs made of it." }),
});
const FORMULA_EXAMPLE = {
	code: "CALM-60",
	formula_id: "0199f0a0-0000-7000-8000-0000000000f1",
	name: "Calm 60",
	status: "active",
	skus: 2,
} as const;
const FormulaParams = Type.Object({ code: Code("The code of the formula.") });
const FORMULA_PARAMS = { code: FORMULA_EXAMPLE.code };

export const ListFormulas = adminOperation({
	id: "list_formulas",
	method: "GET",
	path: "/admin/api/v1/formulas",
	summary: "List formulas",
	description: "By code.",
	query: Query({ status: Type.Optional(StatusField("Only formulas of this status.")) }),
	replies: { 200: pageOf(Formula, "Formulas") },
	examples: { replies: { 200: { items: [FORMULA_EXAMPLE], next_cursor: null } } },
});

export const GetFormula = adminOperation({
	id: "get_formula",
	method: "GET",
	path: "/admin/api/v1/formulas/:code",
	summary: "Read a formula",
	description: "With the number of SKUs that are made of it.",
	params: FormulaParams,
	conditional: true,
	replies: { 200: Formula },
	examples: {
		params: FORMULA_PARAMS,
		replies: { 200: FORMULA_EXAMPLE },
		errors: { not_found: 'There is no formula "CALM": did you mean "CALM-60"?' },
	},
});

export const PutFormula = adminEdit({
	id: "put_formula",
	method: "PUT",
	path: "/admin/api/v1/formulas/:code",
	summary: "Create or change a formula",
	description: "Its lots and SKUs stay as they are.",
	params: FormulaParams,
	body: RequestObject("PutFormulaRequest", {
		code: SameCode(),
		name: Name(),
		status: StatusField("Only units of an `active` formula are sold."),
	}),
	replies: { 200: Formula, 201: Formula },
	examples: {
		params: FORMULA_PARAMS,
		request: { name: "Calm 60", status: "active" },
		replies: { 200: FORMULA_EXAMPLE, 201: FORMULA_EXAMPLE },
		errors: PUT_ERRORS,
	},
});

const Product = ReplyObject("Product", {
	slug: Type.String({ description: "Unique." }),
	name: Type.String({ description: "Its name." }),
});
const PRODUCT_EXAMPLE = { slug: "calm", name: "Calm" } as const;
const ProductParams = Type.Object({ slug: Code("The slug of the product.") });
const PRODUCT_PARAMS = { slug: PRODUCT_EXAMPLE.slug };

export const ListProducts = adminOperation({
	id: "list_products",
	method: "GET",
	path: "/admin/api/v1/products",
	summary: "List products",
	description: "By slug.",
	query: Query({}),
	replies: { 200: pageOf(Product, "Products") },
	examples: { replies: { 200: { items: [PRODUCT_EXAMPLE], next_cursor: null } } },
});

export const GetProduct = adminOperation({
	id: "get_product",
	method: "GET",
	path: "/admin/api/v1/products/:slug",
	summary: "Read a product",
	description: "In the form that an import takes.",
	params: ProductParams,
	conditional: true,
	replies: { 200: Product },
	examples: {
		params: PRODUCT_PARAMS,
		replies: { 200: PRODUCT_EXAMPLE },
		errors: { not_found: 'There is no product "clam": did you mean "calm"?' },
	},
});

export const PutProduct = adminEdit({
	id: "put_product",
	method: "PUT",
	path: "/admin/api/v1/products/:slug",
	summary: "Create or change a product",
	description: "Its SKUs and certificates stay as they are.",
	params: ProductParams,
	body: RequestObject("PutProductRequest", { slug: SameCode(), name: Name() }),
	replies: { 200: Product, 201: Product },
	examples: {
		params: PRODUCT_PARAMS,
		request: { name: "Calm" },
		replies: { 200: PRODUCT_EXAMPLE, 201: PRODUCT_EXAMPLE },
		errors: PUT_ERRORS,
	},
});

const FORMULA_OF = "Code of a formula.";
const PER_KIT_OF = "Units of it in one kit.";

const Sku = ReplyObject("Sku", {
	sku: Type.String({ description: "Unique." }),
	name: Type.String({ description: "Its name." }),
	product: OrNull(Type.String({ description: "The slug of its product; null: it has none." })),
	kind: KindField("What it is made of: one formula, several, or nothing."),
	vial_size: OrNull(Type.String({ description: "As it is shown; null: none." })),
	components: Type.Array(
		ReplyObject("SkuComponent", {
			formula: Type.String({ description: FORMULA_OF }),
			per_kit: Type.Integer({ description: PER_KIT_OF }),
		}),
		{ description: "Its recipe; empty: none." },
	),
});
const SKU_EXAMPLE = {
	sku: "CALM",
	name: "Calm",
	product: "calm",
	kind: "single",
	vial_size: null,
	components: [{ formula: "CALM-60", per_kit: 1 }],
} as const;
const SkuParams = Type.Object({ sku: Code("The SKU.") });
const SKU_PARAMS = { sku: SKU_EXAMPLE.sku };

export const ListSkus = adminOperation({
	id: "list_skus",
	method: "GET",
	path: "/admin/api/v1/skus",
	summary: "List SKUs",
	description: "By SKU, with their recipes.",
	query: Query({
		kind: Type.Optional(KindField("Only SKUs of this kind.")),
		product: Type.Optional(Code("Only SKUs of the product of this slug.")),
		formula: Type.Optional(Code("Only SKUs made of the formula of this code.")),
	}),
	replies: { 200: pageOf(Sku, "Skus") },
	examples: {
		replies: { 200: { items: [SKU_EXAMPLE], next_cursor: null } },
		errors: { not_found: 'There is no formula "CALM": did you mean "CALM-60"?' },
	},
});

export const GetSku = adminOperation({
	id: "get_sku",
	method: "GET",
	path: "/admin/api/v1/skus/:sku",
	summary: "Read a SKU",
	description: "With its recipe.",
	params: SkuParams,
	conditional: true,
	replies: { 200: Sku },
	examples: {
		params: SKU_PARAMS,
		replies: { 200: SKU_EXAMPLE },
		errors: { not_found: 'There is no SKU "CLAM": did you mean "CALM"?' },
	},
});

export const PutSku = adminEdit({
	id: "put_sku",
	method: "PUT",
	path: "/admin/api/v1/skus/:sku",
	summary: "Create or change a SKU",
	description:
		"Sets the whole SKU, with its recipe: a field that is left out is removed. Existing holds keep the recipe with which they were created.",
	params: SkuParams,
	body: RequestObject("PutSkuRequest", {
		sku: SameCode(),
		name: Name(),
		product: Type.Optional(OrNull(Code("The slug of its product; null or left out: it has none."))),
		kind: KindField("A `single` has one component, a `kit` two or more (or none yet), and a `non_physical` SKU none."),
		vial_size: Type.Optional(OrNull(Code("As it is shown; null or left out: none."))),
		components: Type.Optional(
			Type.Array(
				RequestObject("PutSkuComponent", {
					formula: Code(FORMULA_OF),
					per_kit: Type.Integer({ minimum: 1, maximum: MAX_PER_KIT, description: PER_KIT_OF }),
				}),
				{ maxItems: MAX_COMPONENTS, description: "Its whole recipe; left out: none." },
			),
		),
	}),
	replies: { 200: Sku, 201: Sku },
	examples: {
		params: SKU_PARAMS,
		request: { name: "Calm", product: "calm", kind: "single", components: [{ formula: "CALM-60", per_kit: 1 }] },
		replies: { 200: SKU_EXAMPLE, 201: SKU_EXAMPLE },
		errors: PUT_ERRORS,
	},
});
