import type { ReactNode } from "react";
import { useRead } from "../api/use.ts";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";

/** The events of an order, as its partner is sent them; nothing if there are none. */
export function PartnerTold({ order }: { order: string }): ReactNode {
	const { data } = useRead("list_events", { query: { order_id: order } });
	if (data === undefined || data.items.length === 0) return null;
	return (
		<>
			<h2>{words.pack.told}</h2>
			<ul className="plain">
				{data.items.map(({ event_id, type, created_at }) => (
					<li key={event_id}>
						<Moment at={created_at} /> <span className="strong">{words.endpoints.typeNames[type] ?? type}</span>
					</li>
				))}
			</ul>
		</>
	);
}
