import type { Static } from "typebox";
import { type Draw, drawOf, drawsOf, isUnknownBrand } from "../catalog/brand.ts";
import { type Catalog, visibleSku } from "../catalog/catalog.ts";
import { type Sku, showsComponents, tracksInventory, whyUnsellable } from "../catalog/sku.ts";
import type { Caller } from "../keys/key.ts";
import { must } from "../lib/assert.ts";
import { isRefusal, type Refusal } from "../lib/refusal.ts";
import type { Check, RequestLine } from "./contract.ts";
import { countFormula, countSku, NO_COUNT } from "./count.ts";
import type { Look, ShelfOf, StockReader } from "./reader.ts";
import { shelvesOfSku } from "./shelves.ts";
import type { StockView } from "./view.ts";

type Line = Readonly<Static<typeof RequestLine>>;
export type Availability = Static<(typeof Check)["replies"][200]>;
export type AvailabilityItem = Availability["items"][number];

/** What each line could have, counted by itself; no hold is taken. Refuses a brand the key may not act for. */
export function check(
	reader: StockReader,
	caller: Caller,
	lines: readonly Line[],
): Promise<Availability | Refusal<"brand_mismatch" | "invalid_input" | "rate_limited">> {
	return reader.ask({
		shelves: (catalog) => lines.flatMap((line) => shelvesOfLine(catalog, caller, line)),
		answer: (look) => answerCheck(look, caller, lines),
	});
}

function shelvesOfLine(catalog: Catalog, caller: Caller, line: Line): ShelfOf[] {
	const sku = visibleSku(catalog, line.sku, caller.environment);
	const draw = drawOf(caller, line.brand_code, catalog);
	return sku && !isRefusal(draw) && !isUnknownBrand(draw) ? shelvesOfSku(sku, draw.pools) : [];
}

/** Pure: the reply, from one look at stock. */
export function answerCheck(
	look: Look,
	caller: Caller,
	lines: readonly Line[],
): Availability | Refusal<"brand_mismatch" | "invalid_input"> {
	const named = lines.map(({ brand_code }) => brand_code);
	const draws = drawsOf(caller, named, look.catalog);
	if (isRefusal(draws)) return draws;
	const items = lines.map((line, index) => {
		const draw = must(draws[index], "draw of a line");
		const sku = visibleSku(look.catalog, line.sku, caller.environment);
		if (!sku || isUnknownBrand(draw)) return unknownItem(line, caller);
		return { ...itemOf(look, sku, draw), requested_qty: line.qty };
	});
	return { items };
}

function itemOf(view: StockView, sku: Sku, { brandCode, pools }: Draw): Omit<AvailabilityItem, "requested_qty"> {
	const sellable = tracksInventory(sku) && whyUnsellable(sku) === null;
	const counts = sellable ? countSku(view, sku.components, pools) : NO_COUNT;
	const item = { sku: sku.sku, brand_code: brandCode, ...counts, tracks_inventory: tracksInventory(sku), known: true };
	if (!showsComponents(sku)) return item;
	const components = sku.components.map(({ formula, perKit }) => {
		const { available, atp } = sellable ? countFormula(view, formula.formulaId, pools) : { available: 0, atp: 0 };
		return { formula_id: formula.formulaId, per_kit: perKit, available_units: available, atp_units: atp };
	});
	return { ...item, components };
}

const unknownItem = ({ sku, qty, brand_code }: Line, caller: Caller): AvailabilityItem => ({
	sku,
	brand_code: caller.brandCode ?? brand_code ?? null,
	requested_qty: qty,
	...NO_COUNT,
	tracks_inventory: false,
	known: false,
});
