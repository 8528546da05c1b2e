import type { Command } from "commander";
import { type DataOfCall, pagesOf, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { DEFAULT_LIMIT, limitOption } from "../terminal/options.ts";
import { print, table } from "../terminal/output.ts";
import type { OrderNames } from "./order-name.ts";
import { ORDER_HINT } from "./orders.ts";

interface ListOptions extends JsonOption {
	readonly order?: string;
	readonly limit?: number;
}

export function addEvents(program: Command): void {
	const group = program.command("events").description("the events about orders that partners are sent");
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
			print(list, json, () => eventTable(list.items, list.next_cursor !== null));
		});
}

type ListedEvent = DataOfCall<"list_events">["items"][number];

function eventTable(events: readonly ListedEvent[], hasMore: boolean): string {
	if (events.length === 0) return "No events.";
	const rows = events.map((one) => [one.created_at, one.type, nameOf(one), gist(one), one.event_id]);
	const shown = table(["TIME", "TYPE", "ORDER", "WHAT", "EVENT"], rows);
	return hasMore ? `${shown}\n… and more: narrow it with --order, or raise --limit.` : shown;
}

/** The name of the order that an event is about, which its body has; null: a test. */
function nameOf({ body, order_id: orderId }: ListedEvent): string | null {
	const { data } = body as { data: Partial<OrderNames> };
	return data.external_order_id ?? data.ref ?? orderId;
}

/** A short summary of an event. */
function gist({ body }: ListedEvent): string | null {
	const { data } = body as {
		data: { reason?: string; detail?: string | null; final?: boolean; shipment?: { tracking_number: string | null } };
	};
	if (data.reason !== undefined) return [data.reason, data.detail].filter(Boolean).join(": ");
	if (!data.shipment) return null;
	return `${data.final === true ? "all" : "a part"}, ${data.shipment.tracking_number ?? "without a tracking number"}`;
}
