import { type FormEvent, type ReactNode, useState } from "react";
import { useTrial } from "../api/trial.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Answer } from "../parts/answer.tsx";
import { Page, Problem } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { words } from "../words/words.ts";
import { ChooseFiles } from "./choose-files.tsx";
import { type ChosenFile, sentFiles } from "./chosen.ts";
import { Exports } from "./exports.tsx";
import { ImportReport } from "./import-report.tsx";
import { Imported } from "./imported.tsx";
import { Mistakes } from "./mistakes.tsx";
import { Templates } from "./templates.tsx";

/** Imports files, always after showing what would change; and exports each section. */
export default function ImportPage({ me }: { me: Me }): ReactNode {
	const [turn, setTurn] = useState(0);
	return (
		<Page title={words.imports.title}>
			{hasRole(me, "operator") ? <Import key={turn} onAnother={() => setTurn(turn + 1)} /> : null}
			<Exports />
		</Page>
	);
}

/** Maximum size of the files of one import together, in MiB, as in the service, which also counts what a form adds. */
const MAX_MIB = 32;
const ENVELOPE_BYTES = 64 * 1024;

function Import({ onAnother }: { onAnother: () => void }): ReactNode {
	const [chosen, setChosen] = useState<readonly ChosenFile[]>([]);
	const [newBatch, setNewBatch] = useState(false);
	// the reply of the first request has the tokens of new keys, which a run does not show
	const trial = useTrial("import_world", (_run, again) => again());
	const { tryOut, carryOut, forget, would, done, progress, isBusy, error } = trial;
	if (done !== null) return <Imported report={done} onAnother={onAnother} />;
	const isTooLarge = chosen.reduce((sum, { file }) => sum + file.size, ENVELOPE_BYTES) > MAX_MIB * 1024 * 1024;
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		void tryOut({ body: newBatch ? { new_batch: true } : {}, files: sentFiles(chosen) });
	};
	return (
		<section>
			<h2>{words.imports.import}</h2>
			<p>{words.imports.intro}</p>
			<form onSubmit={submit}>
				<Templates />
				<ChooseFiles
					chosen={chosen}
					onChange={(change) => {
						setChosen(change);
						forget();
					}}
				/>
				{isTooLarge ? <p className="wrong">{words.imports.tooLarge(MAX_MIB)}</p> : null}
				<label className="check">
					<input
						type="checkbox"
						checked={newBatch}
						onChange={({ target }) => {
							setNewBatch(target.checked);
							forget();
						}}
					/>{" "}
					{words.imports.newBatch}
				</label>
				<div className="buttons">
					<button
						type="submit"
						className={would === null ? "main" : undefined}
						disabled={isBusy || isTooLarge || chosen.length === 0}
					>
						{words.imports.show}
					</button>
				</div>
			</form>
			{error !== null && error.problems.length > 0 ? (
				<Mistakes problems={error.problems} chosen={chosen} />
			) : error === null ? null : (
				<Answer>
					<Problem error={error} />
				</Answer>
			)}
			<Progress run={progress} isBusy={isBusy} />
			{would === null || progress !== null ? null : (
				<Answer label={words.imports.would}>
					<ImportReport report={would} />
					{would.changes.length === 0 ? null : (
						<button type="button" className="main" disabled={isBusy} onClick={() => void carryOut()}>
							{words.imports.importThis}
						</button>
					)}
				</Answer>
			)}
		</section>
	);
}
