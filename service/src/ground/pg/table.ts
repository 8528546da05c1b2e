import { must } from "../lib/assert.ts";
import { Dictionary, plainArray, plainOrNone, textArray, textOrNone } from "./array.ts";

/*
 * Describes the columns of a table once, for its SELECT lists, the decoder of its rows, and the rows of an INSERT or
 * UPDATE. Values are encoded as described in decisions 0060 and 0063.
 */

type SqlType = "uuid" | "int" | "float8" | "text" | "bool" | "date" | "timestamptz" | "jsonb" | "uuid[]";

/** A column whose values are `V` in memory. */
export interface TableColumn<V> {
	readonly name: string;
	readonly type: SqlType;
	/** If all rows are null, nothing is sent. */
	readonly nullable?: true;
	/** Few distinct values: each is sent once, and every row sends its index. */
	readonly repeated?: true;
	/** Arbitrary text, which must be quoted. */
	readonly quoted?: true;
	/** Only for the type. */
	readonly value?: V;
}
export type Columns = Readonly<Record<string, TableColumn<unknown>>>;
export type ColumnsOf<Row> = { readonly [Field in keyof Row]-?: TableColumn<Row[Field]> };
export type RowOf<C extends Columns> = {
	-readonly [Name in keyof C]: C[Name] extends TableColumn<infer V> ? V : never;
};

export const id = (name: string): TableColumn<string> => ({ name, type: "uuid" });
/** Ids in the given order. */
export const ids = (name: string): TableColumn<readonly string[]> => ({ name, type: "uuid[]" });
export const int = (name: string): TableColumn<number> => ({ name, type: "int" });
/** A number with decimals. */
export const decimal = (name: string): TableColumn<number> => ({ name, type: "float8" });
/** One of our own words, which need no quoting. */
export const word = <W extends string>(name: string): TableColumn<W> => ({ name, type: "text" });
export const text = (name: string): TableColumn<string> => ({ name, type: "text", quoted: true });
export const flag = (name: string): TableColumn<boolean> => ({ name, type: "bool" });
/** YYYY-MM-DD. */
export const day = (name: string): TableColumn<string> => ({ name, type: "date" });
/** In memory: epoch milliseconds. */
export const time = (name: string): TableColumn<number> => ({ name, type: "timestamptz" });
export const json = <V>(name: string): TableColumn<V> => ({ name, type: "jsonb" });
export const nullable = <V>(column: TableColumn<V>): TableColumn<V | null> =>
	({ ...column, nullable: true }) as TableColumn<V | null>;
export const repeated = <V>(column: TableColumn<V>): TableColumn<V> => ({ ...column, repeated: true });

/** A time column as epoch milliseconds, in SQL. */
export const ms = (column: string): string => `round(extract(epoch from ${column}) * 1000)::bigint`;
/** The same, rounded down to a whole millisecond: never later than the time itself. */
export const wholeMs = (time: string): string => `floor(extract(epoch from ${time}) * 1000)::bigint`;

/** Reads rows of a table. */
export interface Reader<Row> {
	/** Number of columns. */
	readonly width: number;
	/** The SELECT list. `alias`: of the table; `other`: SQL to read instead of a column. */
	select(alias: string, other?: { readonly [Field in keyof Row]?: string }): string;
	/** Decodes the columns of a tuple from `first` on. */
	decode(tuple: readonly unknown[], first?: number): Row;
}

export function readerOf<Row>(columns: ColumnsOf<Row>): Reader<Row> {
	const fields = Object.keys(columns);
	const list = Object.values<TableColumn<unknown>>(columns);
	return {
		width: list.length,
		select: (alias, other = {}) =>
			list
				.map(({ name, type }, i) => {
					const column = `${alias}.${name}`;
					return other[fields[i] as keyof Row] ?? readAs(type, column);
				})
				.join(", "),
		decode: (tuple, first = 0) => {
			const row: Record<string, unknown> = {};
			for (let i = 0; i < fields.length; i++) row[fields[i] as string] = tuple[first + i];
			return row as Row;
		},
	};
}

function readAs(type: SqlType, column: string): string {
	if (type === "timestamptz") return ms(column);
	return type === "float8" ? `${column}::float8` : column;
}

/** Rows that a statement receives as parameters from `$1` on. */
export interface SentRows<Row> {
	/** For FROM: the rows as `n`, with the column names of the table. */
	readonly from: string;
	/** Column names except these, for INSERT. */
	namesBut(...fields: (keyof Row)[]): string;
	/** The values of all columns except these, for the SELECT of an INSERT with `namesBut`. */
	valuesBut(...fields: (keyof Row)[]): string;
	/** `name = value` for the columns except these, for UPDATE. */
	assignBut(...fields: (keyof Row)[]): string;
	valueOf(field: keyof Row): string;
	/** The number of the first free parameter. */
	readonly next: number;
	parameters(rows: readonly Row[]): (string | null)[];
}

/** `ordinal`: the name of an additional column that numbers the rows from 1. */
export function sentRows<C extends Columns>(columns: C, ordinal?: string): SentRows<RowOf<C>> {
	const sent = Object.entries(columns).map(([field, column], i) => ({ field, column, parameter: i + 1 }));
	const isTime = ({ column }: (typeof sent)[number]): boolean => column.type === "timestamptz";
	const dictionaries = sent.filter(({ column }) => column.repeated);
	const dictionaryOf = (field: string): number =>
		sent.length + 1 + dictionaries.findIndex((repeats) => repeats.field === field);
	const times = sent.length + dictionaries.length + 1;

	const valueIn = ({
		field,
		column: { name, type, nullable: isNullable, repeated: repeats },
	}: (typeof sent)[number]): string => {
		if (type === "timestamptz") return `($${times}::timestamptz[])[n.${name}]`;
		if (repeats) return `($${dictionaryOf(field)}::${type}[])[n.${name}]`;
		if (type === "uuid[]") return `n.${name}::uuid[]`;
		return type === "jsonb" && isNullable ? `nullif(n.${name}, 'null')` : `n.${name}`;
	};
	const but = (fields: readonly PropertyKey[]) => sent.filter(({ field }) => !fields.includes(field));
	return {
		from: fromOf(sent, ordinal),
		namesBut: (...fields) =>
			but(fields)
				.map(({ column }) => column.name)
				.join(", "),
		valuesBut: (...fields) => but(fields).map(valueIn).join(", "),
		assignBut: (...fields) =>
			but(fields)
				.map((one) => `${one.column.name} = ${valueIn(one)}`)
				.join(", "),
		valueOf: (field) =>
			valueIn(
				must(
					sent.find((one) => one.field === field),
					`column ${String(field)}`,
				),
			),
		next: times + (sent.some(isTime) ? 1 : 0),
		parameters: (rows) => {
			const instants = new Dictionary<number>();
			const repeats: string[] = [];
			const parameters = sent.map(({ field, column }): string | null => {
				const of = rows.map((row) => row[field] as never);
				if (column.type === "timestamptz") return instants.of(of);
				if (!column.repeated) return encode(column, of);
				const distinct = new Dictionary<string | number>();
				const places = distinct.of(of);
				repeats.push(plainArray(distinct.values));
				return places;
			});
			parameters.push(...repeats);
			if (sent.some(isTime)) parameters.push(plainArray(instants.values.map((at) => new Date(at).toISOString())));
			return parameters;
		},
	};
}

type Sent = readonly { readonly column: TableColumn<unknown>; readonly parameter: number }[];

function fromOf(sent: Sent, ordinal: string | undefined): string {
	const isJson = ({ column }: Sent[number]): boolean => column.type === "jsonb";
	const arrays = sent.filter((one) => !isJson(one));
	const documents = sent.filter(isJson);
	const unnest = `unnest(${arrays.map(({ column, parameter }) => `$${parameter}::${elementOf(column)}[]`).join(", ")})`;
	const elements = documents.map(({ parameter }) => `jsonb_array_elements($${parameter}::jsonb)`);
	const rows = documents.length > 0 ? `rows from (${[unnest, ...elements].join(", ")})` : unnest;
	const names = [...arrays, ...documents].map(({ column }) => column.name);
	return ordinal === undefined
		? `${rows} n(${names.join(", ")})`
		: `${rows} with ordinality n(${[...names, ordinal].join(", ")})`;
}

/** The type sent for each row: for a repeated value or a time, its index. */
const elementOf = ({ type, repeated: repeats }: TableColumn<unknown>): string => {
	if (repeats || type === "timestamptz") return "int";
	return type === "uuid[]" ? "text" : type;
};

function encode({ type, nullable: isNullable, quoted }: TableColumn<unknown>, values: readonly never[]): string | null {
	if (type === "jsonb") return JSON.stringify(values);
	if (type === "bool") return plainArray(values.map(String));
	if (type === "uuid[]") return textArray(values.map(plainArray));
	if (quoted) return isNullable ? textOrNone(values) : textArray(values);
	return isNullable ? plainOrNone(values) : plainArray(values);
}

export function pick<C extends Columns, Name extends keyof C & string>(columns: C, ...names: Name[]): Pick<C, Name> {
	return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<C, Name>;
}
