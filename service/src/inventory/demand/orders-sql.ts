import { must } from "../../ground/lib/assert.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { ms } from "../../ground/pg/table.ts";
import type { Recipe } from "./reconcile.ts";
import { bySku, type ReportedLine, type ReportedOrder } from "./reported-order.ts";

/** Creates the order's row if needed and locks it, which serializes reports of the order. */
export async function lockOrder(tx: Query, source: string, reference: string): Promise<ReportedOrder> {
	await tx.query(
		`insert into reported_order (reference, source, status, pending) values ($1, $2, 'open', false) on conflict do nothing`,
		[reference, source],
	);
	return must(await lockKnownOrder(tx, reference), reference);
}

/** Locks an order that may not exist; null: it does not. */
export async function lockKnownOrder(tx: Query, reference: string): Promise<ReportedOrder | null> {
	await tx.query("select from reported_order where reference = $1 for update", [reference]);
	// a separate statement, so that it sees the lines written by the previous holder of the lock
	const { rows } = await tx.query<Omit<ReportedOrder, "lines"> & { readonly lines: ReportedLine[] }>(
		`select reference, source, store, ${ms("store_at")} as "storeAt", status, ${ms("modified_at")} as "modifiedAt",
		        ${ms("shipped_at")} as "shippedAt",
		        coalesce((select jsonb_agg(jsonb_build_object('sku', sku, 'orderedQty', ordered_qty, 'shippedQty', shipped_qty,
		                                                      'settledQty', settled_qty))
		                    from reported_line l where l.reference = o.reference), '[]') as lines
		   from reported_order o where reference = $1`,
		[reference],
	);
	const [row] = rows;
	return row === undefined ? null : { ...row, lines: row.lines.sort(bySku) };
}

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** Writes the order and replaces its lines. */
export async function saveOrder(tx: Query, order: ReportedOrder, pending: boolean): Promise<void> {
	const { reference, store, storeAt, status, modifiedAt, shippedAt, lines } = order;
	await tx.query(
		`update reported_order set store = $2, store_at = $3, status = $4, modified_at = $5, shipped_at = $6, pending = $7, noted_at = now()
		  where reference = $1`,
		[reference, store, toDate(storeAt), status, toDate(modifiedAt), toDate(shippedAt), pending],
	);
	await tx.query(
		`with line as materialized (
		   select * from unnest($2::text[], $3::int[], $4::int[], $5::int[]) n(sku, ordered_qty, shipped_qty, settled_qty)),
		 gone as (
		   delete from reported_line l where l.reference = $1 and not exists (select from line n where n.sku = l.sku))
		 insert into reported_line (reference, sku, ordered_qty, shipped_qty, settled_qty) select $1, line.* from line
		 on conflict (reference, sku) do update
		    set ordered_qty = excluded.ordered_qty, shipped_qty = excluded.shipped_qty, settled_qty = excluded.settled_qty`,
		[
			reference,
			...(["sku", "orderedQty", "shippedQty", "settledQty"] as const).map((name) => lines.map((line) => line[name])),
		],
	);
}

export const selectIsReported = async (db: Query, reference: string): Promise<boolean> =>
	(await db.query("select from reported_order where reference = $1", [reference])).rowCount === 1;

/** The next pending orders of a store ('': orders without a store), after `after` and in order. */
export const selectPendingOrders = async (db: Query, store: string, after: string, limit: number): Promise<string[]> =>
	(
		await db.query<{ reference: string }>(
			`select reference from reported_order where pending and coalesce(store, '') = $1 and reference > $2
			  order by reference limit $3`,
			[store, after, limit],
		)
	).rows.map(({ reference }) => reference);

/** The current recipes of these SKUs; unknown SKUs are left out. */
export async function selectRecipes(tx: Query, skus: readonly string[]): Promise<Map<string, Recipe>> {
	const { rows } = await tx.query<{ sku: string } & Recipe>(
		`select s.sku, s.kind <> 'non_physical' as "tracksInventory",
		        coalesce(jsonb_agg(jsonb_build_object('formulaId', c.formula_id, 'perKit', c.per_kit) order by c.position)
		                   filter (where c.formula_id is not null), '[]') as components
		   from sku s left join sku_component c using (sku) where s.sku = any($1::text[]) group by s.sku`,
		[skus],
	);
	return new Map(rows.map(({ sku, ...recipe }) => [sku, recipe]));
}

/** Demand of a reference: units by formula and pool. */
export interface StandingRow {
	readonly formulaId: string;
	readonly poolId: number;
	readonly units: number;
}

export const selectStanding = async (tx: Query, reference: string): Promise<StandingRow[]> =>
	(
		await tx.query<StandingRow>(
			`select formula_id as "formulaId", pool_id as "poolId", units from demand where reference = $1`,
			[reference],
		)
	).rows;

/** Replaces all demand of a reference. Call it only for a change, because every call changes the epoch. */
export const replaceStanding = (tx: Query, source: string, reference: string, rows: readonly StandingRow[]) =>
	tx.query(
		`with wanted as materialized (
		   select * from unnest($3::uuid[], $4::int[], $5::int[]) w(formula_id, pool_id, units)),
		 gone as (
		   delete from demand d where d.reference = $2
		      and not exists (select from wanted w where w.formula_id = d.formula_id and w.pool_id = d.pool_id))
		 insert into demand (formula_id, pool_id, reference, units, source)
		 select formula_id, pool_id, $2, units, $1 from wanted
		 on conflict (formula_id, pool_id, reference) do update set units = excluded.units, source = excluded.source`,
		[source, reference, ...(["formulaId", "poolId", "units"] as const).map((name) => rows.map((row) => row[name]))],
	);

/** Deletes the demand of a reference and returns it. */
export const takeStanding = async (tx: Query, reference: string): Promise<StandingRow[]> =>
	(
		await tx.query<StandingRow>(
			`delete from demand where reference = $1 returning formula_id as "formulaId", pool_id as "poolId", units`,
			[reference],
		)
	).rows;
