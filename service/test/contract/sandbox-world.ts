import { Reserve } from "../../src/inventory/holds/contract.ts";
import { CombineShipments, GetOrder, PlaceOrder } from "../../src/inventory/orders/contract.ts";
import { AdvanceSandbox } from "../../src/upkeep/sandbox/contract.ts";
import { executeIn } from "../execute-in.ts";
import { restockSandboxes } from "../restock-sandboxes.ts";
import { CUSTOMER } from "./order-world.ts";
import { openWorld, unique, type World } from "./world.ts";

type Goal = "picked" | "shipped" | "held";

/** The actions of a partner's developer in the sandbox, with a sandbox key. */
export interface Player {
	/** A hold of one kit; its token. */
	hold(sku?: string, qty?: number): Promise<string>;
	place(token: string, ref?: string): ReturnType<typeof placeWith>;
	/** An order of one kit. */
	placed(sku?: string): Promise<{ readonly ref: string; readonly token: string; readonly orderId: string }>;
	get(ref: string): ReturnType<typeof getWith>;
	combine(...refs: string[]): Promise<unknown>;
	advance(order_ref: string, to: Goal): ReturnType<typeof advanceWith>;
	expire(reservation_token: string): ReturnType<typeof advanceWith>;
}

/** A world that has the test SKUs; the first key of each partner stocks its own. */
export async function openSandboxWorld(env: Record<string, string> = {}): Promise<World> {
	const world = await openWorld(env);
	await restockSandboxes(world.db, { timeZone: "UTC", executeIn });
	return world;
}

const placeWith = (world: World, key: string, reservation_token: string, ref: string) =>
	world.call(PlaceOrder, key, { reservation_token, customer: CUSTOMER }, { headers: { "idempotency-key": ref } });
const getWith = (world: World, key: string, ref: string) =>
	world.call(GetOrder, key, undefined, { path: `/api/v1/orders/${ref}` });
const advanceWith = (world: World, key: string, body: Parameters<typeof world.call<typeof AdvanceSandbox>>[2]) =>
	world.call(AdvanceSandbox, key, body);

export function playerOf(world: World, key: string): Player {
	const hold = async (sku = "SBX-PLENTY", qty = 1): Promise<string> =>
		(await world.call(Reserve, key, { items: [{ sku, qty }] })).data.reservation_token;
	return {
		hold,
		place: (token, ref = unique("cart")) => placeWith(world, key, token, ref),
		placed: async (sku) => {
			const [token, ref] = [await hold(sku), unique("cart")];
			const { data } = await placeWith(world, key, token, ref);
			return { ref, token, orderId: data.order_id };
		},
		get: (ref) => getWith(world, key, ref),
		combine: async (...order_refs) => (await world.call(CombineShipments, key, { order_refs })).data,
		advance: (order_ref, to) => advanceWith(world, key, { order_ref, to }),
		expire: (reservation_token) => advanceWith(world, key, { reservation_token, to: "expired" }),
	};
}

/** Moves the times of orders back by this many seconds, as if they had been placed that much earlier. */
export const age = (world: World, seconds: number, ...orderIds: string[]) =>
	world.db.query(
		"update orders set placed_at = placed_at - $1 * interval '1 second' where order_id = any($2::uuid[])",
		[seconds, orderIds],
	);

/** Types of the events about an order, in their order. */
export async function eventsOf(world: World, orderId: string): Promise<string[]> {
	const { rows } = await world.db.query<{ type: string }>("select type from event where order_id = $1 order by seq", [
		orderId,
	]);
	return rows.map(({ type }) => type);
}
