import { type ReactNode, useEffect, useRef, useState } from "react";

interface Message {
	readonly n: number;
	readonly text: string;
	/** `wrong`: an alarm; `done`: an action, after which the message has the focus. */
	readonly kind: "told" | "right" | "wrong" | "done";
}

export interface Saying {
	readonly message: Message | null;
	readonly say: (kind: Message["kind"], text: string) => void;
	readonly clear: () => void;
}

/** What a page says about the last scan or action. */
export function useSaid(): Saying {
	const [message, setMessage] = useState<Message | null>(null);
	return {
		message,
		say: (kind, text) => setMessage((was) => ({ n: (was?.n ?? 0) + 1, kind, text })),
		clear: () => setMessage(null),
	};
}

const LOOKS = { told: "note", right: "note good", wrong: "alarm", done: "note good" } as const;

/** It stays on the screen however far the page is scrolled. */
export function Said({ message }: { message: Message | null }): ReactNode {
	const bar = useRef<HTMLParagraphElement>(null);
	const n = message?.kind === "done" ? message.n : null;
	useEffect(() => {
		if (n !== null) bar.current?.focus();
	}, [n]);
	if (message === null) return null;
	return (
		<p
			key={message.n}
			ref={bar}
			tabIndex={-1}
			className={`said ${LOOKS[message.kind]}`}
			role={message.kind === "wrong" ? "alert" : "status"}
		>
			{message.text}
		</p>
	);
}

/** Begins a page at its top, with the focus on its heading, when it shows another object. */
export function useTop(): void {
	useEffect(() => {
		window.scrollTo(0, 0);
		const heading = document.querySelector<HTMLElement>("main h1");
		heading?.setAttribute("tabindex", "-1");
		heading?.focus({ preventScroll: true });
	}, []);
}
