import type { ReactNode } from "react";
import { Link, useSearchParams } from "react-router";
import type { DataOf } from "../api/call.ts";
import { type Column, List } from "../parts/list.tsx";
import { Page } from "../parts/page.tsx";
import { Moment } from "../parts/time.tsx";
import { words } from "../words/words.ts";

type PartnerEvent = DataOf<"list_events">["items"][number];

/** The events sent to partners, the newest first: those of one order if the address names it. */
export default function Events(): ReactNode {
	const [search] = useSearchParams();
	const order_id = search.get("order_id");
	return (
		<Page title={words.events.title}>
			<p>{words.events.intro}</p>
			{order_id === null ? null : (
				<p>
					{words.events.ofOrder} <Link to={`/orders/${encodeURIComponent(order_id)}`}>{words.events.toOrder}</Link>,{" "}
					<Link to="/webhooks/events">{words.events.showAll}</Link>
				</p>
			)}
			<List
				id="list_events"
				caption={words.events.title}
				{...(order_id === null ? {} : { query: { order_id } })}
				keyOf={({ event_id }) => event_id}
				empty={{ title: words.events.empty, hint: words.events.emptyHint }}
				emptyFiltered={words.events.empty}
				columns={COLUMNS}
			/>
		</Page>
	);
}

const COLUMNS: readonly Column<PartnerEvent>[] = [
	{ head: words.events.at, cell: ({ created_at }) => <Moment at={created_at} /> },
	{ head: words.events.type, cell: ({ type }) => words.endpoints.typeNames[type] },
	{ head: words.events.partner, cell: ({ partner }) => partner },
	{
		head: words.events.order,
		cell: (one) => (one.order_id === null ? null : <Link to={`/orders/${one.order_id}`}>{orderName(one)}</Link>),
	},
	{ head: words.events.gist, cell: gist },
	{
		head: words.events.deliveries,
		cell: ({ event_id }) => (
			<Link to={`/webhooks/deliveries?event_id=${event_id}`}>
				{words.events.showDeliveries}
				<span className="unseen"> {event_id}</span>
			</Link>
		),
	},
	{
		head: words.events.body,
		cell: ({ body }) => (
			<details>
				<summary>{words.events.showBody}</summary>
				<pre className="small">{JSON.stringify(body, null, 2)}</pre>
			</details>
		),
	},
];

/** The part of a body that a person looks for; an old event may have kept less. */
interface Told {
	readonly data?: {
		readonly ref?: string;
		readonly external_order_id?: string | null;
		readonly reason?: string;
		readonly detail?: string | null;
		readonly by?: "partner" | "manufacturer";
		readonly final?: boolean;
		readonly shipment?: { readonly tracking_number: string | null } | null;
		readonly reservation_token?: string;
		readonly external_ref?: string | null;
		readonly items?: readonly { readonly sku: string; readonly requested_qty: number; readonly reserved_qty: number }[];
		readonly product?: { readonly name: string };
		readonly batch_number?: string;
	};
}
const toldIn = ({ body }: PartnerEvent): NonNullable<Told["data"]> => (body as Told).data ?? {};

function orderName(one: PartnerEvent): string {
	const { external_order_id, ref } = toldIn(one);
	return external_order_id ?? ref ?? one.order_id ?? "";
}

function gist(one: PartnerEvent): string {
	if ("pruned" in one.body) return "";
	const { reason, detail, by, final, shipment, product, ...told } = toldIn(one);
	const some = (...texts: readonly (string | null | undefined)[]): string => texts.filter(Boolean).join(", ");
	switch (one.type) {
		case "order.held":
			return [reason, detail].filter(Boolean).join(": ");
		case "order.cancelled":
			return some(by === undefined ? null : words.events.by[by], detail);
		case "order.shipped":
			return some(final === true ? words.events.whole : words.events.part, shipment?.tracking_number);
		case "hold.impaired": {
			const name = told.external_ref ?? told.reservation_token ?? "";
			const left = told.items?.map((item) => words.events.left(item.reserved_qty, item.requested_qty, item.sku)) ?? [];
			return words.events.hold(name, left.join(", "));
		}
		case "certificate.retired":
			return words.events.batch(product?.name ?? "", told.batch_number ?? "");
		default:
			return shipment?.tracking_number ?? "";
	}
}
