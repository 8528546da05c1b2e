import { type ReactNode, useEffect, useState } from "react";

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

/** The beginning of a day, as a date field gives it, in the reader's time zone, in RFC 3339; null if it is none. */
export const startOfDay = (day: string | null): string | null =>
	day !== null && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))
		? new Date(`${day}T00:00:00`).toISOString()
		: null;

/** Milliseconds between two changes of a time that is counted. */
const TICK_MS = 15_000;

/** The present time in epoch milliseconds. It changes as long as something counts. */
export function useNow(isCounting = true): number {
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		if (!isCounting) return;
		const timer = setInterval(() => setNow(Date.now()), TICK_MS);
		return () => clearInterval(timer);
	}, [isCounting]);
	return now;
}
