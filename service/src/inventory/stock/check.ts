import type { Static } from "typebox";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { isUnknownBrand } from "../catalog/brand.ts";
import { type ResolvedLine, type ResolvedLines, resolvedBy } from "../catalog/resolve-lines.ts";
import { showsComponents, tracksInventory, whyUnsellable } from "../catalog/sku.ts";
import type { Check, RequestLine } from "./contract.ts";
import { countFormula, countSku, NO_COUNT, type StockView } from "./count.ts";
import type { StockReader } from "./reader.ts";
import { addShelvesOfLines } from "./shelves.ts";

/** Number of lines of a check that weigh as much as one small request. */
const LINES_PER_WEIGHT = 10;

type Line = Readonly<Static<typeof RequestLine>>;
export type Availability = Static<(typeof Check)["replies"][200]>;
export type AvailabilityItem = Availability["items"][number];

/** The availability of each line, counted separately; takes no hold. Refuses a brand that the key may not act for. */
export function check(
	reader: StockReader,
	caller: Caller,
	lines: readonly Line[],
): Promise<Availability | CheckRefusal | Refusal<"rate_limited">> {
	const asked = lines.map(({ sku, brand_code }) => ({ sku, brandCode: brand_code }));
	const resolvedIn = resolvedBy(caller, asked);
	return reader.ask({
		owner: caller.keyId,
		weight: Math.ceil(lines.length / LINES_PER_WEIGHT),
		addShelves: (catalog, shelves) => addShelvesOfLines(shelves, resolvedIn(catalog)),
		answer: (snapshot) => answerCheck(snapshot, caller, lines, resolvedIn(snapshot.catalog)),
	});
}

/** The reply, from one stock snapshot. `resolved`: the lines, resolved in its catalogue. Pure. */
export function answerCheck(
	view: StockView,
	caller: Caller,
	lines: readonly Line[],
	resolved: ResolvedLines,
): Availability | CheckRefusal {
	if (isRefusal(resolved)) return resolved;
	return { items: lines.map((line, index) => itemOf(view, caller, line, must(resolved[index], "a resolved line"))) };
}

type CheckRefusal = Refusal<"brand_mismatch" | "invalid_input">;

function itemOf(view: StockView, caller: Caller, line: Line, { sku, draw }: ResolvedLine): AvailabilityItem {
	if (!sku || isUnknownBrand(draw)) return unknownItem(line, caller);
	const { brandCode, pools } = draw;
	const tracks_inventory = tracksInventory(sku);
	const sellable = tracks_inventory && whyUnsellable(sku) === null;
	const { available_qty, atp_qty, promised_qty, backorder_qty } = sellable
		? countSku(view, sku.components, pools)
		: NO_COUNT;
	const item = {
		sku: sku.sku,
		brand_code: brandCode,
		requested_qty: line.qty,
		available_qty,
		atp_qty,
		promised_qty,
		backorder_qty,
		tracks_inventory,
		known: true,
	};
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
