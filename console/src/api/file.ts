import { useState } from "react";
import { saveFile } from "../parts/save-file.ts";
import { words } from "../words/words.ts";
import { type Asked, CallError, callForFile, type OperationId } from "./call.ts";

export interface Filing<Id extends OperationId> {
	/** Asks for the file and hands it to the browser under this name; null: it was refused, and `error` says why. */
	readonly save: (asked: Asked<Id>, name: string) => Promise<Blob | null>;
	readonly isBusy: boolean;
	readonly error: CallError | null;
}

/** An operation that replies with a file of this type, such as a paper for the printer. */
export function useFile<Id extends OperationId>(id: Id, type: string): Filing<Id> {
	const [isBusy, setBusy] = useState(false);
	const [error, setError] = useState<CallError | null>(null);
	const save = async (asked: Asked<Id>, name: string): Promise<Blob | null> => {
		setBusy(true);
		setError(null);
		try {
			const file = await callForFile(id, asked, type);
			saveFile(file, name);
			return file;
		} catch (caught) {
			setError(caught instanceof CallError ? caught : new CallError("no_reply", words.fileBroken, 0));
			return null;
		} finally {
			setBusy(false);
		}
	};
	return { save, isBusy, error };
}
