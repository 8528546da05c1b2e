/**
 * The alternative: one transaction per request, written plainly, as most services would: consecutive statements on a
 * pooled connection, each awaited; the lots' rows are locked from the select to the commit. Refusals are left out,
 * because the bench never requests missing stock.
 */

import { newId } from "../../service/src/ground/lib/ids.ts";
import type { Database, Query } from "../../service/src/ground/pg/connect.ts";
import { DEFAULT_TTL_MINUTES, type Reserve } from "../../service/src/inventory/holds/contract.ts";
import type { HoldReply } from "../../service/src/inventory/holds/hold-reply.ts";
import type { Caller } from "../../service/src/partners/http/caller.ts";
import type { Request } from "../../service/src/partners/http/operation.ts";
import * as sql from "./sql.ts";

type Body = Request<typeof Reserve>["body"];
type Item = HoldReply["items"][number];
type Part = { lot: sql.PlainLot; line: number; units: number };

export async function reservePlainly(
	{ pool }: Database,
	caller: Caller,
	requestId: string,
	body: Body,
): Promise<HoldReply> {
	const client = await pool.connect();
	try {
		await client.query("begin");
		const reply = await reserve(client as unknown as Query, caller, requestId, body);
		await client.query("commit");
		client.release();
		return reply;
	} catch (error) {
		client.release(true); // closing the connection rolls back
		throw error;
	}
}

async function reserve(tx: Query, caller: Caller, requestId: string, body: Body): Promise<HoldReply> {
	const ref = body.external_ref ?? null;
	const existing = await tx.query(sql.SELECT_HOLD_BY_REF, [caller.keyId, ref]);
	if (existing.rows.length > 0) throw new Error("the bench repeats no reference");
	const recipe = (await tx.query<sql.PlainComponent>(sql.SELECT_RECIPE, [body.items.map(({ sku }) => sku)])).rows;
	const pools = [caller.poolId, ...(caller.sharedPool ? [0] : [])];
	const lots = await tx.query<sql.PlainLot>(sql.LOCK_LOTS, [recipe.map((row) => row.formula_id), pools]);
	const parts = allocate(body, recipe, lots.rows);
	const lines = body.items.map(({ sku, qty }) => ({
		sku,
		brand_code: caller.brandCode,
		qty,
		pools,
		components: componentsOf(recipe, sku),
	}));
	const token = newId();
	const minutes = body.ttl_minutes ?? DEFAULT_TTL_MINUTES;
	const values = [token, caller.keyId, caller.partnerId, ref, JSON.stringify(lines), minutes];
	const { expires_at: expiresAt } = (await tx.query<{ expires_at: Date }>(sql.INSERT_HOLD, values)).rows[0]!;
	for (const [ordinal, { lot, line, units }] of parts.entries()) {
		const { fg_id, formula_id, pool_id } = lot;
		await tx.query(sql.INSERT_PART, [token, ordinal, line, formula_id, fg_id, pool_id, units]);
		await tx.query(sql.INSERT_MOVE, [fg_id, units, token, `key:${caller.pk}`, requestId]);
		await tx.query(sql.UPDATE_LOT, [fg_id, units]);
	}
	return {
		reservation_token: token,
		expires_at: expiresAt.toISOString(),
		idempotent: false,
		items: body.items.map((item, line) => itemReply(item, line, caller, recipe, parts)),
	};
}

const componentsOf = (recipe: readonly sql.PlainComponent[], sku: string) =>
	recipe.filter((row) => row.sku === sku).map(({ formula_id, per_kit }) => ({ formula_id, per_kit }));

/** First expired, first out; the lots come in that order. */
function allocate(body: Body, recipe: readonly sql.PlainComponent[], lots: readonly sql.PlainLot[]): Part[] {
	const parts: Part[] = [];
	const left = new Map(lots.map((lot) => [lot.fg_id, lot.available]));
	for (const [line, { sku, qty }] of body.items.entries()) {
		for (const { formula_id, per_kit } of componentsOf(recipe, sku)) {
			let wanted = qty * per_kit;
			for (const lot of lots) {
				const units = lot.formula_id === formula_id ? Math.min(wanted, left.get(lot.fg_id)!) : 0;
				if (units === 0) continue;
				parts.push({ lot, line, units });
				left.set(lot.fg_id, left.get(lot.fg_id)! - units);
				wanted -= units;
			}
			if (wanted > 0) throw new Error(`the bench's world has too little of ${sku}`);
		}
	}
	return parts;
}

function itemReply(
	item: Body["items"][number],
	line: number,
	caller: Caller,
	recipe: readonly sql.PlainComponent[],
	parts: readonly Part[],
): Item {
	const mine = parts.filter((part) => part.line === line);
	const components = componentsOf(recipe, item.sku).map(({ formula_id, per_kit }) => {
		const drawn = mine.filter(({ lot }) => lot.formula_id === formula_id);
		return { formula_id, per_kit, requested_units: item.qty * per_kit, ...totals(drawn) };
	});
	return { sku: item.sku, brand_code: caller.brandCode, reserved_qty: item.qty, ...poolTotals(mine), components };
}

const sum = (parts: readonly Part[]): number => parts.reduce((units, part) => units + part.units, 0);
const poolTotals = (parts: readonly Part[]) => ({
	from_brand_pool: sum(parts.filter(({ lot }) => lot.pool_id !== 0)),
	from_shared_pool: sum(parts.filter(({ lot }) => lot.pool_id === 0)),
	fg_ids: parts.map(({ lot }) => lot.fg_id),
});
const totals = (parts: readonly Part[]) => ({ reserved_units: sum(parts), ...poolTotals(parts) });
