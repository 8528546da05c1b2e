import type { ReactNode } from "react";
import { useRead } from "../api/use.ts";
import { Choice, Field } from "../parts/form.tsx";
import { words } from "../words/words.ts";

/** Maximum number of names that a field offers. */
const OFFERED = 500;

interface NameFieldProps {
	readonly label: string;
	readonly name: string;
	/** What an empty field means. */
	readonly none: string;
	readonly value?: string;
	readonly onValue?: (value: string) => void;
	readonly hint?: string;
	readonly problem?: string | null;
	readonly required?: boolean;
}
interface Offered {
	readonly names: readonly (readonly [value: string, text: string])[];
	/** The list has no other names. */
	readonly isWhole: boolean;
}

/** A choice, or, if the list is too long for one, a field with suggestions. */
function NameField({ none, onValue, names, isWhole, ...field }: NameFieldProps & Offered): ReactNode {
	const { name, value } = field;
	if (!isWhole)
		return (
			<>
				<Field
					{...field}
					list={`names-${name}`}
					autoComplete="off"
					onChange={({ target }) => onValue?.(target.value)}
				/>
				<datalist id={`names-${name}`}>
					{names.map(([code, text]) => (
						<option key={code} value={code}>
							{text}
						</option>
					))}
				</datalist>
			</>
		);
	// the content of the field may be older than the list
	const isKnown = value === undefined || value === "" || names.some(([code]) => code === value);
	const options = [["", none], ...(isKnown ? [] : [[value, value] as const]), ...names] as const;
	return <Choice {...field} options={options} onChange={({ target }) => onValue?.(target.value)} />;
}

const named = ({ code, name }: { code: string; name: string }) => [code, `${name} (${code})`] as const;

const ofProduct = ({ slug, name }: { slug: string; name: string }) => named({ code: slug, name });

/** Which formula, by its name. */
export function FormulaField(props: NameFieldProps): ReactNode {
	const { data } = useRead("list_formulas", { query: { limit: OFFERED } });
	return <NameField {...props} names={data?.items.map(named) ?? []} isWhole={isWhole(data)} />;
}

/** Which product, by its name. */
export function ProductField(props: NameFieldProps): ReactNode {
	const { data } = useRead("list_products", { query: { limit: OFFERED } });
	return <NameField {...props} names={data?.items.map(ofProduct) ?? []} isWhole={isWhole(data)} />;
}

/** Which pool: that of a brand, or, empty, the shared one unless `none` says otherwise. */
export function PoolField({ none = words.sharedStock, ...props }: Omit<NameFieldProps, "none"> & { none?: string }) {
	const { data } = useRead("list_brands", { query: { limit: OFFERED } });
	return <NameField {...props} none={none} names={data?.items.map(named) ?? []} isWhole={isWhole(data)} />;
}

const isWhole = (list: { readonly next_cursor: string | null } | undefined): boolean =>
	(list?.next_cursor ?? null) === null;

type Names = readonly (readonly [code: string, text: string])[];

/** Formulas by code and name, for the filter of a list. */
export const useFormulaNames = (): Names =>
	useRead("list_formulas", { query: { limit: OFFERED } }).data?.items.map(named) ?? [];

/** Brands by code and name, for the filter of a list. */
export const useBrandNames = (): Names =>
	useRead("list_brands", { query: { limit: OFFERED } }).data?.items.map(named) ?? [];

/** Products by slug and name, for the filter of a list. */
export const useProductNames = (): Names =>
	useRead("list_products", { query: { limit: OFFERED } }).data?.items.map(ofProduct) ?? [];
