import { type ReactNode, useState } from "react";
import { hasRole, type Me } from "../app/roles.ts";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { words } from "../words/words.ts";
import { useBrandFilter } from "./brand-filter.ts";
import { CombineOrders } from "./combine-orders.tsx";

/** Placed orders that go to the same address, to be packed into one box. */
export default function Combine({ me }: { me: Me }): ReactNode {
	const mayWrite = hasRole(me, "warehouse");
	const brand = useBrandFilter(words.combine.brand);
	// kept here: the row of a group is another one when its first order is picked or cancelled
	const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
	return (
		<div className="touch">
			<Page title={words.combine.title}>
				<p>{words.combine.intro}</p>
				<List
					id="list_combinable"
					caption={words.combine.caption}
					filters={[brand]}
					keyOf={({ orders }) => orders[0]?.order_id ?? ""}
					empty={{ title: words.combine.empty, hint: words.combine.emptyHint }}
					emptyFiltered={words.combine.emptyFiltered}
					columns={[
						{
							head: words.combine.orders,
							cell: (group) => <CombineOrders group={group} may={mayWrite} left={left} setLeft={setLeft} />,
						},
						{
							head: words.combine.to,
							cell: ({ ship_to: { city, state, postal_code, country } }) =>
								[city, state, postal_code, country].filter(Boolean).join(", "),
						},
						{ head: words.combine.partner, cell: ({ partner }) => partner },
						{ head: words.combine.service, cell: ({ service_level }) => service_level },
					]}
				/>
			</Page>
		</div>
	);
}
