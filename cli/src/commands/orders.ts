import type { Command } from "commander";
import { FIELDS } from "../../../openapi/__generated__/operations.ts";
import { quotedCommand } from "../../../service/src/ground/lib/typed-command.ts";
import { callOperator, type DataOfCall, type ItemOf, listItems } from "../client/operator-client.ts";
import { addCommand, type JsonOption } from "../terminal/command.ts";
import { choice, DEFAULT_LIMIT, limitOption } from "../terminal/options.ts";
import { factTable, listed, plural, print, table, tableOf } from "../terminal/output.ts";
import { KEY_HINT } from "./keys.ts";
import { nameOfOrder } from "./order-name.ts";

const { status: STATUSES } = FIELDS.list_orders;
const { reason: REASONS } = FIELDS.hold_order;
/** An order in examples. */
export const EXAMPLE_ID = "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d";
/** How an order is named on the command line. */
export const ORDER_ARGUMENT = [
	"<order_id>",
	"the order: its name as tables show it (its external id or its Idempotency-Key), if no other order has it; or its id",
] as const;
/** The hint for an order that does not exist. */
export const ORDER_HINT = { order_not_found: `${quotedCommand("orders list")} shows them.` } as const;

type ListedOrder = ItemOf<"list_orders">;
type ShownOrder = DataOfCall<"get_order">;

interface ListOptions extends JsonOption {
	readonly status?: (typeof STATUSES)[number];
	readonly key?: string;
	readonly brand?: string;
	readonly search?: string;
	readonly limit?: number;
}

export function addOrders(program: Command): void {
	const group = program.command("orders").description("orders that partners placed");
	addList(group);
	addShow(group);
	addHold(group);
	addRelease(group);
	addCancel(group);
}

function addList(group: Command): void {
	addCommand(group, "list", "orders, the newest first", "orders list --status held")
		.option("--status <status>", `only orders of this status: ${STATUSES.join(", ")}`, choice(...STATUSES))
		.option("--key <pk-or-name>", "only orders that this key placed")
		.option("--brand <code>", "only orders of this brand")
		.option(
			"--search <text>",
			"only orders with this id, reference, external id or tracking number, or with the text in the customer's name or e-mail",
		)
		.option(...limitOption())
		.action(async ({ status, key, brand: brand_code, search: q, limit = DEFAULT_LIMIT, json }: ListOptions) => {
			const list = await listItems("list_orders", { status, key, brand_code, q }, limit, KEY_HINT);
			const narrow = "--status, --key, --brand or --search";
			print(list, json, () => listed(list, "No orders.", narrow, orderTable));
		});
}

/** Describes the units that an order on hold lacks. */
const lackOf = ({ lacking_units: lacking, could_be_released: inStock }: ListedOrder): string | null => {
	if (lacking === null || lacking === 0) return null;
	return `${plural(lacking, "unit")}${inStock ? ", in stock" : ""}`;
};

const orderTable = (orders: readonly ListedOrder[]): string =>
	tableOf(orders, {
		ORDER: nameOfOrder,
		STATUS: ({ status, hold_reason: why }) => (why === null ? status : `${status} (${why})`),
		LACKS: lackOf,
		PLACED: "placed_at",
		PARTNER: "partner",
		CUSTOMER: "customer",
		TO: ({ city, country }) => `${city}, ${country}`,
		SERVICE: "service_level",
		BRAND: ({ brand_code: brand }) => brand ?? "(shared)",
	}) + releaseHint(orders);

/** The hint for orders whose missing units have arrived: only the operator can release them. */
function releaseHint(orders: readonly ListedOrder[]): string {
	const ready = orders.filter((order) => lackOf(order) !== null && order.could_be_released === true).length;
	if (ready === 0) return "";
	return `\nThe units that ${plural(ready, "order")} on hold ${ready === 1 ? "lacks" : "lack"} are in stock now: ${quotedCommand("orders release <order_id>")} picks them and releases the order.`;
}

function addShow(group: Command): void {
	addCommand(group, "show", "one order, with its lots and boxes", `orders show ${EXAMPLE_ID}`)
		.argument(...ORDER_ARGUMENT)
		.action(async (name: string, options: JsonOption) => {
			const order = await callOperator("get_order", { params: { id: name } }, ORDER_HINT);
			print(order, options.json, () => describe(order));
		});
}

interface HoldOptions extends JsonOption {
	readonly reason?: (typeof REASONS)[number];
	readonly detail?: string;
}

function addHold(group: Command): void {
	addCommand(
		group,
		"hold",
		"put an order on hold until it is released or cancelled; its partner is notified of the reason",
		`orders hold ${EXAMPLE_ID} --detail 'the house number is missing' --reason address_invalid`,
	)
		.argument(...ORDER_ARGUMENT)
		.option("--reason <reason>", `why: ${REASONS.join(", ")} (operator)`, choice(...REASONS))
		.option("--detail <text>", "the reason in words, for the partner; kept with the order and in its event")
		.action(async (name: string, { reason = "operator", detail, json }: HoldOptions) => {
			const order = await callOperator("hold_order", { params: { id: name }, body: { reason, detail } }, ORDER_HINT);
			print(order, json, () => `Order ${nameOfOrder(order)} is on hold: ${holdOf(order)}.`);
		});
}

function addRelease(group: Command): void {
	addCommand(
		group,
		"release",
		"release an order that is on hold; all units that it lost are picked again",
		`orders release ${EXAMPLE_ID}`,
	)
		.argument(...ORDER_ARGUMENT)
		.option("--reason <text>", "the reason, for the audit log")
		.action(async (name: string, { reason, json }: { reason?: string; json?: true }) => {
			const order = await callOperator("release_order", { params: { id: name }, body: { reason } }, ORDER_HINT);
			print(order, json, () => `Order ${nameOfOrder(order)} is ${order.status} again.`);
		});
}

function addCancel(group: Command): void {
	addCommand(
		group,
		"cancel",
		"cancel an order that was not picked; its units go back to the lots they came from",
		`orders cancel ${EXAMPLE_ID} --reason 'the customer called'`,
	)
		.argument(...ORDER_ARGUMENT)
		.option("--reason <text>", "the reason, also for the partner; kept with the order and in its event")
		.action(async (name: string, { reason, json }: { reason?: string; json?: true }) => {
			const order = await callOperator("cancel_order", { params: { id: name }, body: { reason } }, ORDER_HINT);
			print(order, json, () => `Order ${nameOfOrder(order)} is cancelled.`);
		});
}

const holdOf = ({ hold_reason, hold_detail }: ShownOrder): string =>
	[hold_reason, hold_detail].filter((text) => text !== null).join(": ");

function describe(order: ShownOrder): string {
	const { name, company, line1, line2, city, state, postal_code, country } = order.customer.ship_to;
	const address = [name ?? order.customer.name, company, line1, line2, city, state, postal_code, country];
	const facts: [string, string | null][] = [
		["order", nameOfOrder(order)],
		["id", order.order_id],
		["status", order.hold_reason === null ? order.status : `${order.status} (${holdOf(order)})`],
		["placed by", `${order.key} (${order.partner} / ${order.key_name})`],
		["reference", order.ref],
		["external id", order.external_order_id],
		["brand", order.brand_code],
		["environment", order.environment],
		["hold", order.reservation_token],
		["service level", order.service_level],
		["ship to", address.filter((part) => part !== undefined).join(", ")],
		["note", order.note],
		["placed", order.placed_at],
		["held", order.held_at],
		["picked", order.picked_at],
		["shipped", order.shipped_at],
		["cancelled", order.cancelled_at],
		["cancel reason", order.cancel_reason],
	];
	const lots = order.items.flatMap(({ sku, qty, shipped_qty, components }) =>
		components.flatMap((component) =>
			component.lots.map(({ batch_number, fg_id, units }) => [sku, qty, shipped_qty, batch_number, fg_id, units]),
		),
	);
	return [
		factTable(facts.filter(([, value]) => value !== null)),
		"",
		...order.items.map(({ sku, qty, shipped_qty }) => `${qty} of ${sku}, ${shipped_qty} shipped`),
		"",
		...(lots.length > 0 ? [table(["SKU", "KITS", "SHIPPED", "BATCH", "LOT", "UNITS"], lots), ""] : []),
		tableOf(order.shipments, {
			BOX: "shipment_id",
			STATUS: "status",
			CARRIER: "carrier_code",
			SERVICE: "service_code",
			TRACKING: "tracking_number",
			WITH: (box) => plural(box.orders.length, "order"),
			SHIPPED: "shipped_at",
		}),
		"",
		tableOf(order.timeline, { WHEN: "at", WHAT: "what", BY: "by", WHY: "why" }),
	].join("\n");
}
