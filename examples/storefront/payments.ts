import type { MirrorStore } from "@holdfast/partner/mirror";
import { openKept } from "./book.ts";

/** The cards of this example. `silent`: it is charged, but the answer of the bank is lost. */
export type Card = "good" | "declined" | "silent";
export const CARDS: Readonly<Record<Card, string>> = {
	good: "A card that is charged",
	declined: "A card that is declined",
	silent: "A card whose bank answers too late",
};

export type PaymentState = "paid" | "declined" | "refunded";
export type Payments = Awaited<ReturnType<typeof openPayments>>;

/** A pretended payment provider. Like a real one it knows a payment by a reference, and charges once under each. */
export async function openPayments(store: MirrorStore) {
	const payments = await openKept<Record<string, { cents: number; state: PaymentState }>>(store, {});
	return {
		/** @throws if it is not known whether the card was charged: ask again under the same reference */
		async charge(reference: string, cents: number, card: Card): Promise<PaymentState> {
			const before = payments.value[reference]?.state;
			if (before === "paid" || before === "refunded") return before;
			const state = card === "declined" ? "declined" : "paid";
			await payments.change((all) => (all[reference] = { cents, state }));
			if (card === "silent") throw new Error("The bank did not answer in time.");
			return state;
		},

		async find(reference: string): Promise<PaymentState | null> {
			return payments.value[reference]?.state ?? null;
		},

		/** Gives back what was paid. A repeat changes nothing. */
		async refund(reference: string): Promise<void> {
			const payment = payments.value[reference];
			if (payment?.state === "paid") await payments.change(() => (payment.state = "refunded"));
		},
	};
}
