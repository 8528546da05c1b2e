import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { Field, problemAt } from "../parts/form.tsx";
import { words } from "../words/words.ts";
import { FormulaField } from "./fields.tsx";

type SkuKind = DataOf<"put_sku">["kind"];

/** A row of a recipe as it is being typed. */
export interface RecipeRow {
	readonly id: number;
	readonly formula: string;
	readonly perKit: string;
}

const blank = (id: number): RecipeRow => ({ id, formula: "", perKit: "1" });

/** The rows of a recipe; a first one if it has none. */
export const rowsOf = (components: DataOf<"put_sku">["components"]): readonly RecipeRow[] =>
	components.length === 0
		? [blank(0)]
		: components.map(({ formula, per_kit }, id) => ({ id, formula, perKit: String(per_kit) }));

/** The rows that belong to a SKU of this kind and name a formula. */
export const sentRows = (kind: SkuKind, rows: readonly RecipeRow[]): readonly RecipeRow[] =>
	shownRows(kind, rows).filter(({ formula }) => formula !== "");

const shownRows = (kind: SkuKind, rows: readonly RecipeRow[]): readonly RecipeRow[] =>
	kind === "non_physical" ? [] : kind === "single" ? rows.slice(0, 1) : rows;

interface RecipeProps {
	readonly kind: SkuKind;
	readonly rows: readonly RecipeRow[];
	/** The rows that were or will be sent: the service's refusals count these. */
	readonly sent: readonly RecipeRow[];
	readonly onRows: (rows: readonly RecipeRow[]) => void;
	readonly error: Error | null;
}

/** What one kit of a SKU is made of. */
export function Recipe({ kind, rows, sent, onRows, error }: RecipeProps): ReactNode {
	if (kind === "non_physical") return null;
	const shown = shownRows(kind, rows);
	const change = (id: number, to: Partial<RecipeRow>): void =>
		onRows(rows.map((row) => (row.id === id ? { ...row, ...to } : row)));
	const wrong = problemAt(error, "components");
	return (
		<fieldset>
			<legend>{words.catalogue.recipe}</legend>
			<p className="hint">{words.catalogue.recipeHint[kind]}</p>
			{wrong === null ? null : <p className="wrong">{wrong}</p>}
			{shown.map((row, i) => (
				<fieldset key={row.id}>
					<legend>{words.catalogue.component(i + 1)}</legend>
					<Component kind={kind} row={row} at={`components/${sent.indexOf(row)}`} error={error} onChange={change} />
					{shown.length > 1 ? (
						<button type="button" onClick={() => onRows(rows.filter(({ id }) => id !== row.id))}>
							{words.catalogue.removeComponent(i + 1)}
						</button>
					) : null}
				</fieldset>
			))}
			{kind === "kit" ? (
				<button type="button" onClick={() => onRows([...rows, blank(Math.max(...rows.map(({ id }) => id)) + 1)])}>
					{words.catalogue.addComponent}
				</button>
			) : null}
		</fieldset>
	);
}

interface ComponentProps {
	readonly kind: Exclude<SkuKind, "non_physical">;
	readonly row: RecipeRow;
	/** The row's name in refusals. */
	readonly at: string;
	readonly error: Error | null;
	readonly onChange: (id: number, to: Partial<RecipeRow>) => void;
}

const Component = ({ kind, row: { id, formula, perKit }, at, error, onChange }: ComponentProps): ReactNode => (
	<>
		<FormulaField
			label={words.catalogue.formula}
			name={`formula-${id}`}
			none={words.receive.chooseFormula}
			value={formula}
			onValue={(value) => onChange(id, { formula: value })}
			problem={problemAt(error, `${at}/formula`)}
		/>
		<Field
			label={words.catalogue.perKit[kind]}
			name={`per_kit-${id}`}
			type="number"
			min={1}
			max={10_000}
			step={1}
			value={perKit}
			onChange={({ target }) => onChange(id, { perKit: target.value })}
			problem={problemAt(error, `${at}/per_kit`)}
		/>
	</>
);
