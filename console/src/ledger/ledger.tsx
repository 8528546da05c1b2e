import type { ReactNode } from "react";
import { useSearchParams } from "react-router";
import { FormulaField, PoolField } from "../catalogue/fields.tsx";
import { List } from "../parts/list.tsx";
import { Empty, Page } from "../parts/page.tsx";
import { MOVE_OF_LOT_COLUMNS } from "../stock/move-columns.tsx";
import { words } from "../words/words.ts";

/** Every move of the units of a formula, the newest first. */
export default function Ledger(): ReactNode {
	const [search, setSearch] = useSearchParams();
	const set = (name: string, value: string): void => {
		if (value === "") search.delete(name);
		else search.set(name, value);
		search.delete("cursor");
		setSearch(search, { replace: true });
	};
	const [formula, brand] = [search.get("formula"), search.get("brand_code")];
	return (
		<Page title={words.ledger.title}>
			<search className="filters">
				<FormulaField
					label={words.stock.formula}
					name="formula"
					none={words.ledger.choose}
					value={formula ?? ""}
					onValue={(code) => set("formula", code)}
				/>
				<PoolField
					label={words.lot.anyBrand}
					name="brand_code"
					none={words.all}
					value={brand ?? ""}
					onValue={(code) => set("brand_code", code)}
				/>
			</search>
			{formula === null ? (
				<Empty title={words.ledger.none} hint={words.ledger.chooseHint} />
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
