import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Me } from "../app/roles.ts";
import { words } from "../words/words.ts";
import { useFormulaNames, useProductNames } from "./fields.tsx";
import { type Sku, SkuDialog } from "./sku-dialog.tsx";
import { CataloguePage } from "./tabs.tsx";

/** The SKUs: what is sold, and what each is made of. */
export default function Skus({ me }: { me: Me }): ReactNode {
	const formulas = useFormulaNames();
	const products = useProductNames();
	return (
		<CataloguePage
			id="list_skus"
			part="skus"
			me={me}
			make={words.catalogue.newSku}
			filters={[
				{ name: "q", label: words.catalogue.q },
				{ name: "kind", label: words.catalogue.kind, options: Object.entries(words.catalogue.kinds) },
				{ name: "product", label: words.catalogue.product, options: products },
				{ name: "formula", label: words.catalogue.formula, options: formulas },
			]}
			codeOf={({ sku }) => sku}
			empty={{ title: words.catalogue.emptySkus, hint: words.catalogue.emptySkusHint }}
			columns={[
				{ head: words.catalogue.sku, cell: ({ sku }) => sku },
				{ head: words.catalogue.name, cell: ({ name }) => name },
				{ head: words.catalogue.kind, cell: ({ kind }) => words.catalogue.shortKinds[kind] },
				{ head: words.catalogue.product, cell: ({ product }) => product },
				{ head: words.catalogue.recipe, cell: recipeOf },
				{
					head: words.sections.counts,
					cell: ({ sku }) => <Link to={`/counts?sku=${encodeURIComponent(sku)}`}>{words.catalogue.explain(sku)}</Link>,
				},
			]}
			dialog={(sku, ends) => <SkuDialog sku={sku} {...ends} />}
		/>
	);
}

const recipeOf = ({ components }: Sku): string =>
	components.map(({ formula, per_kit }) => `${per_kit} × ${formula}`).join(", ");
