import type { ReactNode } from "react";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";

const TONES = {
	running: "plain",
	stopped: "plain",
	finished: "good",
	waiting: "plain",
	passed: "good",
	warning: "plain",
	failed: "bad",
	review: "plain",
} as const;

export const GoLiveState = ({ state }: { state: keyof typeof words.golives.states }): ReactNode => (
	<State word={words.golives.states[state]} tone={TONES[state]} />
);

export const Verdict = ({ verdict }: { verdict: keyof typeof words.golive.verdicts }): ReactNode => (
	<State word={words.golive.verdicts[verdict]} tone={TONES[verdict]} />
);
