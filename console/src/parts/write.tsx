import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { type Asked, CallError, type DataOf, type OperationId, versionOf } from "../api/call.ts";
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
	/** The read of what is replaced as a whole: what somebody else changes meanwhile is not overwritten unseen. */
	readonly replaces?: { readonly read: OperationId; readonly params: { readonly [name: string]: string } } | null;
	/** What is wrong before anything is sent; null: nothing. */
	readonly check?: (form: FormData) => Promise<CallError | null>;
	/** Absent: the dialog closes. */
	readonly onDone?: (data: DataOf<Id>) => void;
	/** A refusal in the words of the form; absent: in those of the service. */
	readonly inWords?: (error: CallError) => CallError;
	/** The fields of the form. `isSending`: it was sent, and is not answered yet. */
	readonly children: (error: CallError | null, isSending: boolean) => ReactNode;
}

/** A dialog with a form that sends one write. A refusal is shown in it, and what was typed stays. */
export function WriteDialog<Id extends OperationId>(props: WriteDialogProps<Id>): ReactNode {
	const { id, title, send = title, fields = [], asked, replaces = null, check, onClose, onDone = onClose } = props;
	const { inWords = (same: CallError) => same } = props;
	const { run, error: refused } = useWrite(id);
	const [isSending, setSending] = useState(false);
	const [wrong, setWrong] = useState<CallError | null>(null);
	const version = useVersion(replaces);
	const hasChanged = refused?.code === "changed_meanwhile";
	const answer = hasChanged ? new CallError("changed_meanwhile", words.changedMeanwhile, 412) : refused;
	const error = wrong ?? (answer === null ? null : inWords(answer));
	const sendForm = async (form: FormData): Promise<void> => {
		setWrong(null);
		const found = (await check?.(form)) ?? null;
		setWrong(found);
		if (found !== null) return;
		// who sends it again has read that it has changed
		const data = await run({ ...asked(form), ifMatch: hasChanged ? null : version.current });
		if (data !== null) onDone(data);
	};
	const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
		event.preventDefault();
		const form = new FormData(event.currentTarget);
		setSending(true);
		await sendForm(form).finally(() => setSending(false));
	};
	return (
		<Dialog title={title} onClose={onClose}>
			<form onSubmit={(event) => void submit(event)}>
				{isAboutFields(error, fields) ? null : <Problem error={error} />}
				{props.children(error, isSending)}
				<Buttons send={send} isBusy={isSending} leave={words.cancel} onLeave={onClose} />
			</form>
		</Dialog>
	);
}

/** The version of a thing when a form was opened on it; null: it is not known. */
function useVersion(of: WriteDialogProps<OperationId>["replaces"] | null): { current: string | null } {
	const version = useRef<string | null>(null);
	const first = useRef(of);
	useEffect(() => {
		const { current } = first;
		if (current === null || current === undefined) return;
		// where it cannot be read, the write says why
		versionOf(current.read, current.params as never).then(
			(tag) => {
				version.current = tag;
			},
			() => undefined,
		);
	}, []);
	return version;
}
