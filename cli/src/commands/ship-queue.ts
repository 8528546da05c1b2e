import type { Command } from "commander";
import { WAITING_STATUSES, type WaitingStatus } from "../../../service/src/inventory/orders/shipment.ts";
import { type ItemOf, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, DEFAULT_LIMIT, limitOption } from "../terminal/options.ts";
import { listed, print, table } from "../terminal/output.ts";
import { nameOfOrder } from "./order-name.ts";

interface QueueOptions extends JsonOption {
	readonly brand?: string;
	readonly status?: WaitingStatus;
	readonly limit?: number;
}

export function addQueue(group: Command): void {
	addCommand(
		group,
		"queue",
		"boxes that wait to be shipped: overnight before expedited before standard, then the oldest first",
		"ship queue --status awaiting_shipment",
	)
		.option("--brand <code>", "only boxes of this brand; those of the sandbox are shown for --brand SANDBOX alone")
		.option(
			"--status <status>",
			`only boxes of this status: ${WAITING_STATUSES.join(", ")}`,
			choice(...WAITING_STATUSES),
		)
		.option(...limitOption())
		.action(async ({ brand, status, limit = DEFAULT_LIMIT, json }: QueueOptions) => {
			const list = await listItems("list_queue", { brand_code: brand, status }, limit);
			print(list, json, () => listed(list, "No box is waiting.", "--brand or --status", queueTable));
		});
}

type QueuedBox = ItemOf<"list_queue">;

function queueTable(boxes: readonly QueuedBox[]): string {
	const rows = boxes.flatMap((box) => box.orders.map((order, index) => rowOf(box, order, index === 0)));
	const headings = [
		"ORDER",
		"PARTNER",
		"CUSTOMER",
		"SERVICE",
		"WAITING SINCE",
		"BRAND",
		"TO",
		"STATUS",
		"ITEMS",
		"NOTE",
	];
	return table(headings, rows);
}

/**
 * One row for each order of a box, with the name that people use for the order; values that the orders share appear in
 * the first row only.
 */
function rowOf(box: QueuedBox, order: QueuedBox["orders"][number], first: boolean) {
	const { status, service_level, waiting_since, brand_code, ship_to, items } = box;
	const own = items.filter(({ order_id }) => order_id === order.order_id);
	const name = nameOfOrder(order);
	return [
		first ? name : `+ ${name}`,
		first ? order.partner : "",
		order.customer,
		...(first ? [service_level, waiting_since, brand_code ?? "(shared)"] : ["", "", ""]),
		first ? `${ship_to.city}, ${ship_to.country}` : "in the same box",
		first && status === "on_hold" ? `ON HOLD: ${stateOf(order)}` : stateOf(order),
		own.map(({ sku, qty }) => `${qty} ${sku}`).join(", "),
		order.note,
	];
}

const stateOf = ({ status, hold_reason, pick_again }: QueuedBox["orders"][number]): string =>
	hold_reason === null ? `${status}${pick_again ? " (pick again)" : ""}` : `${status} (${hold_reason})`;
