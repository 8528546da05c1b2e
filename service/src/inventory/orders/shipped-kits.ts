import type { HoldLine } from "../holds/hold.ts";
import { wholeKits } from "../stock/count.ts";
import type { RecordPart } from "./order-record.ts";

/** Kits of a line that have shipped completely. */
export const shippedKits = (parts: readonly RecordPart[], components: HoldLine["components"]): number =>
	wholeKits(
		components.map(({ formula_id, per_kit }) => ({ perKit: per_kit, formula_id })),
		({ formula_id }) => {
			let units = 0;
			for (const part of parts) if (part.formulaId === formula_id && part.state === "shipped") units += part.units;
			return units;
		},
	);
