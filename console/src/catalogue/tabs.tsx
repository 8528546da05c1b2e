import { type ReactNode, useState } from "react";
import { NavLink } from "react-router";
import { addressOf } from "../api/call.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";

const PARTS = [
	["skus", "/catalogue"],
	["products", "/catalogue/products"],
	["formulas", "/catalogue/formulas"],
	["brands", "/catalogue/brands"],
] as const;
type Part = (typeof PARTS)[number][0];

/** How a dialog of the catalogue ends: closed, and first with a thing saved. */
export interface SavedProps {
	readonly onClose: () => void;
	readonly onSaved: (code: string) => void;
}

/** What was saved last on a page of the catalogue, so that it says so. */
export function useSaved(): { readonly saved: string | null; readonly note: (code: string) => void } {
	const [saved, note] = useState<string | null>(null);
	return { saved, note };
}

/** The button in a row, which says of what it is only to those who cannot see the row. */
export const ChangeButton = ({ name, onClick }: { name: string; onClick: () => void }): ReactNode => (
	<button type="button" aria-label={name} onClick={onClick}>
		{words.catalogue.change}
	</button>
);

interface CataloguePageProps {
	readonly part: Part;
	readonly me: Me;
	/** The button that creates one. */
	readonly make: string;
	readonly onMake: () => void;
	/** What was just saved; null: nothing. */
	readonly saved: string | null;
	readonly children: ReactNode;
}

/** One of the four lists of the catalogue, with the ways to the others and to its file. */
export function CataloguePage({ part, me, make, onMake, saved, children }: CataloguePageProps): ReactNode {
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
					{hasRole(me, "operator") ? (
						<button type="button" className="main" onClick={onMake}>
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
			{children}
		</Page>
	);
}
