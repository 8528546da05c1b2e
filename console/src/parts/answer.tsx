import { type ReactNode, useEffect, useRef } from "react";

/** Pixels of a page under its header, which stays in sight. */
const HEADER = 64;

interface AnswerProps {
	/** Its name, for those who hear it; absent: it has a heading, or says what it is by its text. */
	readonly label?: string;
	readonly className?: string;
	readonly children: ReactNode;
}

/**
 * The answer to what a person just asked for, which may be out of view: it is scrolled into view, and has the focus.
 */
export function Answer({ label, className, children }: AnswerProps): ReactNode {
	const section = useRef<HTMLElement>(null);
	useEffect(() => {
		const { current } = section;
		if (current === null) return;
		current.focus({ preventScroll: true });
		current.scrollIntoView({ block: "nearest" });
		const { top } = current.getBoundingClientRect();
		if (top < HEADER && current.closest("dialog") === null) window.scrollBy(0, top - HEADER);
	}, []);
	return (
		<section ref={section} tabIndex={-1} aria-label={label} className={className}>
			{children}
		</section>
	);
}
