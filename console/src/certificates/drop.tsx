import { type ReactNode, useEffect, useId } from "react";
import { words } from "../words/words.ts";

/** Where PDFs are chosen. They may be dropped anywhere on the page, so that the browser never opens one itself. */
export function Drop({ onFiles }: { onFiles: (files: readonly File[]) => void }): ReactNode {
	const id = useId();
	useEffect(() => {
		const over = (event: DragEvent): void => {
			if (hasFiles(event)) event.preventDefault();
		};
		const take = (event: DragEvent): void => {
			if (!hasFiles(event)) return;
			event.preventDefault();
			onFiles([...(event.dataTransfer?.files ?? [])]);
		};
		window.addEventListener("dragover", over);
		window.addEventListener("drop", take);
		return () => {
			window.removeEventListener("dragover", over);
			window.removeEventListener("drop", take);
		};
	}, [onFiles]);
	return (
		<div className="field drop">
			<label htmlFor={id}>{words.newCertificates.files}</label>
			<input
				id={id}
				type="file"
				accept=".pdf,application/pdf"
				multiple
				aria-describedby={`${id}-hint`}
				onChange={({ target }) => {
					onFiles([...(target.files ?? [])]);
					target.value = ""; // the same file may be chosen again
				}}
			/>
			<p className="hint" id={`${id}-hint`}>
				{words.newCertificates.filesHint}
			</p>
		</div>
	);
}

/** Whether files are dragged, and not a text within the page. */
const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") ?? false;
