import type { ReactNode } from "react";
import type { EndedOf } from "../api/run.ts";
import { Table } from "../parts/list.tsx";
import { ShortTable } from "../parts/short-table.tsx";
import { FORMULA, POOL } from "../stock/lot-columns.tsx";
import { words } from "../words/words.ts";

/** What an import did or would do. */
export type ImportOutcome = EndedOf<"import_world">;
type Change = ImportOutcome["changes"][number];

const SECTIONS = ["brands", "formulas", "products", "skus", "lots", "demand", "buffers", "partners", "keys"] as const;

/** What an import does, section by section, then each changed field and each new row. */
export function ImportReport({ report }: { report: ImportOutcome }): ReactNode {
	const { created, changed, unchanged, changes, lots } = report;
	const named = SECTIONS.filter((section) => created[section] + changed[section] + unchanged[section] > 0);
	const quarantined = lots.filter((lot) => lot.quarantined);
	return (
		<section className="after">
			<div role="status">
				<h3>{words.imports[report.dry_run ? "would" : "did"]}</h3>
				{changes.length === 0 ? <p>{words.imports.nothing}</p> : null}
			</div>
			<Table
				caption={words.imports.rows}
				rows={named}
				keyOf={(section) => section}
				columns={[
					{ head: words.imports.section, cell: (section) => words.imports.sections[section] },
					{ head: words.imports.created, cell: (section) => created[section], isNumber: true },
					{ head: words.imports.changed, cell: (section) => changed[section], isNumber: true },
					{ head: words.imports.unchanged, cell: (section) => unchanged[section], isNumber: true },
				]}
			/>
			<Fields caption={words.imports.changes} changes={changes.filter(({ change }) => change === "change")} />
			<Created changes={changes.filter(({ change }) => change === "create")} />
			<ShortTable
				caption={words.imports.quarantined(quarantined.length)}
				rows={quarantined}
				keyOf={({ formula, brand_code, batch_number }) => `${formula} ${brand_code ?? ""} ${batch_number}`}
				columns={[FORMULA, POOL, { head: words.stock.batch, cell: ({ batch_number }) => batch_number }]}
			/>
		</section>
	);
}

/** Changes, a row for each field. */
function Fields({ caption, changes }: { caption: string; changes: readonly Change[] }): ReactNode {
	const rows = changes.flatMap(({ section, name, fields }) =>
		(fields.length === 0 ? [null] : fields).map((field) => ({ section, name, field })),
	);
	return (
		<ShortTable
			caption={caption}
			rows={rows}
			keyOf={({ section, name, field }) => `${section} ${name} ${field?.field ?? ""}`}
			columns={[
				{ head: words.imports.section, cell: ({ section }) => words.imports.sections[section] },
				{ head: words.imports.name, cell: ({ name }) => name },
				{ head: words.imports.field, cell: ({ field }) => field?.field },
				{ head: words.imports.from, cell: ({ field }) => valueOf(field?.from) },
				{ head: words.imports.to, cell: ({ field }) => valueOf(field?.to) },
			]}
		/>
	);
}

/** New rows, with what the service reports about them: the units of lots, demand and buffers. */
const Created = ({ changes }: { changes: readonly Change[] }): ReactNode => (
	<ShortTable
		caption={words.imports.newRows}
		rows={changes}
		keyOf={({ section, name }) => `${section} ${name}`}
		columns={[
			{ head: words.imports.section, cell: ({ section }) => words.imports.sections[section] },
			{ head: words.imports.name, cell: ({ name }) => name },
			...(changes.some(({ fields }) => fields.length > 0)
				? [
						{
							head: words.imports.given,
							cell: ({ fields }: Change) => fields.map(({ field, to }) => `${field}: ${to ?? ""}`).join(", "),
						},
					]
				: []),
		]}
	/>
);

const valueOf = (value: string | number | null | undefined): ReactNode =>
	value ?? <span className="quiet">{words.none}</span>;
