import type { Command } from "commander";
import { type ItemOf, pagesOf, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { DEFAULT_LIMIT, limitOption } from "../terminal/options.ts";
import { listed, print, tableOf } from "../terminal/output.ts";
import type { OrderNames } from "./order-name.ts";
import { ORDER_HINT } from "./orders.ts";

interface ListOptions extends JsonOption {
	readonly order?: string;
	readonly limit?: number;
}

export function addEvents(program: Command): void {
	const group = program.command("events").description("the events that partners are sent");
	addCommand(
		group,
		"list",
		"events, the newest first",
		"events list --order 019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d --json",
	)
		.option("--order <order>", "only events of this order: its id, Idempotency-Key or external id")
		.option(...limitOption())
		.action(async ({ order, limit = DEFAULT_LIMIT, json }: ListOptions) => {
			const list = await withOperator(async (call) => {
				const id =
					order === undefined ? null : (await call("get_order", { params: { id: order } }, ORDER_HINT)).order_id;
				return await pagesOf(call, "list_events", id === null ? {} : { query: { order_id: id } }, limit);
			});
			print(list, json, () => listed(list, "No events.", "--order", eventTable));
		});
}

type ListedEvent = ItemOf<"list_events">;

const eventTable = (events: readonly ListedEvent[]): string =>
	tableOf(events, { TIME: "created_at", TYPE: "type", ORDER: nameOf, WHAT: gist, EVENT: "event_id" });

/** The data in a body; of an old event, only the id of the box is kept. */
interface Told extends Partial<OrderNames> {
	readonly reason?: string;
	readonly detail?: string | null;
	readonly by?: string;
	readonly final?: boolean;
	readonly shipment?: { readonly tracking_number: string | null };
	readonly reservation_token?: string;
	readonly external_ref?: string | null;
	readonly items?: readonly { readonly sku: string; readonly requested_qty: number; readonly reserved_qty: number }[];
	readonly product?: { readonly slug: string };
	readonly batch_number?: string;
}
const toldIn = ({ body }: ListedEvent): Told => (body as { readonly data?: Told }).data ?? {};

/** The name of the order that an event is about, from its body; null: the body has none. */
function nameOf(one: ListedEvent): string | null {
	const { external_order_id, ref } = toldIn(one);
	return external_order_id ?? ref ?? one.order_id;
}

/** A short summary of an event whose body is kept. */
function gist(one: ListedEvent): string | null {
	const told = toldIn(one);
	if ("pruned" in one.body) return null;
	const number = told.shipment?.tracking_number ?? "without a tracking number";
	switch (one.type) {
		case "order.shipped":
			return `${told.final === true ? "all" : "a part"}, ${number}`;
		case "order.held":
			return [told.reason, told.detail].filter(Boolean).join(": ");
		case "order.cancelled":
			return [`by the ${told.by}`, told.detail].filter(Boolean).join(": ");
		case "shipment.label_created":
		case "shipment.voided":
			return number;
		case "hold.impaired": {
			const left = told.items?.map((item) => `${item.reserved_qty} of ${item.requested_qty} ${item.sku}`) ?? [];
			return `hold ${told.external_ref ?? told.reservation_token} has ${left.join(", ")}`;
		}
		case "certificate.retired":
			return `${told.product?.slug}, batch ${told.batch_number}`;
		default:
			return null;
	}
}
