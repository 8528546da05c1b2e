import { asReply } from "../../ground/lib/as-reply.ts";
import type { Overview } from "./read-overview.ts";

/** The reply with the overview. Pure. */
export const overviewReply = (overview: Overview) => ({
	as_of: overview.moment.toISOString(),
	exceptions: {
		...totalOf(overview.exceptions),
		by_kind: overview.exceptions.groups.map(({ kind, n, oldest }) => ({ kind, n, oldest_at: oldest.toISOString() })),
	},
	boxes_to_ship: { ...totalOf(overview.boxes), by_age: overview.boxes.groups },
	held_orders: {
		...totalOf(overview.heldOrders),
		by_reason: overview.heldOrders.groups,
		items: overview.heldOrders.items.map(({ token: _token, status: _status, ...order }) => ({
			...asReply(order),
			lacking_units: order.lackingUnits ?? 0,
			could_be_released: order.couldBeReleased ?? false,
		})),
	},
	ending_lots: {
		...totalOf(overview.lots),
		items: overview.lots.items.map(({ holders, ...lot }) => ({
			...asReply(lot),
			holders: holders.map(({ fgId: _fgId, ...holder }) => holder),
			unnamed_units: Math.max(0, lot.held + lot.allocated - holders.reduce((sum, { units }) => sum + units, 0)),
		})),
	},
	failing_endpoints: {
		...totalOf(overview.endpoints),
		items: overview.endpoints.items.map(({ isActive: active, ...one }) => ({ ...asReply(one), active })),
	},
	ending_keys: { ...totalOf(overview.keys), items: asReply(overview.keys.items) },
	runs: { ...totalOf(overview.runs), items: asReply(overview.runs.items) },
});

const totalOf = ({ n, more }: { readonly n: number; readonly more: boolean }) => ({ n, more });
