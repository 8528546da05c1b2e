import { type FirstRows, firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { ListSource } from "../../ground/pg/reads.ts";
import { unitsLacking } from "../holds/hold.ts";
import { couldRefillOrder } from "../holds/repick.ts";
import { readStockAround, type StockRules } from "../stock/read-stock-around.ts";
import { type ListedOrder, type OrderFilter, selectNow, selectOrders } from "./operator-sql.ts";
import { readHolders } from "./read-holders.ts";

/** An order on the list. The last two properties are null unless it is on hold. */
export interface OrderOnList extends Omit<ListedOrder, "token"> {
	/** Units that it was granted and has lost. */
	readonly lackingUnits: number | null;
	/**
	 * Whether everything it lacks is available, so that a release would succeed; each order is judged without regard to
	 * the others.
	 */
	readonly couldBeReleased: boolean | null;
}

/** At most `limit` orders, newest first, in one snapshot. */
export const listOrders = (
	lists: ListSource,
	filter: OrderFilter,
	limit: number,
	rules: StockRules,
): Promise<FirstRows<OrderOnList>> =>
	lists.snapshot(async (tx) => {
		const { items: listed, hasMore } = await firstRows(limit, (most) => selectOrders(tx, filter, most));
		const waits = await waitsOf(tx, rules, listed);
		const items = listed.map(({ token, ...order }) => ({ ...order, ...(waits.get(token) ?? WAITS_FOR_NOTHING) }));
		return { items, hasMore };
	});

type Waits = Pick<OrderOnList, "lackingUnits" | "couldBeReleased">;
const WAITS_FOR_NOTHING: Waits = { lackingUnits: null, couldBeReleased: null };

/** By hold token: the units that each held order among these lacks, and whether a release would succeed. */
export async function waitsOf(
	tx: Query,
	rules: StockRules,
	listed: readonly Pick<ListedOrder, "status" | "token">[],
): Promise<Map<string, Waits>> {
	const tokens = listed.filter(({ status }) => status === "held").map(({ token }) => token);
	if (tokens.length === 0) return new Map();
	const { byToken } = await readHolders(tx, tokens);
	const lost = new Set<string>(); // a hold lacks units only of formulas of which it lost a lot
	for (const { parts } of byToken.values())
		for (const { state, fgId } of parts) if (state === "displaced") lost.add(fgId);
	const { today } = await selectNow(tx, rules.timeZone);
	const stock = await readStockAround(tx, { ...rules, today }, [...lost]);
	return new Map(
		[...byToken].map(([token, hold]) => [
			token,
			{ lackingUnits: unitsLacking(hold), couldBeReleased: couldRefillOrder(stock, hold) },
		]),
	);
}
