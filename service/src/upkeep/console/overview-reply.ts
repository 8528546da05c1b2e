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
		items: overview.heldOrders.items.map((order) => ({
			order_id: order.orderId,
			ref: order.ref,
			external_order_id: order.externalOrderId,
			partner: order.partner,
			reason: order.reason,
			detail: order.detail,
			held_at: order.heldAt.toISOString(),
			lacking_units: order.lackingUnits ?? 0,
			could_be_released: order.couldBeReleased ?? false,
		})),
	},
	ending_lots: {
		...totalOf(overview.lots),
		items: overview.lots.items.map(({ holders, ...lot }) => ({
			fg_id: lot.fgId,
			formula: lot.formula,
			brand_code: lot.brandCode,
			batch_number: lot.batchNumber,
			expires_on: lot.expiresOn,
			in_date: lot.inDate,
			available: lot.available,
			held: lot.held,
			allocated: lot.allocated,
			holders: holders.map(({ partner, holds, orders, units }) => ({ partner, holds, orders, units })),
			unnamed_units: Math.max(0, lot.held + lot.allocated - holders.reduce((sum, { units }) => sum + units, 0)),
		})),
	},
	failing_endpoints: {
		...totalOf(overview.endpoints),
		items: overview.endpoints.items.map((one) => ({
			endpoint_id: one.endpointId,
			partner: one.partner,
			url: one.url,
			active: one.isActive,
			failing_since: one.failingSince?.toISOString() ?? null,
		})),
	},
	ending_keys: {
		...totalOf(overview.keys),
		items: overview.keys.items.map(({ pk, name, partner, environment, endsAt }) => ({
			pk,
			name,
			partner,
			environment,
			ends_at: endsAt.toISOString(),
		})),
	},
	runs: {
		...totalOf(overview.runs),
		items: overview.runs.items.map(({ runId, operation, about, done, of, startedAt }) => ({
			run_id: runId,
			operation,
			about,
			done,
			of,
			started_at: startedAt.toISOString(),
		})),
	},
});

const totalOf = ({ n, more }: { readonly n: number; readonly more: boolean }) => ({ n, more });
