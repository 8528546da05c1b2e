import { type ReactNode, useEffect, useId, useRef } from "react";

/**
 * A modal dialog, as long as it is rendered. Escape and the browser's own means close it, unless `onClose` keeps it: a
 * browser lets nobody prevent the second of two requests to close it, so it is then opened again.
 */
export function Dialog(props: { title: string; onClose: () => void; children: ReactNode }): ReactNode {
	const { title, onClose, children } = props;
	const dialog = useRef<HTMLDialogElement>(null);
	const heading = useId();
	useEffect(() => {
		const element = dialog.current;
		element?.showModal();
		return () => element?.close();
	}, []);
	return (
		<dialog
			ref={dialog}
			aria-labelledby={heading}
			onCancel={(event) => {
				if (event.target !== event.currentTarget) return; // a chooser of files was left without a file
				event.preventDefault();
				onClose();
			}}
			onClose={({ currentTarget }) => {
				onClose();
				queueMicrotask(() => {
					if (currentTarget.isConnected && !currentTarget.open) currentTarget.showModal();
				});
			}}
		>
			<h2 id={heading}>{title}</h2>
			{children}
		</dialog>
	);
}
