import type { Command } from "../../src/assembly/commands.ts";
import type { Query } from "../../src/ground/pg/connect.ts";
import { PORTLAND } from "../model/script-orders.ts";
import { POOLS, type Town } from "../model/town.ts";

/*
 * The commands that are carried out while a process is killed, with the state before and the required state afterwards.
 */

export const KILLED = ["place", "cancel", "ship", "recall"] as const;
export type Killed = (typeof KILLED)[number];

/** Statements that each command must send, so that a missing failure point is noticed. */
export const WRITES: { readonly [K in Killed]: readonly string[] } = {
	place: ["update_holds", "insert_orders", "insert_shipments"],
	cancel: ["update_parts", "update_orders", "update_shipments", "insert_events"],
	ship: ["update_parts", "update_orders", "update_shipments", "insert_events"],
	recall: ["update_parts", "update_orders", "update_shipments", "insert_events"],
};

const UNITS = 3;
const origin = { actor: "operator:test", requestId: null };

/** A lot of three units, all in one hold, or, except for `place`, in the order made from it. */
export function before(town: Town, what: Killed): Command[] {
	const commands: Command[] = [
		{
			kind: "receive",
			origin,
			newFgId: town.id("lot"),
			formulaId: town.id("F0"),
			poolId: POOLS.ACME,
			batchNumber: "b",
			expiresOn: null,
			receivedOn: null,
			units: UNITS,
		},
		{
			kind: "reserve",
			origin,
			caller: town.callers.acme,
			newToken: town.id("hold"),
			ttlMinutes: 30,
			lines: [
				{
					sku: `${town.name}-one`,
					qty: UNITS,
					brandCode: undefined,
				},
			],
			externalRef: null,
		},
	];
	return what === "place" ? commands : [...commands, place(town, "before")];
}

const place = (town: Town, attempt: string): Command => ({
	kind: "place",
	origin,
	caller: town.callers.acme,
	token: town.id("hold"),
	ref: "cart",
	newOrderId: town.id(`order of ${attempt}`),
	newShipmentId: town.id(`box of ${attempt}`),
	externalOrderId: null,
	customer: {
		name: "Ada",
		ship_to: PORTLAND,
	},
	serviceLevel: "standard",
	note: null,
});

/** `attempt`: a repeat has new ids, as a repeated request does. */
export function commandOf(town: Town, what: Killed, attempt: string): Command {
	const order = { orderId: town.id("order of before"), token: town.id("hold") };
	switch (what) {
		case "place":
			return place(town, attempt);
		case "cancel":
			return { kind: "cancel", origin, reason: null, ...order };
		case "ship":
			return {
				kind: "ship",
				origin,
				orders: [order],
				items: null,
				newShipmentId: town.id(`parcel of ${attempt}`),
				carrierCode: "ups",
				serviceCode: null,
				trackingNumber: "1Z",
			};
		case "recall":
			return {
				kind: "quarantine",
				origin,
				fgId: town.id("lot"),
				units: "all",
				reason: "recall",
				holders: [town.id("hold")],
			};
	}
}

/** A command as text, for another process. */
export const writeCommand = (command: Command): string =>
	JSON.stringify(command, (_key, value: unknown) => (value instanceof Set ? { set: [...value] } : value));
export const reviveCommand = (text: string): Command =>
	JSON.parse(text, (_key, value: unknown) => {
		const { set } = (value ?? {}) as { set?: unknown[] };
		return Array.isArray(set) ? new Set(set) : value;
	}) as Command;

/**
 * The state of a town: units by bucket, the order, its box, the number of its events, and the number of units that the
 * command moved.
 */
export async function stateOf(db: Query, town: Town): Promise<string> {
	const { rows } = await db.query<{ is: string }>(
		`select concat_ws(' ', 'held', l.held, 'allocated', l.allocated, 'shipped', l.shipped, 'quarantined', l.quarantined, 'free', l.available,
		        '| orders', (select string_agg(o.status, ',') from orders o where o.key_id = $2),
		        '| boxes', (select string_agg(s.status, ',') from shipment s join orders o on o.order_id = any(s.order_ids) where o.key_id = $2),
		        '| told', (select count(*) from event join orders using (order_id) where key_id = $2),
		        '| moved', (select sum(units) from unit_move m where m.fg_id = l.fg_id)) as is
		   from lot l where l.fg_id = $1`,
		[town.id("lot"), town.callers.acme.keyId],
	);
	return rows[0]?.is ?? "nothing";
}

const ORDER_WAITS =
	"held 0 allocated 3 shipped 0 quarantined 0 free 0 | orders placed | boxes awaiting_shipment | told 0 | moved 9";
/**
 * The state if nothing was done, and the state if the command was done once. Every unit moved once for each step of its
 * way.
 */
export const STATES: { readonly [K in Killed]: { readonly undone: string; readonly done: string } } = {
	place: {
		undone: "held 3 allocated 0 shipped 0 quarantined 0 free 0 | orders | boxes | told 0 | moved 6",
		done: ORDER_WAITS,
	},
	cancel: {
		undone: ORDER_WAITS,
		done: "held 0 allocated 0 shipped 0 quarantined 0 free 3 | orders cancelled | boxes cancelled | told 0 | moved 12",
	},
	ship: {
		undone: ORDER_WAITS,
		done: "held 0 allocated 0 shipped 3 quarantined 0 free 0 | orders shipped | boxes shipped | told 1 | moved 12",
	},
	recall: {
		undone: ORDER_WAITS,
		done: "held 0 allocated 0 shipped 0 quarantined 3 free 0 | orders held | boxes on_hold | told 1 | moved 12",
	},
};
