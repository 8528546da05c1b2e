import { type ReactNode, useEffect, useRef } from "react";

/** Pixels of a page that its header covers, which stays in view. */
const HEADER = 64;

interface AnswerProps {
	/** Its name for screen readers; absent: it has a heading, or its text says what it is. */
	readonly label?: string;
	readonly className?: string;
	readonly children: ReactNode;
}

/**
 * The answer to what a person just asked for, which may be out of view: it is scrolled into view and gets the focus.
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
