import { type ReactNode, useEffect, useState } from "react";

const SECOND_MS = 1_000;

/** The time that is left of a drill or an unkind hour, in minutes and seconds. */
export function Countdown({ says, until }: { says: string; until: string }): ReactNode {
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
		return () => clearInterval(timer);
	}, []);
	const left = Math.max(0, Math.ceil((Date.parse(until) - now) / SECOND_MS));
	return (
		<p className="problem" role="timer">
			{says}{" "}
			<strong>
				{Math.floor(left / 60)}:{String(left % 60).padStart(2, "0")}
			</strong>
		</p>
	);
}
