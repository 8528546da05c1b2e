import type { Command } from "commander";
import type { ListedEvent } from "../../../service/src/partners/webhooks/sql.ts";
import { granted, withStore } from "../offline/context.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { DEFAULT_LIMIT, limitOption } from "../terminal/options.ts";
import { print, table } from "../terminal/output.ts";
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
			const { findNamedOrder } = await import("../../../service/src/inventory/orders/find-order.ts");
			const { listEvents } = await import("../../../service/src/partners/webhooks/sql.ts");
			const { items, hasMore } = await withStore(async ({ db }) => {
				const orderId = order === undefined ? null : granted(await findNamedOrder(db, order), ORDER_HINT).orderId;
				return await listEvents(db, orderId, limit);
			});
			print({ items: items.map(toItem), has_more: hasMore }, json, () => eventTable(items, hasMore));
		});
}

/** Shows the body as parsed JSON; serialised without spaces it is the text that is sent. */
const toItem = ({ eventId, type, orderId, createdAt, body }: ListedEvent) => ({
	event_id: eventId,
	type,
	order_id: orderId,
	created_at: createdAt.toISOString(),
	body: JSON.parse(body) as unknown,
});

function eventTable(events: readonly ListedEvent[], hasMore: boolean): string {
	if (events.length === 0) return "No events.";
	const rows = events.map(({ eventId, type, orderId, createdAt, body }) => [
		createdAt.toISOString(),
		type,
		orderId,
		gist(body),
		eventId,
	]);
	const shown = table(["TIME", "TYPE", "ORDER", "WHAT", "EVENT"], rows);
	return hasMore ? `${shown}\n… and more: narrow it with --order, or raise --limit.` : shown;
}

/** A short summary of an event. */
function gist(body: string): string | null {
	const { data } = JSON.parse(body) as {
		data: { reason?: string; detail?: string | null; final?: boolean; shipment?: { tracking_number: string | null } };
	};
	if (data.reason !== undefined) return [data.reason, data.detail].filter(Boolean).join(": ");
	if (!data.shipment) return null;
	return `${data.final === true ? "all" : "a part"}, ${data.shipment.tracking_number ?? "without a tracking number"}`;
}
