import type { ReactNode } from "react";
import { Link } from "react-router";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";
import { ORDER_STATES, OrderState } from "./state.tsx";

/** All orders, the newest first. */
export default function Orders(): ReactNode {
	return (
		<Page title={words.orders.title}>
			<List
				id="list_orders"
				caption={words.orders.title}
				filters={[
					{ name: "q", label: words.orders.q },
					{ name: "status", label: words.orders.status, options: ORDER_STATES },
					{ name: "key", label: words.orders.key },
					{ name: "brand_code", label: words.orders.brand },
				]}
				keyOf={({ order_id }) => order_id}
				empty={{ title: words.orders.empty, hint: words.orders.emptyHint }}
				emptyFiltered={words.orders.emptyFiltered}
				columns={[
					{
						head: words.orders.ref,
						cell: ({ order_id, ref, external_order_id }) => (
							<Link to={`/orders/${order_id}`}>{external_order_id ?? ref}</Link>
						),
					},
					{ head: words.orders.partner, cell: ({ partner }) => partner },
					{
						head: words.orders.status,
						cell: ({ status, hold_reason }) => <OrderState status={status} hold_reason={hold_reason} />,
					},
					{ head: words.orders.customer, cell: ({ customer, city, country }) => `${customer}, ${city}, ${country}` },
					{ head: words.orders.placed, cell: ({ placed_at }) => <Moment at={placed_at} /> },
				]}
			/>
		</Page>
	);
}
