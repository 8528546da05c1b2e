import type { Static } from "typebox";
import type { Environment } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { type Draw, isUnknownBrand, refuseUnknownBrand } from "../catalog/brand.ts";
import { spellingHint } from "../catalog/catalog.ts";
import { type ResolvedLines, resolvedBy } from "../catalog/resolve-lines.ts";
import { type Sku, showsComponents, tracksInventory, whyUnsellable } from "../catalog/sku.ts";
import type { Inventory } from "./contract.ts";
import { availableUnits, boundUnits, promisedUnits, wholeKits } from "./count.ts";
import type { StockReader, StockSnapshot } from "./reader.ts";
import { addShelvesOfLines } from "./shelves.ts";

export type InventoryPosition = Static<(typeof Inventory)["replies"][200]>;
type InventoryRefusal = Refusal<"brand_mismatch" | "invalid_input" | "not_found" | "unknown_brand_code">;
type Asked = Static<(typeof Inventory)["query"]>;

export function inventory(
	reader: StockReader,
	caller: Caller,
	asked: Asked,
): Promise<InventoryPosition | InventoryRefusal | Refusal<"rate_limited">> {
	const resolvedIn = resolvedBy(caller, [{ sku: asked.sku, brandCode: asked.brand_code }]);
	return reader.ask({
		owner: caller.keyId,
		weight: 1,
		addShelves: (catalog, shelves) => addShelvesOfLines(shelves, resolvedIn(catalog)),
		answer: (snapshot) => answerInventory(snapshot, asked, resolvedIn(snapshot.catalog), caller.environment),
	});
}

/** The reply, from one snapshot. `resolved`: the request in its catalogue; `environment`: the key's. Pure. */
export function answerInventory(
	snapshot: StockSnapshot,
	asked: Asked,
	resolved: ResolvedLines,
	environment: Environment,
): InventoryPosition | InventoryRefusal {
	if (isRefusal(resolved)) return resolved;
	const { sku, draw } = must(resolved[0], "the one line");
	if (isUnknownBrand(draw)) return refuseUnknownBrand(draw);
	if (!sku) {
		const hint = spellingHint(snapshot.catalog, asked.sku, environment);
		return refuse("not_found", `/sku: there is no SKU ${JSON.stringify(asked.sku)}${hint}.`);
	}
	if (!tracksInventory(sku)) {
		return { sku: sku.sku, tracks_inventory: false, by_brand: [], totals: { on_hand: 0, reserved: 0, atp: 0 } };
	}
	return positionOf(snapshot, sku, draw);
}

/** Units of one formula (settlements, section 4). */
interface FormulaPosition {
	readonly formula_id: string;
	readonly perKit: number;
	readonly on_hand_units: number;
	readonly reserved_units: number;
	readonly atp_units: number;
}

function positionOf(snapshot: StockSnapshot, sku: Sku, { pools }: Draw): InventoryPosition {
	const together = formulaPositions(snapshot, sku, pools);
	const by_brand = pools.map((poolId) => ({
		brand_code: must(snapshot.catalog.poolsById.get(poolId), "pool").brandCode,
		...inKits(sku, formulaPositions(snapshot, sku, [poolId])),
	}));
	const components = together.map(({ perKit, ...units }) => ({ ...units, per_kit: perKit }));
	return {
		sku: sku.sku,
		tracks_inventory: true,
		...(showsComponents(sku) ? { components } : {}),
		by_brand,
		totals: inKits(sku, together),
	};
}

function formulaPositions(snapshot: StockSnapshot, sku: Sku, pools: readonly number[]): FormulaPosition[] {
	const sellable = whyUnsellable(sku) === null;
	return sku.components.map(({ formula, perKit }) => {
		const { formulaId: formula_id } = formula;
		if (!sellable) return { formula_id, perKit, on_hand_units: 0, reserved_units: 0, atp_units: 0 };
		const available = availableUnits(snapshot, formula_id, pools);
		const bound = boundUnits(snapshot, formula_id, pools);
		const on_hand_units = available + bound;
		const reserved_units = bound + promisedUnits(snapshot, formula_id, pools);
		return {
			formula_id,
			perKit,
			on_hand_units,
			reserved_units,
			atp_units: Math.max(0, on_hand_units - reserved_units),
		};
	});
}

function inKits(sku: Sku, positions: readonly FormulaPosition[]): InventoryPosition["totals"] {
	const on_hand = wholeKits(positions, (position) => position.on_hand_units);
	const atp = wholeKits(positions, (position) => position.atp_units);
	// with one unit per kit, report the units themselves, which may exceed those on hand
	const reserved = showsComponents(sku) ? on_hand - atp : (positions[0]?.reserved_units ?? 0);
	return { on_hand, reserved, atp };
}
