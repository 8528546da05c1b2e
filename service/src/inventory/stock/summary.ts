import type { Static } from "typebox";
import { SHARED_POOL_ID } from "../../glossary.ts";
import { must } from "../../ground/lib/assert.ts";
import type { Draw } from "../catalog/brand.ts";
import type { SoldFormula } from "../catalog/sold-formulas.ts";
import type { FormulaSummary as SummarySchema } from "./contract.ts";
import { availableUnits, boundUnits, countFormula, earliestExpiry, promisedUnits } from "./count.ts";
import { inDate } from "./lot.ts";
import type { StockSnapshot } from "./reader.ts";

/** Units of one formula for a brand (settlements, section 7), of the brand's own pool unless stated otherwise. */
type FormulaSummary = Omit<Static<typeof SummarySchema>, "prepaid_units">;

/** The counts of a formula, by the same functions as check and inventory. Pure. */
export function summaryOf(snapshot: StockSnapshot, { formula, skus }: SoldFormula, { pools }: Draw): FormulaSummary {
	const { formulaId, name, status } = formula;
	const ownPool = must(pools[0], "the brand's pool");
	const own = [ownPool];
	const shared = pools.filter((poolId) => poolId === SHARED_POOL_ID);
	const bound = boundUnits(snapshot, formulaId, own);
	const promised_units = promisedUnits(snapshot, formulaId, own);
	const lots = snapshot.lots(formulaId, ownPool);
	// an archived formula is counted, but no reserve is granted any of it
	const shippable = (from: readonly number[]): number =>
		status === "active" ? countFormula(snapshot, formulaId, from).atp : 0;
	return {
		formula_id: formulaId,
		name,
		skus: [...skus],
		on_hand_units: availableUnits(snapshot, formulaId, own) + bound,
		reserved_units: bound + promised_units,
		promised_units,
		quarantined_units: lots.reduce((units, { quarantined }) => units + quarantined, 0),
		expired_units: lots.reduce((units, lot) => units + (inDate(lot, snapshot.today) ? 0 : lot.available), 0),
		shippable_units: shippable(own),
		shared_shippable_units: shippable(shared),
		earliest_expiry: earliestExpiry(snapshot, [{ formula }], pools),
	};
}
