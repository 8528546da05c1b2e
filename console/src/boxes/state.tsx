import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";

export type BoxStatus = DataOf<"get_box">["status"];

const TONES: { readonly [status in BoxStatus]?: "good" | "bad" } = { on_hold: "bad", voided: "bad", shipped: "good" };

export const BoxState = ({ status }: { status: BoxStatus }): ReactNode => (
	<State word={words.boxes.states[status]} tone={TONES[status] ?? "plain"} />
);
