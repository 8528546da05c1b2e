import { type ReactNode, useContext } from "react";
import { useSearchParams } from "react-router";
import { type Asked, type CallError, type DataOf, type OperationId } from "../api/call.ts";
import { useRead } from "../api/use.ts";
import { words } from "../words/words.ts";
import { Empty, Loading, PageTitle, Problem } from "./page.tsx";

/** Rows on one page: as many as the console requests from the API. */
const ROWS = 100;

interface Paged<Row> {
	readonly items: readonly Row[];
	readonly next_cursor: string | null;
}

/** A column: its heading and its cell. `isNumber`: aligned at the right. */
export interface Column<Row> {
	readonly head: string;
	readonly cell: (row: Row) => ReactNode;
	readonly isNumber?: boolean;
}

/** A filter that is in the address of the page: a text, or one of a few words. */
export interface Filter {
	readonly name: string;
	readonly label: string;
	/** A text (default) or a day. */
	readonly type?: "search" | "date";
	/** Values of the API, each by itself or with the words that a person reads. */
	readonly options?: readonly (string | readonly [value: string, text: string])[];
}

export interface ListProps<Id extends OperationId> {
	readonly id: Id;
	/** What the table shows, for screen readers. */
	readonly caption: string;
	readonly filters?: readonly Filter[];
	/** Parameters of the operation's path. */
	readonly params?: Readonly<Record<string, string>>;
	/** Additional query parameters of every page. */
	readonly query?: Readonly<Record<string, string>>;
	readonly columns: readonly Column<RowOf<Id>>[];
	readonly keyOf: (row: RowOf<Id>) => string;
	readonly empty: { readonly title: string; readonly hint: ReactNode };
	readonly emptyFiltered: string;
}
/** A row of a list of the API. */
export type RowOf<Id extends OperationId> = DataOf<Id> extends Paged<infer Row> ? Row : never;

/** A list of the API as a table. The page's address contains the filters and the place in the list. */
export function List<Id extends OperationId>(props: ListProps<Id>): ReactNode {
	const { id, filters = [], params = {}, empty, emptyFiltered } = props;
	const [search, setSearch] = useSearchParams();
	const given = filters.flatMap(({ name }) => (search.get(name) ? [[name, search.get(name)] as const] : []));
	const cursor = search.get("cursor");
	const query = { ...Object.fromEntries(given), ...props.query, limit: ROWS, ...(cursor === null ? {} : { cursor }) };
	const { data, error, refetch } = useRead(id, { params, query } as unknown as Asked<Id>);
	const page = data as unknown as Paged<RowOf<Id>> | undefined;
	return (
		<>
			{filters.length === 0 ? null : <Filters filters={filters} />}
			<Problem error={error as CallError | null} retry={() => void refetch()} />
			{page === undefined && error === null ? <Loading /> : null}
			{page !== undefined && page.items.length === 0 ? (
				given.length === 0 && cursor === null ? (
					<Empty title={empty.title} hint={empty.hint} />
				) : (
					<Empty title={emptyFiltered} />
				)
			) : null}
			{page !== undefined && page.items.length > 0 ? <Table {...props} rows={page.items} /> : null}
			<Pages
				hasCursor={cursor !== null}
				next={page?.next_cursor ?? null}
				go={(to) => {
					if (to === null) search.delete("cursor");
					else search.set("cursor", to);
					setSearch(search);
				}}
			/>
		</>
	);
}

export interface TableProps<Row> {
	readonly caption: string;
	readonly columns: readonly Column<Row>[];
	readonly keyOf: (row: Row) => string;
	readonly rows: readonly Row[];
}

/** A table that a phone can scroll sideways. */
export function Table<Row>({ caption, columns, keyOf, rows }: TableProps<Row>): ReactNode {
	const isTold = useContext(PageTitle) === caption;
	return (
		<div className="scroll" role="region" aria-label={caption} tabIndex={0}>
			<table>
				<caption className={isTold ? "unseen" : undefined}>{caption}</caption>
				<thead>
					<tr>
						{columns.map(({ head, isNumber }) => (
							<th key={head} scope="col" className={isNumber ? "number" : undefined}>
								{head}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={keyOf(row)}>
							{columns.map(({ head, cell, isNumber }) => (
								<td key={head} data-head={head} className={isNumber ? "number" : undefined}>
									{cell(row)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

/** The filters of a list. The address of the page contains their values. */
export function Filters({ filters }: { filters: readonly Filter[] }): ReactNode {
	const [search, setSearch] = useSearchParams();
	const set = (name: string, value: string): void => {
		if (value === "") search.delete(name);
		else search.set(name, value);
		search.delete("cursor");
		setSearch(search, { replace: true });
	};
	return (
		<search className="filters">
			{filters.map(({ name, label, type = "search", options }) => (
				<label key={name}>
					{label}
					{options === undefined ? (
						<input
							type={type}
							defaultValue={search.get(name) ?? ""}
							onChange={({ target }) => set(name, target.value.trim())}
						/>
					) : (
						<select value={search.get(name) ?? ""} onChange={({ target }) => set(name, target.value)}>
							<option value="">{words.all}</option>
							{options.map((option) => {
								const [value, text] = typeof option === "string" ? [option, option] : option;
								return (
									<option key={value} value={value}>
										{text}
									</option>
								);
							})}
						</select>
					)}
				</label>
			))}
		</search>
	);
}

function Pages(props: { hasCursor: boolean; next: string | null; go: (to: string | null) => void }): ReactNode {
	const { hasCursor, next, go } = props;
	if (!hasCursor && next === null) return null;
	return (
		<nav className="pages" aria-label={words.nextPage}>
			{hasCursor ? (
				<button type="button" onClick={() => go(null)}>
					{words.firstPage}
				</button>
			) : null}
			{next === null ? null : (
				<button type="button" onClick={() => go(next)}>
					{words.nextPage}
				</button>
			)}
		</nav>
	);
}
