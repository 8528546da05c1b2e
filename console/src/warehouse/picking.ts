import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Asked, CallError, call } from "../api/call.ts";

/** An order that is to be marked as picked. */
export interface ToPick {
	readonly id: string;
	readonly name: string;
	/** The units that were taken for it; absent: not known. */
	readonly lots?: readonly LotTaken[];
}

type LotTaken = NonNullable<NonNullable<Asked<"pick_order">["body"]>["lots"]>[number];

/** Its result; `failed`: it may be tried again. */
export interface PickOutcome extends ToPick {
	readonly outcome: "picked" | "held" | "refused" | "failed";
	readonly why: string | null;
}

/** Refusals that another try would not change. */
const FINAL = new Set(["not_possible_now", "order_not_found"]);

/** Marks orders as picked, one after the other. An order that cannot be picked does not affect the others. */
export function usePicking() {
	const client = useQueryClient();
	const [outcomes, setOutcomes] = useState<ReadonlyMap<string, PickOutcome>>(new Map());
	const [progress, setProgress] = useState<{ readonly done: number; readonly of: number } | null>(null);
	const pickEach = async (orders: readonly ToPick[]): Promise<readonly PickOutcome[]> => {
		const came: PickOutcome[] = [];
		try {
			for (const order of orders) {
				setProgress({ done: came.length, of: orders.length });
				const outcome = await pickOne(order);
				came.push(outcome);
				setOutcomes((was) => new Map(was).set(order.id, outcome));
			}
		} finally {
			setProgress(null);
			void client.invalidateQueries();
		}
		return came;
	};
	return { outcomes, progress, pickEach };
}

/** Marks one order as picked. */
export async function pickOne({ id, name, lots }: ToPick): Promise<PickOutcome> {
	try {
		const body = lots === undefined ? {} : { lots: [...lots] };
		const { picked, status, why } = await call("pick_order", { params: { id }, body });
		return { id, name, outcome: picked ? "picked" : status === "held" ? "held" : "refused", why };
	} catch (error) {
		if (!(error instanceof CallError)) throw error;
		return { id, name, outcome: FINAL.has(error.code) ? "refused" : "failed", why: error.message };
	}
}
