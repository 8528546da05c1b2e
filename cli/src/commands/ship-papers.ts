import type { Command } from "commander";
import { DEFAULT_BOXES, pickTable } from "../../../service/src/inventory/shipping/pick-list.ts";
import { callOperator, type DataOfCall, withOperator } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, wholeNumber } from "../terminal/options.ts";
import { plural, print, table } from "../terminal/output.ts";
import { writeTo } from "./coa-print.ts";
import { EXAMPLE_ID, ORDER_ARGUMENT, ORDER_HINT } from "./orders.ts";

const MAX_BOXES = 10_000;

interface PickListOptions extends JsonOption {
	readonly brand?: string;
	readonly limit?: number;
}

export function addPickList(group: Command): void {
	addCommand(
		group,
		"picklist",
		"the way through the warehouse: what to take from which lot, for which order",
		"ship picklist --limit 20",
	)
		.argument(
			"[order_id...]",
			"the orders: ids, or Idempotency-Keys or external ids that no other order has; by default those of the queue",
		)
		.option("--brand <code>", "if no order is named: only boxes of this brand")
		.option(
			"--limit <n>",
			`if no order is named: how many boxes of the queue (default ${DEFAULT_BOXES})`,
			wholeNumber(1, MAX_BOXES),
		)
		.action(async (names: string[], options: PickListOptions, command: Command) => {
			const { brand, limit, json } = options;
			if (names.length > 0 && (brand ?? limit) !== undefined)
				command.error("error: give either orders, or --brand and --limit");
			const body = names.length > 0 ? { order_ids: names } : { brand_code: brand, boxes: limit };
			const list = await callOperator("make_pick_list", { body }, ORDER_HINT);
			print(list, json, () => describe(list));
		});
}

function describe({ stops, units, orders }: DataOfCall<"make_pick_list">): string {
	if (stops.length === 0) return "There is nothing to pick.";
	const { headings, rows } = pickTable({
		stops: stops.map((stop) => ({
			location: stop.location,
			fgId: stop.fg_id,
			formula: stop.formula,
			batchNumber: stop.batch_number,
			expiresOn: stop.expires_on,
			receivedOn: stop.received_on,
			brandCode: stop.brand_code,
			units: stop.units,
			orders: stop.orders.map(
				({ order_id: orderId, ref, external_order_id: externalOrderId, partner, units: own }) => ({
					orderId,
					ref,
					externalOrderId,
					partner,
					units: own,
				}),
			),
		})),
		units,
		orders,
	});
	return `${table(headings, rows)}\n${plural(units, "unit")} for ${plural(orders, "order")}.`;
}

const PAPERS = ["A4", "LETTER"] as const;

interface PackOptions extends JsonOption {
	readonly slip: string;
	readonly paper?: (typeof PAPERS)[number];
}

export function addPack(group: Command): void {
	addCommand(
		group,
		"pack",
		"write the packing slip of the box in which an order waits, with everything that is in it",
		`ship pack ${EXAMPLE_ID} --slip slip.pdf`,
	)
		.argument(...ORDER_ARGUMENT)
		.requiredOption("--slip <file>", "the PDF file to write; an existing file is replaced")
		.option("--paper <size>", `${PAPERS.join(" or ")} (${PAPERS[0]})`, choice(...PAPERS))
		.action(async (name: string, { slip: file, paper = PAPERS[0], json }: PackOptions) => {
			const [pdf, box] = await withOperator(async (call) => {
				const packed = await call("pack_order", { params: { id: name }, body: { paper } }, ORDER_HINT);
				const id = String(packed.headers["x-shipment-id"]);
				return [packed.bytes, await call("get_box", { params: { id } })];
			});
			await writeTo(file, pdf);
			const { shipment_id: shipmentId, orders } = box;
			const items = box.items.map(({ sku, qty }) => ({ sku, qty }));
			const done = { shipment_id: shipmentId, order_ids: orders.map(({ order_id }) => order_id), slip: file, items };
			print(done, json, () => `${file} is the packing slip of box ${shipmentId}: ${plural(orders.length, "order")}.`);
		});
}
