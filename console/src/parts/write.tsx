import { type FormEvent, type ReactNode, useState } from "react";
import { type Asked, type CallError, type DataOf, type OperationId } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { words } from "../words/words.ts";
import { Dialog } from "./dialog.tsx";
import { Buttons, isAboutFields } from "./form.tsx";
import { Problem } from "./page.tsx";

interface WriteDialogProps<Id extends OperationId> {
	readonly id: Id;
	readonly title: string;
	/** The button that sends it; absent: the title. */
	readonly send?: string;
	/** Names of the fields that show their own problems. */
	readonly fields?: readonly string[];
	/** What the operation is asked with, from the form as it was filled in. */
	readonly asked: (form: FormData) => Asked<Id>;
	readonly onClose: () => void;
	/** What is wrong before anything is sent; null: nothing. */
	readonly check?: (form: FormData) => Promise<CallError | null>;
	/** Absent: the dialog closes. */
	readonly onDone?: (data: DataOf<Id>) => void;
	/** The fields of the form. */
	readonly children: (error: CallError | null) => ReactNode;
}

/** A dialog with a form that sends one write. A refusal stands in it, and what was typed stays. */
export function WriteDialog<Id extends OperationId>(props: WriteDialogProps<Id>): ReactNode {
	const { id, title, send = title, fields = [], asked, check, onClose, onDone = onClose, children } = props;
	const { run, isBusy, error: refused } = useWrite(id);
	const [wrong, setWrong] = useState<CallError | null>(null);
	const error = wrong ?? refused;
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		const found = (await check?.(form)) ?? null;
		setWrong(found);
		if (found !== null) return;
		const data = await run(asked(form));
		if (data !== null) onDone(data);
	};
	return (
		<Dialog title={title} onClose={onClose}>
			<form onSubmit={(event) => void submit(event)}>
				{isAboutFields(error, fields) ? null : <Problem error={error} />}
				{children(error)}
				<Buttons send={send} isBusy={isBusy} leave={words.cancel} onLeave={onClose} />
			</form>
		</Dialog>
	);
}
