import { isSameAddress } from "../orders/combine.ts";
import { type ServiceLevel, type ShipTo, shipToOf } from "../orders/order.ts";
import type { OrderOfMove } from "../stock/list-lots-sql.ts";

/** A placed order alone in a box without a label. */
export interface LoneOrder extends OrderOfMove {
	readonly shipmentId: string;
	readonly keyId: string;
	readonly poolId: number;
	readonly brandCode: string | null;
	/** The customer's name. */
	readonly customer: string;
	readonly serviceLevel: ServiceLevel;
	readonly shipTo: ShipTo;
	readonly placedAt: Date;
}

/** Orders that one box could have, the oldest first; at least two. */
export type CombinableOrders = readonly [LoneOrder, ...LoneOrder[]];

/** Groups orders, given oldest first, into those that may be combined with each other. Pure. */
export function combinable(orders: readonly LoneOrder[]): CombinableOrders[] {
	const candidates = Map.groupBy(orders, ({ keyId, poolId, serviceLevel, shipTo: { country } }) =>
		[keyId, poolId, serviceLevel, country.toLowerCase()].join(),
	);
	const groups: [LoneOrder, ...LoneOrder[]][] = [];
	for (const some of candidates.values()) {
		const own: typeof groups = [];
		for (const order of some) {
			const group = own.find(([first]) => isSameAddress(onParcel(first), onParcel(order)));
			if (group) group.push(order);
			else own.push([order]);
		}
		groups.push(...own.filter(({ length }) => length > 1));
	}
	return groups.toSorted(([a], [b]) => (a.orderId < b.orderId ? -1 : 1));
}

const onParcel = ({ customer, shipTo }: LoneOrder): ShipTo => shipToOf({ name: customer, ship_to: shipTo });
