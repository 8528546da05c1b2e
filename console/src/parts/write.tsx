import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { type Asked, CallError, type DataOf, type OperationId, readVersion } from "../api/call.ts";
import { useWrite } from "../api/use.ts";
import { words } from "../words/words.ts";
import { Dialog } from "./dialog.tsx";
import { Buttons, isAboutFields } from "./form.tsx";
import { Problem } from "./page.tsx";

interface Replaced {
	/** The operation that reads the object. */
	readonly read: OperationId;
	readonly params: { readonly [name: string]: string };
	/** What the form was filled with, which may have been read a while ago. */
	readonly shown: object;
}

interface WriteDialogProps<Id extends OperationId> {
	readonly id: Id;
	readonly title: string;
	/** The button that sends it; absent: the title. */
	readonly send?: string;
	/** Names of the fields that show their own problems. */
	readonly fields?: readonly string[];
	/** The input of the operation, from the form as it was filled in. */
	readonly asked: (form: FormData) => Asked<Id>;
	readonly onClose: () => void;
	/** The object that the write replaces as a whole, so that nobody overwrites another person's change unseen. */
	readonly replaces?: Replaced | null;
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
	const { isOld, read } = useVersion(replaces);
	const hasChanged = isOld || refused?.code === "changed_meanwhile";
	const isRefusal = refused !== null && refused.code !== "changed_meanwhile";
	const answer = isRefusal || !hasChanged ? refused : new CallError("changed_meanwhile", words.changedMeanwhile, 412);
	const error = wrong ?? (answer === null ? null : inWords(answer));
	const sendForm = async (form: FormData): Promise<void> => {
		setWrong(null);
		const found = (await check?.(form)) ?? null;
		setWrong(found);
		if (found !== null) return;
		const known = await read();
		if (known instanceof CallError) return setWrong(known);
		if (known.isOld && !hasChanged) return; // the person is told now, and decides
		// if it has changed, the person was told so before sending it again
		const data = await run({ ...asked(form), ifMatch: hasChanged ? null : known.version });
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

interface Known {
	readonly version: string | null;
	/** Whether somebody else had changed the object before the form was opened, so that it shows an older state. */
	readonly isOld: boolean;
}

/**
 * The version of the object that a form shows. It is read when the form is opened; `read` waits for it, and reads it
 * again if that has failed, so that no write is sent without it.
 */
function useVersion(of: Replaced | null): { readonly isOld: boolean; readonly read: () => Promise<Known | CallError> } {
	const client = useQueryClient();
	const [isOld, setOld] = useState(false);
	const first = useRef(of);
	const reading = useRef<Promise<Known | CallError> | null>(null);
	const begin = async (): Promise<Known | CallError> => {
		const { current } = first;
		if (current === null) return { version: null, isOld: false };
		try {
			const { thing, version } = await readVersion(current.read, current.params);
			const known = { version, isOld: !isSame(current.shown, thing) };
			setOld(known.isOld);
			if (known.isOld) void client.invalidateQueries(); // the page shows it when the form is closed
			return known;
		} catch (error) {
			if (!(error instanceof CallError)) throw error;
			return error;
		}
	};
	// biome-ignore lint/correctness/useExhaustiveDependencies: only when the form is opened
	useEffect(() => {
		reading.current = begin();
	}, []);
	const read = async (): Promise<Known | CallError> => {
		const known = await reading.current;
		if (known !== null && !(known instanceof CallError)) return known;
		reading.current = begin();
		return await reading.current;
	};
	return { isOld, read };
}

/** Whether two reads of an object agree; a row of a list may have additional members. */
const isSame = (shown: object, thing: object): boolean =>
	Object.entries(thing).every(
		([name, value]) => !(name in shown) || JSON.stringify(Reflect.get(shown, name)) === JSON.stringify(value),
	);
