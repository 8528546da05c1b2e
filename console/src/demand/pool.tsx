import { type ReactNode, useId } from "react";
import { useRead } from "../api/use.ts";
import { Choice, Field } from "../parts/form.tsx";
import type { Filter } from "../parts/list.tsx";
import { words } from "../words/words.ts";

/** Maximum number of entries that a field offers. */
const OFFERED = 500;

interface PoolProps {
	readonly label?: string;
	readonly value: string;
	readonly onChange: (brand_code: string) => void;
	readonly problem?: string | null;
}

/** A choice of the shared stock (`""`) or one brand's. */
export function PoolChoice({ label = words.demand.pool, value, onChange, problem }: PoolProps): ReactNode {
	const { data } = useRead("list_brands", { query: { limit: OFFERED } });
	const codes = data?.items.map(({ code }) => code) ?? [];
	const known = value === "" || codes.includes(value) ? codes : [value, ...codes];
	return (
		<Choice
			label={label}
			value={value}
			onChange={({ target }) => onChange(target.value)}
			problem={problem}
			options={[["", words.stock.shared] as const, ...known.map((code) => [code, code] as const)]}
		/>
	);
}

/** The pool as the API names it. */
export const poolOf = (brand_code: string): string | null => (brand_code === "" ? null : brand_code);

interface FormulaProps {
	readonly value: string;
	readonly onChange: (formula: string) => void;
	readonly problem?: string | null;
}

/** A field for the code of a formula, which suggests the existing ones. */
export function FormulaField({ value, onChange, problem }: FormulaProps): ReactNode {
	const list = useId();
	const { data } = useRead("list_formulas", { query: { limit: OFFERED } });
	return (
		<>
			<Field
				label={words.demand.formula}
				value={value}
				onChange={({ target }) => onChange(target.value)}
				list={list}
				problem={problem}
				maxLength={200}
				autoComplete="off"
				required
			/>
			<datalist id={list}>
				{data?.items.map(({ code, name }) => (
					<option key={code} value={code}>
						{name}
					</option>
				))}
			</datalist>
		</>
	);
}

/** A filter of a list by the brand of the pool. */
export function useBrandFilter(): Filter {
	const { data } = useRead("list_brands", { query: { limit: OFFERED } });
	return { name: "brand_code", label: words.demand.pool, options: data?.items.map(({ code }) => code) ?? [] };
}
