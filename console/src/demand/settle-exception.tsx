import { type FormEvent, type ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { useLongWrite } from "../api/run.ts";
import { useWrite } from "../api/use.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Buttons, Field, problemAt, textOf } from "../parts/form.tsx";
import { Problem } from "../parts/page.tsx";
import { Progress } from "../parts/progress.tsx";
import { ReasonField, reasonIn } from "../parts/reason.tsx";
import { WriteDialog } from "../parts/write.tsx";
import { words } from "../words/words.ts";

/** Demand that could not be promised or drawn down. */
export type DemandException = DataOf<"list_exceptions">["items"][number];

interface SettleProps {
	readonly of: DemandException;
	readonly onClose: () => void;
}

/** Tries one exception again, with the others of its reference. */
export function RetryException({ of: one, onClose }: SettleProps): ReactNode {
	const { run, isBusy, error, done } = useWrite("retry_exception");
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const body = { ...reasonIn(form), shared: form.get("shared") === "on" };
		void run({ params: { id: String(one.exception_id) }, body });
	};
	return (
		<Dialog title={words.exceptions.retry} onClose={onClose}>
			{done === undefined ? (
				<form onSubmit={submit}>
					<p>
						<span className="strong">{one.reference}</span> {one.what}
					</p>
					<p className="hint">{words.exceptions.retryHint}</p>
					<Problem error={error} />
					{one.kind === "shortage" ? (
						<label className="check">
							<input type="checkbox" name="shared" /> {words.exceptions.shared}
						</label>
					) : null}
					<ReasonField />
					<Buttons send={words.exceptions.retry} isBusy={isBusy} leave={words.cancel} onLeave={onClose} />
				</form>
			) : (
				<Retried of={done} onClose={onClose} />
			)}
		</Dialog>
	);
}

/** Tries every open exception again, which may take long. */
export function RetryAll({ onClose }: { onClose: () => void }): ReactNode {
	const { run, isBusy, progress, error, done } = useLongWrite("retry_exceptions");
	const submit = (event: FormEvent<HTMLFormElement>): void => {
		event.preventDefault();
		void run({ body: reasonIn(new FormData(event.currentTarget)) });
	};
	return (
		<Dialog title={words.exceptions.retryAll} onClose={onClose}>
			{done === null ? (
				<form onSubmit={submit}>
					<p>{words.exceptions.retryAllHint}</p>
					<Problem error={error} />
					<ReasonField />
					<Progress run={progress} isBusy={isBusy} />
					<Buttons
						send={words.exceptions.retryAll}
						isBusy={isBusy}
						leave={isBusy ? words.close : words.cancel}
						onLeave={onClose}
					/>
				</form>
			) : (
				<Retried of={done} onClose={onClose} />
			)}
		</Dialog>
	);
}

interface RetriedProps {
	readonly of: { readonly references: number; readonly drawn_units: number; readonly missing_units: number };
	readonly onClose: () => void;
}

const Retried = ({ of: { references, drawn_units, missing_units }, onClose }: RetriedProps): ReactNode => (
	<>
		<p role="status">{words.exceptions.retried(references, drawn_units, missing_units)}</p>
		<button type="button" onClick={onClose}>
			{words.close}
		</button>
	</>
);

/** Closes an exception that was dealt with in another way. */
export const DismissException = ({ of: one, onClose }: SettleProps): ReactNode => (
	<WriteDialog
		id="dismiss_exception"
		title={words.exceptions.dismiss}
		fields={["reason"]}
		asked={(form) => ({
			params: { id: String(one.exception_id) },
			body: { reason: textOf(form, "reason")?.trim() ?? "" },
		})}
		onClose={onClose}
	>
		{(error) => (
			<>
				<p>
					<span className="strong">{one.reference}</span> {one.what}
				</p>
				<p className="hint">{words.exceptions.dismissHint}</p>
				<Field
					label={words.exceptions.dismissReason}
					hint={words.exceptions.dismissReasonHint}
					name="reason"
					maxLength={500}
					problem={problemAt(error, "reason")}
					required
				/>
			</>
		)}
	</WriteDialog>
);
