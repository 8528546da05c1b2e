import type { ReactNode } from "react";
import { State } from "../parts/page.tsx";

const TONES: { readonly [status: string]: "good" | "bad" } = { held: "bad", cancelled: "bad", shipped: "good" };

/** The state of an order, and why it is on hold. */
export const OrderState = ({ status, hold_reason }: { status: string; hold_reason: string | null }): ReactNode => (
	<State word={hold_reason === null ? status : `${status}: ${hold_reason}`} tone={TONES[status] ?? "plain"} />
);
