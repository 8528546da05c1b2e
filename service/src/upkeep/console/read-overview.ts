import { must } from "../../ground/lib/assert.ts";
import type { Database } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import { waitsOf } from "../../inventory/orders/list-orders.ts";
import type { StockRules } from "../../inventory/stock/read-stock-around.ts";
import { MOST_COUNTED } from "./limits.ts";
import {
	countEndingLots,
	selectEndingKeys,
	selectEndingLots,
	selectFailingEndpoints,
	selectHeldByReason,
	selectHeldOrders,
	selectHoldersOfLots,
	selectMoment,
	selectOpenExceptions,
	selectRunsUnderWay,
	selectWaitingBoxes,
} from "./overview-sql.ts";

/** Everything that needs attention, as of one moment. */
export const readOverview = (db: Database, rules: StockRules) =>
	snapshot(db, async (tx) => {
		const moment = must((await selectMoment(tx)).rows[0], "the moment").now;
		const exceptions = (await selectOpenExceptions(tx)).rows;
		const boxes = (await selectWaitingBoxes(tx)).rows;
		const reasons = (await selectHeldByReason(tx)).rows;
		const held = (await selectHeldOrders(tx)).rows;
		const waits = await waitsOf(tx, rules, held);
		const lots = (await selectEndingLots(tx, rules.timeZone)).rows;
		const lotsInAll = (await countEndingLots(tx, rules.timeZone)).rows;
		const taken = lots.filter((lot) => lot.held + lot.allocated > 0).map(({ fgId }) => fgId);
		const holders = taken.length === 0 ? [] : (await selectHoldersOfLots(tx, taken)).rows;
		return {
			moment,
			exceptions: groupsOf(exceptions),
			boxes: groupsOf(boxes),
			heldOrders: { ...groupsOf(reasons), items: held.map((order) => ({ ...order, ...waits.get(order.token) })) },
			lots: {
				...groupsOf(lotsInAll),
				items: lots.map((lot) => ({ ...lot, holders: holders.filter(({ fgId }) => fgId === lot.fgId) })),
			},
			endpoints: shownOf((await selectFailingEndpoints(tx)).rows),
			keys: shownOf((await selectEndingKeys(tx)).rows),
			runs: shownOf((await selectRunsUnderWay(tx)).rows),
		};
	});

export type Overview = Awaited<ReturnType<typeof readOverview>>;

const totalOf = (n: number) => ({ n: Math.min(n, MOST_COUNTED), more: n > MOST_COUNTED });

/** Groups, each with the number of its objects; at most MOST_COUNTED + 1 objects are counted over all groups. */
const groupsOf = <Group extends { readonly n: number }>(groups: readonly Group[]) => ({
	...totalOf(groups.reduce((sum, { n }) => sum + n, 0)),
	groups,
});

/** Rows, each of which has the total number. */
const shownOf = <Row extends { readonly n: number }>(rows: readonly Row[]) => ({
	...totalOf(rows[0]?.n ?? 0),
	items: rows.map(({ n: _n, ...row }) => row),
});
