import type { ReactNode } from "react";

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

export const momentText = (at: string): string => MOMENT.format(new Date(at));

interface MomentProps {
	readonly at: string | null | undefined;
	/** With seconds. */
	readonly exact?: boolean;
}

/** A moment in the reader's time zone; the title has the exact one. */
export const Moment = ({ at, exact = false }: MomentProps): ReactNode =>
	at === null || at === undefined ? null : (
		<time dateTime={at} title={at}>
			{exact ? EXACT.format(new Date(at)) : momentText(at)}
		</time>
	);
