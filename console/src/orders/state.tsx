import type { ReactNode } from "react";
import type { DataOf } from "../api/call.ts";
import { State } from "../parts/page.tsx";
import { words } from "../words/words.ts";

type OrderStatus = DataOf<"get_order">["status"];
export type HoldReason = NonNullable<DataOf<"get_order">["hold_reason"]>;

const TONES: { readonly [status in OrderStatus]?: "good" | "bad" } = { held: "bad", cancelled: "bad", shipped: "good" };

/** The states of an order with their words, for a filter. */
export const ORDER_STATES = Object.entries(words.orders.states);
/** Why a person may put an order on hold. */
export const HOLD_REASONS = ["operator", "address_invalid", "out_of_stock", "label_error", "other"] as const;

/** The state of an order, and why it is on hold. */
export function OrderState(props: { status: OrderStatus; hold_reason: HoldReason | null }): ReactNode {
	const { status, hold_reason } = props;
	const word = words.orders.states[status];
	const why = hold_reason === null ? "" : `: ${words.orders.reasons[hold_reason]}`;
	return <State word={word + why} tone={TONES[status] ?? "plain"} />;
}
