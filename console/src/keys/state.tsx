import type { ReactNode } from "react";
import { State } from "../parts/page.tsx";

const TONES: { readonly [state: string]: "good" | "bad" } = {
	live: "good",
	suspended: "bad",
	revoked: "bad",
	expired: "bad",
};

/** The state of a key: `live` is in force, in the sandbox too. */
export const KeyState = ({ state }: { state: string }): ReactNode => (
	<State word={state === "live" ? "active" : state} tone={TONES[state] ?? "plain"} />
);
