import type { ReactNode } from "react";
import { Field } from "../parts/form.tsx";
import { words } from "../words/words.ts";
import { FormulaField, PoolChoice, poolOf } from "./pool.tsx";

/** Units of a formula in a pool, as they are typed. `brand_code` is empty for the shared stock. */
export interface TypedUnits {
	readonly formula: string;
	readonly brand_code: string;
	readonly units: string;
}

/** A form in which nothing was typed yet. */
export const NO_UNITS: TypedUnits = { formula: "", brand_code: "", units: "" };

/** What was typed, as members of a request body. */
export const unitsOf = ({ formula, brand_code, units }: TypedUnits) => ({
	formula: formula.trim(),
	brand_code: poolOf(brand_code),
	units: Number(units),
});

interface UnitsProps {
	readonly value: TypedUnits;
	readonly onChange: (value: TypedUnits) => void;
	/** The lowest number of units that may be typed. */
	readonly least: 0 | 1;
	readonly unitsHint?: string;
	/** What is wrong with one of the fields, if the service said so. */
	readonly problemOf?: (field: keyof TypedUnits) => string | null;
}

/** The three fields for units of a formula in a pool. */
export function UnitsFields({ value, onChange, least, unitsHint, problemOf = () => null }: UnitsProps): ReactNode {
	return (
		<>
			<FormulaField
				value={value.formula}
				onChange={(formula) => onChange({ ...value, formula })}
				problem={problemOf("formula")}
			/>
			<PoolChoice
				value={value.brand_code}
				onChange={(brand_code) => onChange({ ...value, brand_code })}
				problem={problemOf("brand_code")}
			/>
			<Field
				label={words.demand.units}
				hint={unitsHint}
				type="number"
				min={least}
				step={1}
				value={value.units}
				onChange={({ target }) => onChange({ ...value, units: target.value })}
				problem={problemOf("units")}
				required
			/>
		</>
	);
}
