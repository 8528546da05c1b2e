import { type FormEvent, type ReactNode, useState } from "react";
import type { Asked } from "../api/call.ts";
import { useLongWrite } from "../api/run.ts";
import { hasRole, type Me } from "../app/roles.ts";
import { Field } from "../parts/form.tsx";
import { Empty, Page, Problem } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { words } from "../words/words.ts";
import { readSheet, Unreadable } from "./read-sheet.ts";
import { TrackingReport, TrackingWrong } from "./tracking-report.tsx";

/** Ships many boxes at once, by a list of tracking numbers from another system. */
export default function Tracking({ me }: { me: Me }): ReactNode {
	return (
		<div className="touch">
			<Page title={words.tracking.title}>
				{hasRole(me, "warehouse") ? (
					<ImportForm />
				) : (
					<Empty title={words.tracking.needsRole} hint={words.tracking.needsRoleHint} />
				)}
			</Page>
		</div>
	);
}

function ImportForm(): ReactNode {
	const { run, isBusy, progress, done, error } = useLongWrite("import_tracking");
	const [unreadable, setUnreadable] = useState<string | null>(null);
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		setUnreadable(null);
		try {
			await run({ files: [await readSheet(form)], body: bodyOf(form) });
		} catch (caught) {
			if (!(caught instanceof Unreadable)) throw caught;
			setUnreadable(caught.message);
		}
	};
	return (
		<>
			<p>{words.tracking.intro}</p>
			<form onSubmit={(event) => void submit(event)}>
				<Field
					label={words.tracking.file}
					hint={words.tracking.fileHint}
					problem={unreadable}
					name="file"
					type="file"
					accept=".csv,text/csv"
				/>
				<div className="field">
					<label htmlFor="pasted">{words.tracking.paste}</label>
					<textarea id="pasted" name="pasted" rows={6} aria-describedby="pasted-hint" />
					<p className="hint" id="pasted-hint">
						{words.tracking.pasteHint}
					</p>
				</div>
				<label className="check">
					<input type="checkbox" name="other_carrier" /> {words.tracking.otherCarrier}
				</label>
				<label className="check">
					<input type="checkbox" name="same_parcel" /> {words.tracking.sameParcel}
				</label>
				<ReasonField />
				<button type="submit" className="main" disabled={isBusy}>
					{words.tracking.submit}
				</button>
			</form>
			<Progress run={progress} />
			{error === null || error.problems.length > 0 ? null : <Problem error={error} />}
			<TrackingWrong problems={error?.problems ?? []} />
			{done === null ? null : <TrackingReport report={done} />}
		</>
	);
}

function bodyOf(form: FormData): NonNullable<Asked<"import_tracking">["body"]> {
	return {
		...(form.has("other_carrier") ? { other_carrier: true } : {}),
		...(form.has("same_parcel") ? { same_parcel: true } : {}),
		...reasonIn(form),
	};
}
