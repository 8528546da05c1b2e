import { type ReactNode, useState } from "react";
import { addressOf, CallError, call } from "../api/call.ts";
import { Problem } from "../parts/page.tsx";
import { saveFile } from "../parts/save-file.ts";
import { words } from "../words/words.ts";
import { CSV_SECTIONS } from "./chosen.ts";

/** Each section as a file that an import reads. */
export function Exports(): ReactNode {
	const [error, setError] = useState<CallError | null>(null);
	// the API's reply has an envelope, which a world.json does not have
	const saveKeys = async (): Promise<void> => {
		try {
			const keys = await call("export_keys");
			saveFile(new Blob([`${JSON.stringify(keys, null, "\t")}\n`], { type: "application/json" }), "world.json");
			setError(null);
		} catch (caught) {
			if (!(caught instanceof CallError)) throw caught;
			setError(caught);
		}
	};
	return (
		<section>
			<h2>{words.imports.export}</h2>
			<p>{words.imports.exportIntro}</p>
			<ul className="plain actions">
				{CSV_SECTIONS.map((section) => (
					<li key={section}>
						<a
							className="button"
							href={addressOf("export_section", { params: { section } })}
							download={`${section}.csv`}
						>
							{words.imports.sections[section]}
						</a>
					</li>
				))}
				<li>
					<button type="button" onClick={() => void saveKeys()}>
						{words.imports.sections.keys}
					</button>
				</li>
			</ul>
			<p className="hint">{words.imports.keysHint}</p>
			<Problem error={error} />
		</section>
	);
}
