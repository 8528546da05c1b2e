import type { ReactNode } from "react";

/** Something wrong that a person must notice at once, even from a step away. */
export const Alarm = ({ text }: { text: string | null }): ReactNode =>
	text === null ? null : (
		<p className="alarm" role="alert">
			{text}
		</p>
	);
