import { type ReactNode, useEffect, useState } from "react";
import type { DataOf } from "../api/call.ts";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";

/** Milliseconds between two changes of a countdown. */
const TICK_MS = 15_000;
const MINUTE_MS = 60_000;

/** When a hold ends or has ended; of an active one, how long is left. */
export function Ends(hold: Pick<DataOf<"get_hold">, "status" | "expires_at" | "ended_at">): ReactNode {
	const { status, expires_at, ended_at } = hold;
	const [now, setNow] = useState(() => Date.now());
	const isCounting = status === "active";
	useEffect(() => {
		if (!isCounting) return;
		const timer = setInterval(() => setNow(Date.now()), TICK_MS);
		return () => clearInterval(timer);
	}, [isCounting]);
	return (
		<>
			<Moment at={ended_at ?? expires_at} />
			{isCounting ? (
				<span className="quiet"> {words.holds.minutes(Math.ceil((Date.parse(expires_at) - now) / MINUTE_MS))}</span>
			) : null}
		</>
	);
}
