import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";

type HoldStatus = DataOf<"get_hold">["status"];

/** The states of a hold with their words, for a filter. */
export const HOLD_STATES = Object.entries(words.holds.states);

/** The state of a hold, and whether it has lost units. */
export function HoldState({ status, impaired }: { status: HoldStatus; impaired: boolean }): ReactNode {
	const word = words.holds.states[status];
	return impaired ? <State word={`${word}, ${words.holds.impaired}`} tone="bad" /> : <State word={word} />;
}
