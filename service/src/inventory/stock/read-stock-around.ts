import { NO_STAMP } from "../../ground/lib/stamped.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { selectCertifiedLots } from "../certificates/certified-sql.ts";
import { StockBook } from "./book.ts";
import { readSiblings, toLot } from "./sql.ts";

/** The settings that decide whether units are available. */
export interface StockRules {
	/** Whether units of a lot without a current certificate are unavailable (docs/decisions/0042). */
	readonly certificatesRequired: boolean;
	/** IANA name; decides the current day. */
	readonly timeZone: string;
}

/** All lots of these lots' formulas, for reports on replacements: ignores promises and locks nothing. */
export async function readStockAround(
	tx: Query,
	{ today, certificatesRequired }: Omit<StockRules, "timeZone"> & { readonly today: string },
	fgIds: readonly string[],
): Promise<StockBook> {
	const stock = new StockBook(today, { stamp: NO_STAMP, units: () => 0 });
	for (const row of await readSiblings(tx, fgIds)) stock.addLot(toLot(row));
	if (certificatesRequired) stock.countOnly(await selectCertifiedLots(tx, [...stock.lotsById.keys()]));
	return stock;
}
