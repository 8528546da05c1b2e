import type { ReactNode } from "react";
import { Link } from "react-router";
import { hasRole, type Me } from "../app/roles.ts";
import { List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { nameOfOrder, namesOfOrders } from "../warehouse/order-name.ts";
import { words } from "../words/words.ts";
import { useBrandFilter } from "./brand-filter.ts";
import { ContentsText } from "./contents.tsx";
import { BoxState } from "./state.tsx";
import { TrackingLink } from "./tracking-link.tsx";

/** All boxes, the newest first: those that wait, and those that left. */
export default function Boxes({ me }: { me: Me }): ReactNode {
	const brand = useBrandFilter(words.boxes.brand);
	return (
		<div className="touch">
			<Page title={words.boxes.title} actions={<Ways mayWrite={hasRole(me, "warehouse")} />}>
				<List
					id="list_boxes"
					caption={words.boxes.title}
					filters={[
						{ name: "q", label: words.boxes.q },
						{ name: "status", label: words.boxes.status, options: Object.entries(words.boxes.states) },
						brand,
					]}
					keyOf={({ shipment_id }) => shipment_id}
					empty={{ title: words.boxes.empty, hint: words.boxes.emptyHint }}
					emptyFiltered={words.boxes.emptyFiltered}
					columns={[
						{
							head: words.boxes.box,
							cell: ({ shipment_id, orders }) => (
								<Link to={`/boxes/${shipment_id}`}>{words.boxes.boxOf(namesOfOrders(orders))}</Link>
							),
						},
						{ head: words.boxes.status, cell: ({ status }) => <BoxState status={status} /> },
						{
							head: words.boxes.orders,
							cell: ({ orders }) =>
								orders.map((order) => (
									<p key={order.order_id} className="tight">
										<Link to={`/orders/${order.order_id}`}>{nameOfOrder(order)}</Link>
									</p>
								)),
						},
						{ head: words.boxes.contents, cell: ({ items }) => <ContentsText items={items} /> },
						{ head: words.boxes.tracking, cell: (box) => <TrackingLink box={box} /> },
						{ head: words.boxes.to, cell: ({ ship_to: { city, country } }) => `${city}, ${country}` },
						{ head: words.boxes.created, cell: ({ created_at }) => <Moment at={created_at} /> },
						{ head: words.boxes.left, cell: ({ shipped_at }) => <Moment at={shipped_at} /> },
					]}
				/>
			</Page>
		</div>
	);
}

const Ways = ({ mayWrite }: { mayWrite: boolean }): ReactNode => (
	<>
		<Link className="button" to="/boxes/combine">
			{words.combine.title}
		</Link>
		{mayWrite ? (
			<Link className="button" to="/warehouse/tracking">
				{words.tracking.title}
			</Link>
		) : null}
	</>
);
