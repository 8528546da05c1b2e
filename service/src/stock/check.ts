import type { Static } from "typebox";
import { type BrandChoice, drawsOf, isUnknownBrand } from "../catalog/brand.ts";
import { type Catalog, visibleSku } from "../catalog/catalog.ts";
import { type Sku, showsComponents, tracksInventory, whyUnsellable } from "../catalog/sku.ts";
import type { Caller } from "../keys/key.ts";
import { must } from "../lib/assert.ts";
import { isRefusal, type Refusal } from "../lib/refusal.ts";
import type { Check, RequestLine } from "./contract.ts";
import { countFormula, countSku, NO_COUNT } from "./count.ts";
import type { Look, StockReader } from "./reader.ts";
import { addShelvesOfSku } from "./shelves.ts";
import type { StockView } from "./view.ts";

/** Lines of a check that weigh as much as one small question. */
const LINES_PER_WEIGHT = 10;

type Line = Readonly<Static<typeof RequestLine>>;
export type Availability = Static<(typeof Check)["replies"][200]>;
export type AvailabilityItem = Availability["items"][number];

/** What each line could have, counted by itself; no hold is taken. Refuses a brand the key may not act for. */
export function check(
	reader: StockReader,
	caller: Caller,
	lines: readonly Line[],
): Promise<Availability | CheckRefusal | Refusal<"rate_limited">> {
	let resolved: Resolved | undefined;
	const resolveFor = (catalog: Catalog): Resolved => {
		if (resolved?.catalog !== catalog) resolved = resolve(catalog, caller, lines);
		return resolved;
	};
	return reader.ask({
		owner: caller.keyId,
		weight: Math.ceil(lines.length / LINES_PER_WEIGHT),
		addShelves: (catalog, shelves) => {
			const { answer } = resolveFor(catalog);
			if (isRefusal(answer)) return;
			for (const { sku, draw } of answer) {
				if (sku && !isUnknownBrand(draw)) addShelvesOfSku(shelves, sku, draw.pools);
			}
		},
		answer: (look) => {
			const { answer } = resolveFor(look.catalog);
			return answerOf(look, caller, answer);
		},
	});
}

/** Pure: the reply, from one look at stock. */
export const answerCheck = (look: Look, caller: Caller, lines: readonly Line[]): Availability | CheckRefusal =>
	answerOf(look, caller, resolve(look.catalog, caller, lines).answer);

const answerOf = (view: StockView, caller: Caller, answer: Resolved["answer"]): Availability | CheckRefusal =>
	isRefusal(answer) ? answer : { items: answer.map((line) => itemOf(view, caller, line)) };

type CheckRefusal = Refusal<"brand_mismatch" | "invalid_input">;

/** What the lines mean in one catalogue. */
interface Resolved {
	readonly catalog: Catalog;
	readonly answer: readonly ResolvedLine[] | CheckRefusal;
}

interface ResolvedLine {
	readonly line: Line;
	readonly sku: Sku | undefined;
	readonly draw: BrandChoice;
}

function resolve(catalog: Catalog, caller: Caller, lines: readonly Line[]): Resolved {
	const named = lines.map(({ brand_code }) => brand_code);
	const draws = drawsOf(caller, named, catalog);
	if (isRefusal(draws)) return { catalog, answer: draws };
	const answer = lines.map((line, index) => ({
		line,
		sku: visibleSku(catalog, line.sku, caller.environment),
		draw: must(draws[index], "draw of a line"),
	}));
	return { catalog, answer };
}

function itemOf(view: StockView, caller: Caller, { line, sku, draw }: ResolvedLine): AvailabilityItem {
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
