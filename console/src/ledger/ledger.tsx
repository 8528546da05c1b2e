import type { ReactNode } from "react";
import { useSearchParams } from "react-router";
import { useBrandNames, useFormulaNames } from "../catalogue/fields.tsx";
import { Filters, List } from "../parts/list.tsx";
import { Empty, Page } from "../parts/page.tsx";
import { MOVE_OF_LOT_COLUMNS } from "../stock/move-columns.tsx";
import { words } from "../words/words.ts";

/** Every move of the units of a formula, the newest first. */
export default function Ledger(): ReactNode {
	const formulas = useFormulaNames();
	const brands = useBrandNames();
	const [search] = useSearchParams();
	const [formula, brand] = [search.get("formula"), search.get("brand_code")];
	return (
		<Page title={words.ledger.title}>
			<Filters
				filters={[
					{ name: "formula", label: words.stock.formula, options: formulas },
					{ name: "brand_code", label: words.lot.anyBrand, options: brands },
				]}
			/>
			{formula === null ? (
				<Empty title={words.ledger.choose} hint={words.ledger.chooseHint} />
			) : (
				<List
					id="list_moves"
					query={brand === null ? { formula } : { formula, brand_code: brand }}
					caption={words.ledger.title}
					keyOf={({ seq }) => String(seq)}
					empty={{ title: words.ledger.empty, hint: words.ledger.emptyHint }}
					emptyFiltered={words.ledger.empty}
					columns={MOVE_OF_LOT_COLUMNS}
				/>
			)}
		</Page>
	);
}
