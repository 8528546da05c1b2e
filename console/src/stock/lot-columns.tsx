import { Link } from "react-router";
import type { Column } from "../parts/list.tsx";
import { words } from "../words/words.ts";

/** The batch number of a lot, as a link to the lot. */
export const BATCH: Column<{ readonly fg_id: string; readonly batch_number: string }> = {
	head: words.stock.batch,
	cell: ({ fg_id, batch_number }) => <Link to={`/stock/${fg_id}`}>{batch_number}</Link>,
};
export const FORMULA: Column<{ readonly formula: string }> = {
	head: words.stock.formula,
	cell: ({ formula }) => formula,
};
export const POOL: Column<{ readonly brand_code: string | null }> = {
	head: words.stock.pool,
	cell: ({ brand_code }) => brand_code ?? words.stock.shared,
};
