import { type ReactNode, useState } from "react";
import { NavLink } from "react-router";
import { addressOf, type OperationId } from "../api/call.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { type Column, type Filter, List, type ListProps, type RowOf } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";

const PARTS = [
	["skus", "/catalogue"],
	["products", "/catalogue/products"],
	["formulas", "/catalogue/formulas"],
	["brands", "/catalogue/brands"],
] as const;
type Part = (typeof PARTS)[number][0];

/** How a dialog of the catalogue ends. `onSaved` is called when something was saved, with its code. */
export interface SavedProps {
	readonly onClose: () => void;
	readonly onSaved: (code: string) => void;
}

/** The button in a row. What it changes is named for screen readers only. */
const ChangeButton = ({ name, onClick }: { name: string; onClick: () => void }): ReactNode => (
	<button type="button" aria-label={name} onClick={onClick}>
		{words.catalogue.change}
	</button>
);

interface CatalogueProps<Id extends OperationId> extends Pick<ListProps<Id>, "id" | "columns" | "empty"> {
	readonly part: Part;
	readonly me: Me;
	/** The text of the button that creates a row. */
	readonly make: string;
	readonly filters: readonly Filter[];
	/** The code of a row: what it is called. */
	readonly codeOf: (row: RowOf<Id>) => string;
	/** The dialog that changes a row, or creates one where there is none. */
	readonly dialog: (row: RowOf<Id> | null, ends: SavedProps) => ReactNode;
}

/** One of the four lists of the catalogue, with links to the others and to its CSV file. */
export function CataloguePage<Id extends OperationId>(props: CatalogueProps<Id>): ReactNode {
	const { part, me, make, codeOf, dialog } = props;
	/** The row whose dialog is open; null: no dialog is open. */
	const [chosen, setChosen] = useState<{ readonly row: RowOf<Id> | null } | null>(null);
	/** What was saved last. */
	const [saved, setSaved] = useState<string | null>(null);
	const mayChange = hasRole(me, "operator");
	const change: Column<RowOf<Id>> = {
		head: words.catalogue.change,
		cell: (row) => <ChangeButton name={words.catalogue.changeOne(codeOf(row))} onClick={() => setChosen({ row })} />,
	};
	return (
		<Page
			title={words.catalogue.parts[part]}
			actions={
				<>
					<a
						className="button"
						href={addressOf("export_section", { params: { section: part } })}
						download={`${part}.csv`}
					>
						{words.catalogue.export}
					</a>
					{mayChange ? (
						<button type="button" className="main" onClick={() => setChosen({ row: null })}>
							{make}
						</button>
					) : null}
				</>
			}
		>
			<nav className="tabs" aria-label={words.catalogue.title}>
				{PARTS.map(([one, path]) => (
					<NavLink key={one} to={path} end>
						{words.catalogue.parts[one]}
					</NavLink>
				))}
			</nav>
			<p className="good" role="status">
				{saved === null ? null : words.catalogue.saved(saved)}
			</p>
			<List
				id={props.id}
				caption={words.catalogue.parts[part]}
				filters={props.filters}
				keyOf={codeOf}
				empty={props.empty}
				emptyFiltered={words.catalogue.emptyFiltered}
				columns={mayChange ? [...props.columns, change] : props.columns}
			/>
			{chosen === null ? null : dialog(chosen.row, { onClose: () => setChosen(null), onSaved: setSaved })}
		</Page>
	);
}
