import { type FormEvent, type ReactNode } from "react";
import type { CallProblem } from "../api/call.ts";
import { useTrial } from "../api/trial.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Field } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { ShortTable } from "../parts/short-table.tsx";
import { words } from "../words/words.ts";

/** Imports demand from CSV files: they are checked first, and every problem is named by file and line. */
export function ImportDemand({ onClose }: { onClose: () => void }): ReactNode {
	const { tryOut, carryOut, forget, would, done, isBusy, error } = useTrial("import_demand");
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		const files = new FormData(event.currentTarget).getAll("files").filter((file) => file instanceof File);
		void (would === null ? tryOut({ body: {}, files }) : carryOut());
	};
	return (
		<Dialog title={words.demandImport.title} onClose={onClose}>
			{done === null ? (
				<form onSubmit={submit}>
					<Field
						label={words.demandImport.files}
						hint={words.demandImport.hint}
						name="files"
						type="file"
						accept=".csv,text/csv"
						multiple
						required
						onChange={forget}
					/>
					<Problem error={error} />
					<DemandProblems problems={error?.problems ?? []} />
					{would === null ? null : (
						<p role="status">{words.demandImport.would(would.created, would.changed, would.unchanged)}</p>
					)}
					<Buttons
						send={would === null ? words.demandImport.check : words.demandImport.send}
						isBusy={isBusy}
						leave={words.cancel}
						onLeave={onClose}
					/>
				</form>
			) : (
				<>
					<p role="status">{words.demandImport.done(done.created, done.changed, done.unchanged)}</p>
					<button type="button" onClick={onClose}>
						{words.close}
					</button>
				</>
			)}
		</Dialog>
	);
}

const DemandProblems = ({ problems }: { problems: readonly CallProblem[] }): ReactNode => (
	<ShortTable
		caption={words.demandImport.problems}
		rows={problems}
		keyOf={({ at, message }) => `${at} ${message}`}
		columns={[
			{ head: words.demandImport.where, cell: ({ at }) => at },
			{ head: words.demandImport.what, cell: ({ message }) => message },
		]}
	/>
);
