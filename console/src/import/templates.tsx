import type { ReactNode } from "react";
import { saveFile } from "../parts/save-file.ts";
import { words } from "../words/words.ts";
import { CSV_SECTIONS } from "./chosen.ts";

/** The columns of each file, and a row as an example (docs/operator/import.md). */
const LINES: Readonly<Record<(typeof CSV_SECTIONS)[number], readonly [columns: string, example: string]>> = {
	brands: ["code,name", "ACME,Acme"],
	formulas: ["code,name,status", "CALM-60,Calm 60 ml,active"],
	products: ["slug,name", "calm,Calm"],
	skus: ["sku,name,product,kind,vial_size,components", "EVENING,Evening set,,kit,,CALM-60*1;REST-30*2"],
	lots: ["formula,brand_code,batch_number,expires_on,received_on,units", "CALM-60,ACME,C-2609,2090-09-30,,240"],
	demand: ["formula,brand_code,units,reference", "CALM-60,ACME,30,PO-17"],
	buffers: ["formula,brand_code,units", "CALM-60,ACME,10"],
	partners: ["name", "Acme Web Shop"],
};

const save = (section: (typeof CSV_SECTIONS)[number]): void =>
	saveFile(new Blob([`${LINES[section].join("\r\n")}\r\n`], { type: "text/csv" }), `${section}.csv`);

/** How a CSV file is written, with a file of each section to fill in. */
export const Templates = (): ReactNode => (
	<details>
		<summary>{words.imports.format}</summary>
		<p>{words.imports.formatHint}</p>
		<ul className="plain actions">
			{CSV_SECTIONS.map((section) => (
				<li key={section}>
					<button type="button" onClick={() => save(section)}>
						{words.imports.empty(words.imports.sections[section])}
					</button>
				</li>
			))}
		</ul>
	</details>
);
