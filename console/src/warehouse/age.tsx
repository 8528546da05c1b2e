import type { ReactNode } from "react";
import { momentText, useNow } from "../parts/time.tsx";

const AGO = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago something was, in words; the title has the moment. */
export const Age = ({ at }: { at: string }): ReactNode => (
	<time dateTime={at} title={momentText(at)}>
		{ageText(Date.parse(at) - useNow())}
	</time>
);

/** `ms` is below 0: the time since then, negated. Up to two days are given in hours. */
function ageText(ms: number): string {
	if (ms > -HOUR_MS) return AGO.format(Math.min(0, Math.round(ms / MINUTE_MS)), "minute");
	if (ms > -2 * DAY_MS) return AGO.format(Math.round(ms / HOUR_MS), "hour");
	return AGO.format(Math.round(ms / DAY_MS), "day");
}
