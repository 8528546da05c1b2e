import type { ReactNode } from "react";
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

interface CataloguePageProps {
	readonly part: Part;
	readonly me: Me;
	/** The button that creates one. */
	readonly make: string;
	readonly onMake: () => void;
	readonly children: ReactNode;
}

/** One of the four lists of the catalogue, with the ways to the others and to its file. */
export function CataloguePage({ part, me, make, onMake, children }: CataloguePageProps): ReactNode {
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
			{children}
		</Page>
	);
}
