import { withSession } from "../ground/one-session.ts";
import type { Fault, FaultContext, Targets } from "../ground/types.ts";
import { type Effect, inject, last, type Missed, seconds } from "./inject.ts";

const SHORTEST_MS = 2_000;
const LONGEST_MS = 12_000;
/** Milliseconds that the foreign session waits for the row, which the service locks now and then too. */
const GET_LOCK_MS = 2_000;
const LOCK_LOT = `
	select fg_id as id, array[formula_id::text] as formulas from lot
	 where formula_id = any($1::uuid[]) and not depleted order by random() limit 1 for update`;
const LOCK_HOLD = `
	select h.reservation_token as id,
	       array(select distinct p.formula_id::text from hold_part p where p.reservation_token = h.reservation_token) as formulas
	  from hold h where h.status = 'active' and h.key_id = any($1::uuid[]) order by random() limit 1 for update`;
const LOCK_ORDER = `
	select o.order_id as id,
	       array(select distinct p.formula_id::text from hold_part p where p.reservation_token = o.reservation_token) as formulas
	  from orders o where o.is_open and o.key_id = any($1::uuid[]) order by random() limit 1 for update`;

/** Locks the row in a transaction of its own, keeps the lock for seconds, and ends the transaction. */
async function keepLocked(
	context: FaultContext,
	lock: string,
	among: readonly string[],
	row: string,
): Promise<Effect | Missed> {
	const ms = context.chance.between(SHORTEST_MS, LONGEST_MS);
	return await withSession(context.ground.works.url, async (session) => {
		await session.query("begin");
		await session.query(`set local lock_timeout = ${GET_LOCK_MS}`);
		try {
			const { rows } = await session.query<{ id: string; formulas: string[] }>(lock, [among]);
			const locked = rows[0];
			if (locked === undefined) return { missed: `there was no ${row} to lock` };
			await last(ms, context);
			const touched = skusOf(context.targets, locked.formulas);
			return {
				what: `${row} ${locked.id} (${touched.join(", ")}) locked by a foreign session for ${seconds(ms)}`,
				touched,
			};
		} catch (error) {
			if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
			return { missed: `the foreign session did not get its lock on a ${row}` };
		} finally {
			await session.query("rollback");
		}
	});
}

const LOCK_NOT_AVAILABLE = "55P03";

const skusOf = ({ skus }: Targets, formulas: readonly string[]): string[] =>
	skus.filter(({ formulaIds }) => formulaIds.some((id) => formulas.includes(id))).map(({ sku }) => sku);

export const lotLocked: Fault = {
	name: "lot-locked",
	says: "A foreign session locks one lot for seconds: an operator's forgotten transaction, a long report.",
	longestMs: 35_000,
	inject: (context) =>
		inject("lot-locked", context, async () => {
			const formulas = [...new Set(context.targets.skus.flatMap(({ formulaIds }) => formulaIds))];
			return await keepLocked(context, LOCK_LOT, formulas, "lot");
		}),
};

export const holdLocked: Fault = {
	name: "hold-locked",
	says: "A foreign session locks one active hold for seconds.",
	longestMs: 35_000,
	inject: (context) =>
		inject("hold-locked", context, () => keepLocked(context, LOCK_HOLD, context.targets.keyIds, "hold")),
};

export const orderLocked: Fault = {
	name: "order-locked",
	says: "A foreign session locks one open order for seconds.",
	longestMs: 35_000,
	inject: (context) =>
		inject("order-locked", context, () => keepLocked(context, LOCK_ORDER, context.targets.keyIds, "order")),
};
