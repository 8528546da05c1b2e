import type { ReactNode } from "react";
import { useRead } from "../api/use.ts";
import { words } from "../words/words.ts";

/** What an order on hold lacks, and whether it can be released now: the list of orders says both. */
export function Lacks({ order_id, name }: { order_id: string; name: string }): ReactNode {
	const { data } = useRead("list_orders", { query: { status: "held", q: name, limit: 50 } });
	const found = data?.items.find((one) => one.order_id === order_id);
	if (found === undefined) return null;
	const lacking = found.lacking_units ?? 0;
	return (
		<p className={found.could_be_released ? "good" : "bad"}>
			{[
				...(lacking > 0 ? [words.today.lacks(lacking)] : []),
				found.could_be_released ? words.today.canGo : words.today.cannotGo,
			].join("; ")}
		</p>
	);
}
