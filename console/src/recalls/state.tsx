import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";

/** A recall with its lists. */
export type ToldRecall = DataOf<"get_recall">;
type RecallStatus = DataOf<"list_recalls">["items"][number]["status"];

const TONES: { readonly [status in RecallStatus]: "good" | "bad" | "plain" } = {
	running: "plain",
	done: "good",
	failed: "bad",
	stopped: "bad",
};

/** Whether a recall has taken every unit from holds and orders. */
export const RecallState = ({ status }: { status: RecallStatus }): ReactNode => (
	<State word={words.recalls.states[status]} tone={TONES[status]} />
);
