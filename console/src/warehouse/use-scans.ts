import { useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useRef } from "react";
import { useNavigate } from "react-router";
import { CallError } from "../api/call.ts";
import { words } from "../words/words.ts";
import { isCodeOf, lotIn } from "./lot-code.ts";
import { ordersOf, type PackedOrder } from "./orders-of.ts";
import type { Saying } from "./said.tsx";
import { LEAVING, useScanner } from "./scanner.ts";
import { isAnyRecalled, whatIs } from "./what-is.ts";

interface ScannedFor {
	/** Ids of the orders that the page shows. */
	readonly orders: readonly string[];
	/** Opens the dialog to ship under a tracking number; null: there is no box to ship, or the person may not. */
	readonly ship: ((tracking: string) => void) | null;
}

/**
 * A scan opens another order, confirms a batch of these, or is the tracking number under which their box ships; the
 * code of a batch or a SKU never is. A wrong scan is explained.
 */
export function useScans(target: ScannedFor, { say, clear }: Saying): void {
	const latest = useRef(target);
	useLayoutEffect(() => {
		latest.current = target;
	});
	const client = useQueryClient();
	const navigate = useNavigate();
	const scan = async (code: string): Promise<unknown> => {
		clear();
		const shown = await ordersOf(client, latest.current.orders);
		const lots = shown.flatMap((order) => lotsOf(order, code));
		if (lots.length > 0)
			return (await isAnyRecalled(lots))
				? say("wrong", words.walk.recalled(lotIn(code)))
				: say("right", words.pack.rightBatch(code));
		const what = await whatIs(code);
		const { orders, ship } = latest.current; // it may have been shipped meanwhile
		if (what.kind !== "order") {
			if (what.kind === "batch")
				return say("wrong", words.pack[what.isRecalled ? "recalledBatch" : "wrongBatch"](what.name));
			if (what.kind === "sku") return say("wrong", words.pack.isSku(code));
			return ship === null ? say("wrong", words.pack.unknown(code)) : ship(code);
		}
		if (orders.includes(what.id)) return say("told", words.pack.same);
		void navigate(`/warehouse/orders/${what.id}`);
		return LEAVING;
	};
	useScanner((code) =>
		scan(code).catch((error: unknown) => {
			if (!(error instanceof CallError)) throw error;
			say("wrong", error.message);
		}),
	);
}

/** The ids of an order's lots that have a code. */
const lotsOf = ({ items }: PackedOrder, code: string): readonly string[] =>
	items.flatMap(({ components }) =>
		components.flatMap(({ lots }) => lots.filter((lot) => isCodeOf(lot, code)).map(({ fg_id }) => fg_id)),
	);
