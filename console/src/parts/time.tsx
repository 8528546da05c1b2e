import type { ReactNode } from "react";

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const momentText = (at: string): string => MOMENT.format(new Date(at));

/** A moment in the reader's time zone; the exact one stands in the title. */
export const Moment = ({ at }: { at: string | null | undefined }): ReactNode =>
	at === null || at === undefined ? null : (
		<time dateTime={at} title={at}>
			{momentText(at)}
		</time>
	);
