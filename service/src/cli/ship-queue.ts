import type { Command } from "commander";
import type { QueuedBoxReply } from "../inventory/orders/operator-reply.ts";
import { WAITING_STATUSES, type WaitingStatus } from "../inventory/orders/shipment.ts";
import { addCommand } from "./command.ts";
import { brandOf, LINK_VARIABLES, linksOf, withStore } from "./context.ts";
import { choice, wholeNumber } from "./options.ts";
import { print, table } from "./output.ts";

/** Boxes that the queue shows unless told otherwise. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 100_000;

interface QueueOptions {
	readonly brand?: string;
	readonly status?: WaitingStatus;
	readonly limit?: number;
	readonly json?: true;
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
		.option("--limit <n>", `maximum rows (${DEFAULT_LIMIT})`, wholeNumber(1, MAX_LIMIT))
		.action(async ({ brand, status, limit = DEFAULT_LIMIT, json }: QueueOptions) => {
			const [{ listQueue }, { queuedBoxReply }] = await Promise.all([
				import("../inventory/orders/list-queue.ts"),
				import("../inventory/orders/operator-reply.ts"),
			]);
			const { boxes, hasMore } = await withStore(async ({ db, agreed }) => {
				const queue = await listQueue(db, { brandCode: await brandOf(db, brand), status: status ?? null }, limit);
				const links = await linksOf(await agreed(...LINK_VARIABLES));
				return { boxes: queue.items.map((box) => queuedBoxReply(box, links)), hasMore: queue.hasMore };
			});
			print({ items: boxes, has_more: hasMore }, json, () => queueTable(boxes, hasMore));
		});
}

function queueTable(boxes: readonly QueuedBoxReply[], hasMore: boolean): string {
	if (boxes.length === 0) return "Nothing waits.";
	const rows = boxes.flatMap((box) => box.orders.map((order, index) => rowOf(box, order, index === 0)));
	const shown = table(["BOX", "STATUS", "SERVICE", "WAITS SINCE", "BRAND", "TO", "ORDER", "IS", "ITEMS", "NOTE"], rows);
	return hasMore ? `${shown}\n… and more: narrow it with --brand or --status, or raise --limit.` : shown;
}

/** One row for each order of a box; what is the same for all of them stands in the first. */
function rowOf(box: QueuedBoxReply, order: QueuedBoxReply["orders"][number], first: boolean) {
	const { shipment_id, status, service_level, waiting_since, brand_code, ship_to, items } = box;
	const own = items.filter(({ order_id }) => order_id === order.order_id);
	return [
		first ? shipment_id : "  with it",
		...(first ? [status === "on_hold" ? "ON HOLD" : status, service_level, waiting_since] : ["", "", ""]),
		...(first ? [brand_code ?? "(shared)", `${ship_to.city}, ${ship_to.country}`] : ["", ""]),
		order.order_id,
		order.hold_reason !== null
			? `${order.status} (${order.hold_reason})`
			: `${order.status}${order.to_pick && order.status !== "placed" ? " (pick again)" : ""}`,
		own.map(({ sku, qty }) => `${qty} ${sku}`).join(", "),
		order.note,
	];
}
