import { firstRows } from "../../ground/lib/page.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Want } from "../stock/allocate.ts";
import type { ExceptionChanges, ExceptionKind, KnownException } from "./exception.ts";

/** Exceptions of an order other than shortages, open or resolved by the operator. The order's lock covers them. */
export const selectKnownExceptions = async (tx: Query, reference: string): Promise<KnownException[]> =>
	(
		await tx.query<KnownException>(
			`select exception_id as "exceptionId", kind, subject, promised_kits as "promisedKits", shipped_kits as "shippedKits",
			        closed_at is not null as resolved
			   from demand_exception where reference = $1 and kind <> 'shortage' and (outcome is null or outcome = 'resolved')`,
			[reference],
		)
	).rows;

export async function saveExceptions(
	tx: Query,
	reference: string,
	{ settled, changed, added }: ExceptionChanges,
	actor: string,
): Promise<void> {
	if (settled.length > 0) await closeExceptions(tx, settled, "settled", actor, null);
	if (changed.length > 0) {
		await tx.query(
			`update demand_exception e set promised_kits = n.promised, shipped_kits = n.shipped
			   from unnest($1::bigint[], $2::int[], $3::int[]) n(id, promised, shipped) where e.exception_id = n.id`,
			(["exceptionId", "promisedKits", "shippedKits"] as const).map((name) => changed.map((one) => one[name])),
		);
	}
	if (added.length > 0) {
		await tx.query(
			`insert into demand_exception (reference, kind, subject, promised_kits, shipped_kits, missing_units)
			 select $1, n.*, 0 from unnest($2::text[], $3::text[], $4::int[], $5::int[]) n`,
			[
				reference,
				...(["kind", "subject", "promisedKits", "shippedKits"] as const).map((name) => added.map((one) => one[name])),
			],
		);
	}
}

export const closeExceptions = (
	tx: Query,
	ids: readonly number[],
	outcome: "resolved" | "settled" | "drawn",
	actor: string,
	note: string | null,
) =>
	tx.query<{ id: number }>(
		`update demand_exception set closed_at = now(), outcome = $2, closed_by = $3, note = $4
		  where exception_id = any($1::bigint[]) and closed_at is null returning exception_id as id`,
		[ids, outcome, actor, note],
	);

/** SKUs of an order with open exceptions. */
export async function selectOpenSubjects(tx: Query, reference: string): Promise<Set<string>> {
	const { rows } = await tx.query<{ subject: string }>(
		"select subject from demand_exception where reference = $1 and closed_at is null and kind in ('unknown_sku', 'no_recipe')",
		[reference],
	);
	return new Set(rows.map(({ subject }) => subject));
}

/** Units of a want that no lot has. `pools`: those that were searched. */
export type MissingUnits = Omit<Want, "neededUntil">;

/** Adds to the units missing under a reference. */
export const addShortages = (tx: Query, reference: string, shortages: readonly MissingUnits[]) =>
	tx.query(
		`insert into demand_exception (reference, kind, subject, formula_id, promised_kits, shipped_kits, missing_units, pool_ids)
		 select $1, 'shortage', n.formula_id || '/' || (n.pools::int[])[1], n.formula_id, 0, 0, n.units, n.pools::int[]
		   from unnest($2::uuid[], $3::int[], $4::text[]) n(formula_id, units, pools)
		 on conflict (reference, kind, subject) where closed_at is null
		 do update set missing_units = demand_exception.missing_units + excluded.missing_units, pool_ids = excluded.pool_ids`,
		[
			reference,
			shortages.map(({ formulaId }) => formulaId),
			shortages.map(({ units }) => units),
			shortages.map(({ pools }) => `{${pools.join(",")}}`),
		],
	);

export interface OpenShortage extends MissingUnits {
	readonly exceptionId: number;
}

export const lockShortages = async (tx: Query, reference: string): Promise<OpenShortage[]> =>
	(
		await tx.query<OpenShortage>(
			`select exception_id as "exceptionId", formula_id as "formulaId", pool_ids as pools, missing_units as units
			   from demand_exception where reference = $1 and kind = 'shortage' and closed_at is null
			  order by exception_id for update`,
			[reference],
		)
	).rows;

/** Writes the units still missing, all above 0, and the pools searched. */
export const reduceShortages = (tx: Query, left: readonly OpenShortage[]) =>
	tx.query(
		`update demand_exception e set missing_units = n.units, pool_ids = n.pools::int[]
		   from unnest($1::bigint[], $2::int[], $3::text[]) n(id, units, pools) where e.exception_id = n.id`,
		[
			left.map(({ exceptionId }) => exceptionId),
			left.map(({ units }) => units),
			left.map(({ pools }) => `{${pools.join(",")}}`),
		],
	);

export const addDrawDown = (tx: Query, reference: string, fgIds: readonly string[], units: readonly number[]) =>
	tx.query(
		`insert into draw_down (reference, fg_id, units)
		 select $1, n.fg_id, sum(n.units) from unnest($2::uuid[], $3::int[]) n(fg_id, units) group by n.fg_id
		 on conflict (reference, fg_id) do update set units = draw_down.units + excluded.units`,
		[reference, fgIds, units],
	);

export interface ListedException {
	readonly exceptionId: number;
	readonly reference: string;
	readonly kind: ExceptionKind;
	/** The store ('' if no report named one), the SKU, or the code of the missing formula. */
	readonly subject: string;
	/** Codes of the brands whose stock was searched; null: the shared stock. Only for a shortage. */
	readonly brandCodes: readonly (string | null)[];
	readonly promisedKits: number;
	readonly shippedKits: number;
	/** Units shipped that no lot has. */
	readonly missingUnits: number;
	readonly createdAt: Date;
}

export interface ExceptionFilter {
	/** Absent: any. */
	readonly reference?: string | undefined;
	readonly kind?: ExceptionKind | undefined;
	/** Only exceptions after the one with this id; null: from the beginning. */
	readonly after?: number | null;
}

/** At most `limit` open exceptions, oldest first. */
export const listExceptions = (db: Query, { reference, kind, after }: ExceptionFilter, limit: number) =>
	firstRows(limit, (most) =>
		db.query<ListedException>(
			`select e.exception_id as "exceptionId", e.reference, e.kind, coalesce(f.code, e.subject) as subject,
			        coalesce((select jsonb_agg(p.brand_code order by n.n)
			                    from unnest(e.pool_ids) with ordinality n(pool_id, n) join pool p using (pool_id)), '[]') as "brandCodes",
			        e.promised_kits as "promisedKits", e.shipped_kits as "shippedKits", e.missing_units as "missingUnits",
			        e.created_at as "createdAt"
			   from demand_exception e
			   left join formula f using (formula_id)
			  where e.closed_at is null and ($1::text is null or e.reference = $1) and ($2::text is null or e.kind = $2)
			    and ($3::bigint is null or e.exception_id > $3)
			  order by e.exception_id limit $4`,
			[reference ?? null, kind ?? null, after ?? null, most],
		),
	);

export interface ExceptionRow {
	readonly reference: string;
	readonly kind: ExceptionKind;
	readonly subject: string;
	/** How it was closed; null: it is open. */
	readonly outcome: "resolved" | "settled" | "drawn" | null;
	/** Why the operator closed it; null: no reason was given, or somebody else closed it. */
	readonly note: string | null;
}

export const selectException = async (db: Query, exceptionId: number): Promise<ExceptionRow | null> =>
	(
		await db.query<ExceptionRow>(
			`select reference, kind, subject, outcome, note from demand_exception where exception_id = $1`,
			[exceptionId],
		)
	).rows[0] ?? null;

/** The next references with open exceptions, after `after` and in order. */
export const selectReferencesWithExceptions = async (db: Query, after: string, limit: number): Promise<string[]> =>
	(
		await db.query<{ reference: string }>(
			`select distinct reference from demand_exception where closed_at is null and reference > $1 order by reference limit $2`,
			[after, limit],
		)
	).rows.map(({ reference }) => reference);
