import type { ReactNode } from "react";
import { Answer } from "../parts/answer.tsx";
import { CopyText } from "../parts/copy.tsx";
import { words } from "../words/words.ts";
import { type ImportOutcome, ImportReport } from "./import-report.tsx";

/** What an import has done, with the tokens of new keys, which are shown only now. */
export function Imported({ report, onAnother }: { report: ImportOutcome; onAnother: () => void }): ReactNode {
	const minted = report.keys.flatMap(({ partner, name, token }) => (token === null ? [] : [{ partner, name, token }]));
	return (
		<Answer label={words.imports.did}>
			<h2>{words.imports.import}</h2>
			{minted.length === 0 ? null : (
				<section className="card">
					<h3>{words.imports.tokens}</h3>
					<p>{words.imports.tokensHint}</p>
					{minted.map(({ partner, name, token }) => (
						<CopyText key={`${partner} ${name}`} label={words.imports.tokenOf(partner, name)} text={token} />
					))}
				</section>
			)}
			<ImportReport report={report} />
			<div className="buttons">
				<button type="button" onClick={onAnother}>
					{words.imports.another}
				</button>
			</div>
		</Answer>
	);
}
