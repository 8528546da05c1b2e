import type { Command } from "commander";
import { quotedCommand } from "../ground/lib/typed-command.ts";
import type { OperatorDeps, OrderAsked } from "../inventory/orders/change-named.ts";
import type { OrderOnList } from "../inventory/orders/list-orders.ts";
import type { OperatorOrderReply } from "../inventory/orders/operator-reply.ts";
import { ORDER_STATUSES, type OrderStatus } from "../inventory/orders/order.ts";
import type { OrderForOperator } from "../inventory/orders/show-order.ts";
import { HOLD_REASONS, type HoldReason } from "../partners/webhooks/event.ts";
import { addCommand, type JsonOption } from "./command.ts";
import { brandOf, type Context, granted, KEY_HINT, LINK_VARIABLES, linksOf, withStore } from "./context.ts";
import { choice, DEFAULT_LIMIT, limitOption } from "./options.ts";
import { plural, print, snake, table } from "./output.ts";

/** The actor that the ledger records. */
export const ORIGIN = { actor: "operator:cli", requestId: null } as const;
const EXAMPLE_ID = "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7d";
/** How an order is named on the command line. */
export const ORDER_ARGUMENT = [
	"<order_id>",
	"the order: its id, or its Idempotency-Key or external id if no other order has it",
] as const;
/** The hint for an order that does not exist. */
export const ORDER_HINT = { order_not_found: `${quotedCommand("orders list")} shows them.` } as const;

interface ListOptions extends JsonOption {
	readonly status?: OrderStatus;
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
		.option("--status <status>", `only orders of this status: ${ORDER_STATUSES.join(", ")}`, choice(...ORDER_STATUSES))
		.option("--key <pk-or-name>", "only orders that this key placed")
		.option("--brand <code>", "only orders of this brand")
		.option(
			"--search <text>",
			"only orders with this id, reference, external id or tracking number, or with the text in the customer's name or e-mail",
		)
		.option(...limitOption())
		.action(async ({ status, key, brand, search, limit = DEFAULT_LIMIT, json }: ListOptions) => {
			const { selectKey } = await import("../partners/keys/select-key.ts");
			const { listOrders } = await import("../inventory/orders/list-orders.ts");
			const list = await withStore(async ({ db, agreed }) => {
				const { timeZone, coa } = await agreed("HOLDFAST_TIME_ZONE", "HOLDFAST_COA_REQUIRED");
				const keyId = key === undefined ? null : granted(await selectKey(db, key), KEY_HINT).keyId;
				const brandCode = await brandOf(db, brand);
				const rules = { timeZone, certificatesRequired: coa.required };
				return await listOrders(db, { keyId, brandCode, status: status ?? null, search: search ?? null }, limit, rules);
			});
			print(snake(list), json, () => orderTable(list.items, list.hasMore));
		});
}

/** Describes the units that an order on hold lacks. */
const lackOf = ({ lackingUnits, couldBeReleased }: OrderOnList): string | null => {
	if (lackingUnits === null || lackingUnits === 0) return null;
	return `${plural(lackingUnits, "unit")}${couldBeReleased ? ", in stock" : ""}`;
};

function orderTable(orders: readonly OrderOnList[], hasMore: boolean): string {
	if (orders.length === 0) return "No orders.";
	const rows = orders.map((order) => [
		order.externalOrderId ?? order.ref,
		order.holdReason === null ? order.status : `${order.status} (${order.holdReason})`,
		lackOf(order),
		order.placedAt,
		order.partner,
		order.customer,
		`${order.city}, ${order.country}`,
		order.serviceLevel,
		order.brandCode ?? "(shared)",
	]);
	const headings = ["ORDER", "STATUS", "LACKS", "PLACED", "PARTNER", "CUSTOMER", "TO", "SERVICE", "BRAND"];
	const shown = `${table(headings, rows)}${releaseHint(orders)}`;
	return hasMore
		? `${shown}\n… and more: narrow it with --status, --key, --brand or --search, or raise --limit.`
		: shown;
}

/** The hint for orders whose missing units have arrived: only the operator can release them. */
function releaseHint(orders: readonly OrderOnList[]): string {
	const ready = orders.filter((order) => lackOf(order) !== null && order.couldBeReleased === true).length;
	if (ready === 0) return "";
	return `\nThe units that ${plural(ready, "order")} on hold ${ready === 1 ? "lacks" : "lack"} are in stock now: ${quotedCommand("orders release <order_id>")} picks them and releases the order.`;
}

function addShow(group: Command): void {
	addCommand(group, "show", "one order, with its lots and boxes", `orders show ${EXAMPLE_ID}`)
		.argument(...ORDER_ARGUMENT)
		.action(async (name: string, options: JsonOption) => {
			const { showOrderForOperator } = await import("../inventory/orders/show-order.ts");
			const order = await withStore(async (context) =>
				replyOf(context, granted(await showOrderForOperator(context.db, name), ORDER_HINT)),
			);
			print(order, options.json, () => describe(order));
		});
}

interface HoldOptions extends JsonOption {
	readonly reason?: HoldReason;
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
		.option("--reason <reason>", `why: ${HOLD_REASONS.join(", ")} (operator)`, choice(...HOLD_REASONS))
		.option("--detail <text>", "the reason in words, for the partner; kept with the order and in its event")
		.action(async (name: string, { reason = "operator", detail, json }: HoldOptions) => {
			const order = await change(name, { kind: "holdOrder", reason, detail: detail ?? null });
			print(order, json, () => `Order ${order.order_id} is on hold: ${holdOf(order)}.`);
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
		.action(async (name: string, options: JsonOption) => {
			const order = await change(name, { kind: "releaseOrder", origin: ORIGIN });
			print(order, options.json, () => `Order ${order.order_id} is ${order.status} again.`);
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
		.option("--reason <text>", "the reason; kept with the order")
		.action(async (name: string, { reason, json }: { reason?: string; json?: true }) => {
			const order = await change(name, { kind: "cancel", origin: ORIGIN, reason: reason ?? null });
			print(order, json, () => `Order ${order.order_id} is cancelled.`);
		});
}

/** Changes an order and returns it in the printed form. */
async function change(name: string, asked: OrderAsked): Promise<OperatorOrderReply> {
	const { changeNamedOrder } = await import("../inventory/orders/change-named.ts");
	return await withStore((context) =>
		withOperatorDeps(context, async (deps) =>
			replyOf(context, granted(await changeNamedOrder(deps, name, asked), ORDER_HINT)),
		),
	);
}

/** Opens the dependencies of the operator's use cases for orders. */
export async function withOperatorDeps<T>(
	{ agreed, db, withEngine }: Context,
	work: (deps: OperatorDeps) => Promise<T>,
): Promise<T> {
	const { openAskedPlatform } = await import("../assembly/labels.ts");
	const asked = openAskedPlatform(await agreed("HOLDFAST_LABEL_PLATFORM", "HOLDFAST_SHIPSTATION_URL"), db);
	try {
		return await withEngine((engine) => work({ db, engine, labels: asked.gate }));
	} finally {
		await asked.close();
	}
}

async function replyOf({ agreed }: Context, order: OrderForOperator): Promise<OperatorOrderReply> {
	const { operatorOrderReply } = await import("../inventory/orders/operator-reply.ts");
	return operatorOrderReply(order, await linksOf(await agreed(...LINK_VARIABLES)));
}

const holdOf = ({ hold_reason, hold_detail }: OperatorOrderReply): string =>
	[hold_reason, hold_detail].filter((text) => text !== null).join(": ");

function describe(order: OperatorOrderReply): string {
	const { name, company, line1, line2, city, state, postal_code, country } = order.customer.ship_to;
	const address = [name ?? order.customer.name, company, line1, line2, city, state, postal_code, country];
	const facts: [string, string | null][] = [
		["order", order.order_id],
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
	const boxes = order.shipments.map((box) => [
		box.shipment_id,
		box.status,
		box.carrier_code,
		box.service_code,
		box.tracking_number,
		plural(box.orders.length, "order"),
		box.shipped_at,
	]);
	return [
		table(
			["", ""],
			facts.filter(([, value]) => value !== null),
		).trimStart(),
		"",
		...order.items.map(({ sku, qty, shipped_qty }) => `${qty} of ${sku}, ${shipped_qty} shipped`),
		"",
		...(lots.length > 0 ? [table(["SKU", "KITS", "SHIPPED", "BATCH", "LOT", "UNITS"], lots), ""] : []),
		table(["BOX", "STATUS", "CARRIER", "SERVICE", "TRACKING", "WITH", "SHIPPED"], boxes),
	].join("\n");
}
