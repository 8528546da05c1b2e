import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { Moment, useNow } from "../parts/time.tsx";
import { words } from "../words/words.ts";

const MINUTE_MS = 60_000;

/** When a hold ends or has ended; of an active one, how long is left. */
export function Ends(hold: Pick<DataOf<"get_hold">, "status" | "expires_at" | "ended_at">): ReactNode {
	const { status, expires_at, ended_at } = hold;
	const isCounting = status === "active";
	const now = useNow(isCounting);
	return (
		<>
			<Moment at={ended_at ?? expires_at} />
			{isCounting ? (
				<span className="quiet"> {words.holds.minutes(Math.ceil((Date.parse(expires_at) - now) / MINUTE_MS))}</span>
			) : null}
		</>
	);
}
