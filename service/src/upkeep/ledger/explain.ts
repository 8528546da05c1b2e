import type { Static } from "typebox";
import { SANDBOX_BRAND } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Database, Query } from "../../ground/pg/connect.ts";
import { snapshot } from "../../ground/pg/transaction.ts";
import { drawOf, isUnknownBrand } from "../../inventory/catalog/brand.ts";
import { EMPTY_CATALOG, type Pool } from "../../inventory/catalog/catalog.ts";
import { noSuch } from "../../inventory/catalog/find-shelf.ts";
import { environmentOf, type Sku, tracksInventory, whyUnsellable } from "../../inventory/catalog/sku.ts";
import { selectCertifiedLots } from "../../inventory/certificates/certified-sql.ts";
import { countFormula, countSku, NO_COUNT, type StockView } from "../../inventory/stock/count.ts";
import { inDate } from "../../inventory/stock/lot.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { Explanation as ExplanationSchema } from "./admin-contract.ts";
import * as sql from "./explain-sql.ts";

export interface ExplainQuestion {
	readonly sku: string;
	/** The key whose view is explained; null: all pools. */
	readonly caller: Caller | null;
	/** The brand that the key would name. */
	readonly brandCode: string | undefined;
	/** Null: now. */
	readonly at: Date | null;
	/** Whether units of a lot without a current certificate are unavailable. Default: false. */
	readonly certificatesRequired?: boolean;
}

export type Explanation = Static<typeof ExplanationSchema>;
type ExplainedComponent = Explanation["components"][number];
export type ExplainedLot = ExplainedComponent["pools"][number]["lots"][number];

/**
 * Explains a count by pool, lot, hold and demand, now or at a past time: recomputed from the ledger (the sums of the
 * last seal of `verify`, and the moves between it and that time) and counted by the rule that check and reserve use.
 * Recipes have no history: the present ones are used.
 */
export function explain(
	db: Database,
	timeZone: string,
	question: ExplainQuestion,
): Promise<Explanation | Refusal<"not_found" | "invalid_input" | "brand_mismatch" | "unknown_brand_code">> {
	return snapshot(db, (tx) => explainIn(tx, timeZone, question));
}

async function explainIn(tx: Query, timeZone: string, question: ExplainQuestion) {
	const { sku: code, caller } = question;
	const [skus, pools, moments] = await Promise.all([
		sql.selectSku(tx, code),
		sql.selectPools(tx),
		sql.selectMoment(tx, question.at, timeZone),
	]);
	const [row] = skus.rows;
	const { at, today, ahead } = must(moments.rows[0], "the moment");
	if (!row || (caller && environmentOf(code) !== caller.environment)) {
		return refuse(
			"not_found",
			caller ? `There is no SKU ${JSON.stringify(code)} for this key.` : await noSuch(tx, "skus", code),
		);
	}
	if (ahead) return refuse("invalid_input", "That time is in the future: give a past one, or none for now.");
	const draw = poolsOf(question, pools.rows);
	if (isRefusal(draw)) return draw;
	const sku: Sku = { ...row, slug: null, testBehaviour: null, updatedAt: "", version: 0 };
	const facts = await readFacts(tx, sku, draw, {
		at,
		isPast: question.at !== null,
		certificatesRequired: question.certificatesRequired === true,
	});
	const brandOf = new Map(pools.rows.map(({ poolId, brandCode }) => [poolId, brandCode]));
	return {
		sku: code,
		name: row.name,
		kind: row.kind,
		at: at.toISOString(),
		today,
		key: caller?.pk ?? null,
		pools: draw.map((pool) => brandOf.get(pool) ?? null),
		...tell(sku, draw, facts, { at, today }, brandOf),
		notes: notesOn(sku, question, facts),
	};
}

function poolsOf(
	{ sku, caller, brandCode }: ExplainQuestion,
	pools: readonly Pick<Pool, "poolId" | "brandCode">[],
): readonly number[] | Refusal<"invalid_input" | "brand_mismatch" | "unknown_brand_code"> {
	if (caller === null) {
		const sandbox = environmentOf(sku) === "sandbox";
		const own = pools.filter((pool) => (pool.brandCode === SANDBOX_BRAND) === sandbox);
		const named = own.filter((pool) => brandCode === undefined || pool.brandCode === brandCode);
		if (brandCode !== undefined && named.length === 0) return noBrand(brandCode);
		return named.map(({ poolId }) => poolId);
	}
	// a key of a sandbox is bound to its pool, so no brand needs to name one
	const byBrand = pools.map((pool) => [pool.brandCode ?? "", { ...pool, partnerId: null }] as const);
	const draw = drawOf(caller, brandCode, { ...EMPTY_CATALOG, poolsByBrand: new Map(byBrand) });
	if (isRefusal(draw)) return draw;
	return isUnknownBrand(draw) ? noBrand(draw.unknownBrand) : draw.pools;
}

const noBrand = (brand: string): Refusal<"unknown_brand_code"> =>
	refuse("unknown_brand_code", `There is no brand ${JSON.stringify(brand)} for this SKU.`);

interface Facts {
	readonly lots: readonly sql.ExplainedLotRow[];
	/** By lot. */
	readonly held: ReadonlyMap<string, readonly sql.BoundRow[]>;
	readonly allocated: ReadonlyMap<string, readonly sql.BoundRow[]>;
	readonly demand: readonly sql.DemandRow[];
	/** Lots that have a current certificate now; null: none is required. */
	readonly certified: ReadonlySet<string> | null;
}

async function readFacts(
	tx: Query,
	sku: Sku,
	pools: readonly number[],
	{
		at,
		isPast,
		certificatesRequired,
	}: { readonly at: Date; readonly isPast: boolean; readonly certificatesRequired: boolean },
): Promise<Facts> {
	const formulaIds = sku.components.map(({ formula }) => formula.formulaId);
	const stretch = await sql.selectStretch(tx, at);
	const [lots, demand] = await Promise.all([
		sql.selectLotsAt(tx, { formulaIds, poolIds: pools }, at, stretch),
		isPast ? sql.selectDemandAt(tx, formulaIds, pools, at) : sql.selectDemand(tx, formulaIds, pools),
	]);
	const fgIds = lots.rows.map(({ fg_id }) => fg_id);
	const bound = async (bucket: "held" | "allocated") =>
		Map.groupBy((await sql.selectBoundAt(tx, fgIds, at, stretch, bucket)).rows, ({ fg_id }) => fg_id);
	const certified = certificatesRequired ? await selectCertifiedLots(tx, fgIds) : null;
	const [held, allocated] = [await bound("held"), await bound("allocated")];
	return { lots: lots.rows, demand: demand.rows, held, allocated, certified };
}

function tell(
	sku: Sku,
	draw: readonly number[],
	facts: Facts,
	{ at, today }: { at: Date; today: string },
	brandOf: ReadonlyMap<number, string | null>,
): Pick<Explanation, "components" | "counts"> {
	const told = facts.lots.map((lot) => ({ ...lot, told: tellLot(lot, facts, at, today) }));
	const lotsOf = (formulaId: string, poolId: number) =>
		told.filter((lot) => lot.formula_id === formulaId && lot.pool_id === poolId).map((lot) => lot.told);
	const demandOf = (formulaId: string, poolId: number) =>
		facts.demand.filter((entry) => entry.formula_id === formulaId && entry.pool_id === poolId);
	const view: StockView = {
		today,
		lots: (formulaId, poolId) =>
			lotsOf(formulaId, poolId).map((lot) => ({
				fgId: lot.fg_id,
				expiresOn: lot.expires_on,
				receivedOn: lot.received_on,
				available: lacksCertificate(facts, lot) ? 0 : lot.available + lot.lapsed_units,
			})),
		promised: (formulaId, poolId) => demandOf(formulaId, poolId).reduce((sum, { units }) => sum + units, 0),
	};
	const components = sku.components.map(({ formula, perKit }): ExplainedComponent => {
		const { available, promised, atp } = countFormula(view, formula.formulaId, draw);
		return {
			formula_id: formula.formulaId,
			formula: formula.code,
			status: formula.status,
			per_kit: perKit,
			available_units: available,
			promised_units: promised,
			atp_units: atp,
			pools: draw.map((poolId) => {
				const { available: inPool, promised: promisedThere } = countFormula(view, formula.formulaId, [poolId]);
				return {
					brand_code: brandOf.get(poolId) ?? null,
					available_units: inPool,
					promised_units: promisedThere,
					demand: demandOf(formula.formulaId, poolId).map(({ reference, units }) => ({ reference, units })),
					lots: lotsOf(formula.formulaId, poolId),
				};
			}),
		};
	});
	const sellable = tracksInventory(sku) && whyUnsellable(sku) === null;
	return { components, counts: sellable ? countSku(view, sku.components, draw) : NO_COUNT };
}

const lacksCertificate = ({ certified }: Facts, { fg_id }: { readonly fg_id: string }): boolean =>
	certified !== null && !certified.has(fg_id);

function tellLot(lot: sql.ExplainedLotRow, facts: Facts, at: Date, today: string): ExplainedLot {
	const { held, allocated } = facts;
	const { formula_id: _formula, pool_id: _pool, ...balances } = lot;
	const holds = (held.get(lot.fg_id) ?? []).map((row) => ({
		reservation_token: row.expires_at === null ? null : row.cause_id,
		key: row.key,
		external_ref: row.external_ref,
		units: row.units,
		expires_at: row.expires_at?.toISOString() ?? null,
		lapsed: row.expires_at !== null && row.expires_at <= at,
		later: row.expires_at === null ? row.cause_id : null,
	}));
	const orders = (allocated.get(lot.fg_id) ?? []).map(
		({ order_id, order_ref: ref, external_order_id, key, units, cause_id }) => ({
			order_id,
			ref,
			external_order_id,
			key,
			units,
			later: order_id === null ? cause_id : null,
		}),
	);
	// on a recalled lot, units of lapsed holds are not free either
	const lapsed_units = lot.recalled ? 0 : holds.reduce((sum, { lapsed, units }) => sum + (lapsed ? units : 0), 0);
	const in_date = inDate({ expiresOn: lot.expires_on }, today);
	const counts = in_date && !lacksCertificate(facts, lot) ? lot.available + lapsed_units : 0;
	return { ...balances, in_date, lapsed_units, counts, holds, orders };
}

function notesOn(sku: Sku, { caller, at }: ExplainQuestion, facts: Facts): string[] {
	const { held, allocated } = facts;
	const notes: string[] = [];
	const lacking = facts.lots.filter((lot) => lacksCertificate(facts, lot)).map(({ batch_number }) => batch_number);
	if (lacking.length > 0)
		notes.push(
			`A current certificate is required, and these batches have none now: ${[...new Set(lacking)].join(", ")}.`,
		);
	if (!tracksInventory(sku)) notes.push("It is not physical: nothing is counted.");
	else {
		const why = whyUnsellable(sku);
		if (why !== null) notes.push(`It ${why}: every count is 0.`);
	}
	if (caller === null)
		notes.push(
			"No key was given: all pools are taken together, although no key draws on all of them. Name a key to see its view.",
		);
	if (at !== null) {
		notes.push("The recipe and the dates of lots are as they are now.");
		const recalled = [...held.values(), ...allocated.values()].flat().some(({ expires_at }) => expires_at === null);
		if (recalled)
			notes.push("Some held or allocated units have since been taken by a recall: they appear under its reason.");
	}
	return notes;
}
