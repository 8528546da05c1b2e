import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { hasRole, type Me } from "../app/roles.ts";
import { List } from "../parts/list.tsx";
import { words } from "../words/words.ts";
import { useFormulaNames, useProductNames } from "./fields.tsx";
import { type Sku, SkuDialog } from "./sku-dialog.tsx";
import { CataloguePage, ChangeButton, useSaved } from "./tabs.tsx";

/** The SKUs: what is sold, and what each is made of. */
export default function Skus({ me }: { me: Me }): ReactNode {
	const [chosen, setChosen] = useState<Sku | "new" | null>(null);
	const { saved, note } = useSaved();
	const formulas = useFormulaNames();
	const products = useProductNames();
	return (
		<CataloguePage part="skus" me={me} make={words.catalogue.newSku} onMake={() => setChosen("new")} saved={saved}>
			<List
				id="list_skus"
				caption={words.catalogue.parts.skus}
				filters={[
					{ name: "q", label: words.catalogue.q },
					{ name: "kind", label: words.catalogue.kind, options: Object.entries(words.catalogue.kinds) },
					{ name: "product", label: words.catalogue.product, options: products },
					{ name: "formula", label: words.catalogue.formula, options: formulas },
				]}
				keyOf={({ sku }) => sku}
				empty={{ title: words.catalogue.emptySkus, hint: words.catalogue.emptySkusHint }}
				emptyFiltered={words.catalogue.emptyFiltered}
				columns={[
					{ head: words.catalogue.sku, cell: ({ sku }) => sku },
					{ head: words.catalogue.name, cell: ({ name }) => name },
					{ head: words.catalogue.kind, cell: ({ kind }) => words.catalogue.shortKinds[kind] },
					{ head: words.catalogue.product, cell: ({ product }) => product },
					{ head: words.catalogue.recipe, cell: recipeOf },
					{
						head: words.sections.counts,
						cell: ({ sku }) => (
							<Link to={`/counts?sku=${encodeURIComponent(sku)}`}>{words.catalogue.explain(sku)}</Link>
						),
					},
					...(hasRole(me, "operator")
						? [
								{
									head: words.catalogue.change,
									cell: (sku: Sku) => (
										<ChangeButton name={words.catalogue.changeOne(sku.sku)} onClick={() => setChosen(sku)} />
									),
								},
							]
						: []),
				]}
			/>
			{chosen === null ? null : (
				<SkuDialog sku={chosen === "new" ? null : chosen} onClose={() => setChosen(null)} onSaved={note} />
			)}
		</CataloguePage>
	);
}

const recipeOf = ({ components }: Sku): string =>
	components.map(({ formula, per_kit }) => `${per_kit} × ${formula}`).join(", ");
