import { newId } from "../../ground/lib/ids.ts";
import { isRefusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { Origin } from "../stock/move.ts";
import { type FoundBox, type OrderInBox, selectBox, selectBoxesOf } from "./box-sql.ts";
import { findNamedOrder, type OperatorDeps } from "./find-named-order.ts";
import { selectShipment } from "./find-order-sql.ts";
import type { NamedOrder } from "./named-order.ts";
import type { ShipmentRecord } from "./order-record.ts";
import { type Parcel, wrongInParcel } from "./parcel.ts";
import { isWaiting } from "./shipment.ts";
import { withBox } from "./with-box.ts";

/** Kits by SKU. */
export interface Kits {
	readonly sku: string;
	readonly qty: number;
}

/** A box after something was done with it, and its orders as they are now. */
export interface BoxNow {
	readonly record: ShipmentRecord;
	readonly orders: readonly OrderInBox[];
}

/**
 * Notes that the box in which an order waits has left, whole or, when `items` are given, in part; the rest goes on
 * waiting. A box with several orders is shipped whole.
 */
export async function shipOrder(
	deps: Pick<OperatorDeps, "db" | "engine">,
	name: string,
	{ items, parcel }: { readonly items: readonly Kits[] | null; readonly parcel: Parcel },
	origin: Origin,
) {
	const wrong = wrongInParcel(parcel);
	if (wrong) return refuse("invalid_input", `/${wrong.field}: ${wrong.message}.`);
	const found = await findNamedOrder(deps.db, name);
	if (isRefusal(found)) return found;
	const answer = await shipBoxOf(deps, found, { items, parcel }, origin);
	return isRefusal(answer) ? answer : await boxNow(deps.db, answer.shipmentId);
}

/** Ships the box in which a known order waits. */
export function shipBoxOf(
	{ db, engine }: Pick<OperatorDeps, "db" | "engine">,
	order: NamedOrder,
	{ items, parcel }: { readonly items: readonly Kits[] | null; readonly parcel: Parcel },
	origin: Origin,
) {
	const { carrierCode, serviceCode, trackingNumber } = parcel;
	const command = { kind: "ship", origin, items, carrierCode, serviceCode, trackingNumber } as const;
	return withBox(
		() => ordersOf(db, order),
		(orders) => engine.execute({ ...command, orders, newShipmentId: newId() }),
	);
}

/**
 * The orders of the box that an order waits in; that order alone, when it waits in none: then the engine says why it
 * cannot be shipped.
 */
async function ordersOf(db: Query, order: NamedOrder): Promise<readonly NamedOrder[]> {
	const { rows } = await selectBoxesOf(db, [order.orderId]);
	const box: FoundBox | undefined = rows.find(isWaiting);
	return (box?.orders ?? [order]).map(({ orderId, token }) => ({ orderId, token }));
}

/** A box that is known to exist, as it is now. */
export async function boxNow(db: Query, shipmentId: string): Promise<BoxNow> {
	const [record, { rows }] = await Promise.all([selectShipment(db, shipmentId), selectBox(db, shipmentId)]);
	return { record, orders: rows[0]?.orders ?? [] };
}
