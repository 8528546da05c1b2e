import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { type FoundBox, type OrderInBox, selectBoxesOf } from "../orders/box-sql.ts";
import { findNamedOrder } from "../orders/find-order.ts";
import { selectShipment } from "../orders/find-order-sql.ts";
import { isWaiting } from "../orders/shipment.ts";
import { itemsOf } from "../orders/shipment-reply.ts";
import type { PackingSlip, SlipItem } from "./packing-slip.ts";
import { selectLastDays, selectOrdersOnPaper, selectSkuNames } from "./sql.ts";

export interface SlipOfBox {
	readonly shipmentId: string;
	readonly orders: readonly OrderInBox[];
	readonly slip: PackingSlip;
}

/** The packing slip of the box in which an order waits, or else of its last shipped box. */
export async function slipOfBox(
	db: Query,
	name: string,
	paper: PackingSlip["paper"],
): Promise<SlipOfBox | Refusal<"order_not_found" | "invalid_input" | "wrong_state">> {
	const found = await findNamedOrder(db, name);
	if (isRefusal(found)) return found;
	const { rows } = await selectBoxesOf(db, [found.orderId]);
	const shipped = rows.filter(({ status }) => status === "shipped");
	const box = rows.find(isWaiting) ?? shipped.toSorted((a, b) => timeOf(a) - timeOf(b)).at(-1);
	if (!box) return refuse("wrong_state", `Order ${found.called} is ${found.status}: there is nothing to pack.`);
	const record = await selectShipment(db, box.shipmentId);
	const items = itemsOf(record);
	const [orders, names, days] = await Promise.all([
		selectOrdersOnPaper(
			db,
			box.orders.map(({ orderId }) => orderId),
		),
		selectSkuNames(
			db,
			items.map(({ sku }) => sku),
		),
		selectLastDays(
			db,
			items.flatMap(({ lots }) => lots.map(({ fg_id }) => fg_id)),
		),
	]);
	const nameOf = new Map(names.rows.map(({ sku, name: called }) => [sku, called]));
	const lastDayOf = new Map(days.rows.map(({ fgId, expiresOn }) => [fgId, expiresOn]));
	const slipItems = items.map(
		({ sku, qty, lots }): SlipItem => ({
			sku,
			name: nameOf.get(sku) ?? sku,
			qty,
			lots: lots.map(({ fg_id, batch_number, units }) => ({
				batchNumber: batch_number,
				units,
				expiresOn: lastDayOf.get(fg_id) ?? null,
			})),
		}),
	);
	const first = must(orders.rows[0], "the first order of a box");
	const { customer, serviceLevel, brandName: sender, placedAt } = first;
	const { ship_to: to } = customer;
	const slip: PackingSlip = {
		sender,
		serviceLevel,
		paper,
		items: slipItems,
		placedAt: placedAt.getTime(),
		scanned: first.externalOrderId ?? first.ref,
		order: orders.rows.map(({ externalOrderId, ref }) => externalOrderId ?? ref).join(", "),
		note:
			orders.rows
				.map(({ note }) => note)
				.filter(Boolean)
				.join(" / ") || null,
		shipTo: {
			name: to.name ?? customer.name,
			company: to.company ?? null,
			lines: [to.line1, to.line2 ?? ""],
			city: to.city,
			state: to.state ?? null,
			postalCode: to.postal_code,
			country: to.country,
		},
	};
	return { shipmentId: box.shipmentId, orders: box.orders, slip };
}

const timeOf = ({ shippedAt }: FoundBox): number => shippedAt?.getTime() ?? 0;
