import { type ReactNode, useEffect, useId, useRef } from "react";

/** A modal dialog, as long as it is rendered. Escape and the browser's own means close it. */
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
				event.preventDefault();
				onClose();
			}}
		>
			<h2 id={heading}>{title}</h2>
			{children}
		</dialog>
	);
}
