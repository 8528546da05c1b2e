/** Partners' operations on orders, and their reads of holds and boxes. */
import type { Chance } from "../../chance.ts";
import { HOLDS, type KnownHold } from "../holds/known.ts";
import type { Ask, Operation, Situation } from "../room.ts";
import type { OrderReply, PageReply } from "./attempts.ts";
import { type KnownOrder, ORDERS } from "./known.ts";

/** Share of places where another client of the same key may also end or place the hold. */
const CONTESTED = 0.25;
/** Share of places of a hold that another client may have placed that use their own Idempotency-Key. */
const OTHER_KEY = 0.4;
/** Share of places that use the superseded address. */
const SUPERSEDED = 0.1;
/** Share of repeats with another hold under the same Idempotency-Key, which is refused. */
const MISMATCHED = 0.15;
/** Share of orders that their partner leaves to the warehouse, */
const LEFT_ALONE = 0.5;
/** unless as many are waiting there, because waiting orders use up small shelves. */
const ENOUGH_TO_SHIP = 80;
/** Share of the other orders that the warehouse knows too, and may pick while they are cancelled. */
const CONTESTED_BY_OPERATORS = 0.1;
const LEAST_PAGE = 5;
const MOST_PAGE = 100;
/** Milliseconds before its end from which a hold is no longer placed. */
const TOO_LATE_MS = 1_500;

const ADDRESSES = [
	{ line1: "1 Dock Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
	{ line1: "2 Hafen", city: "Hamburg", postal_code: "20457", country: "DE" },
];

const get = (path: string, learn?: Ask["learn"]): Ask => ({
	method: "GET",
	path: `/api/v1/${path}`,
	repeatable: true,
	...(learn ? { learn } : {}),
});

const post = (path: string, body: unknown, more: Pick<Ask, "key" | "learn"> = {}): Ask => ({
	method: "POST",
	path: `/api/v1/${path}`,
	body,
	repeatable: true,
	...more,
});

const customerOf = (chance: Chance): unknown => ({ name: "A. Customer", ship_to: chance.pick(ADDRESSES) });

function place({ knows, actor, chance, now }: Situation): Ask | null {
	const orders = knows.of(ORDERS);
	const own = orders.of(actor.name);
	if (own.full) return null;
	const { open } = knows.of(HOLDS).of(actor.name);
	const usable = ({ endsAt }: KnownHold): boolean => endsAt - now > TOO_LATE_MS;
	const hold = chance.happens(CONTESTED) ? open.look(chance) : open.take(chance, usable);
	if (hold === null || !usable(hold)) return null;
	const key = hold.placeKey !== null && !chance.happens(OTHER_KEY) ? hold.placeKey : orders.newKey("o");
	hold.placeKey ??= key;
	const body = { reservation_token: hold.token, customer: customerOf(chance) };
	return post(chance.happens(SUPERSEDED) ? "confirm" : "orders", body, {
		key,
		learn: (answer, outcome) => {
			if (outcome !== "done") return;
			const { order_id: orderId } = (answer.reply as { data: OrderReply }).data;
			const order: KnownOrder = { orderId, token: hold.token, key, lines: hold.lines, body };
			const { placed } = orders.warehouse;
			const left = placed.size < ENOUGH_TO_SHIP && chance.happens(LEFT_ALONE);
			(left ? own.over : own.open).put(order);
			if (left || (placed.size < ENOUGH_TO_SHIP && chance.happens(CONTESTED_BY_OPERATORS))) placed.put(order);
		},
	});
}

/** Repeats a place: the answer is the order in its current state. */
function replay({ knows, actor, chance }: Situation): Ask | null {
	const own = knows.of(ORDERS).of(actor.name);
	const order = own.any(chance);
	if (order === null) return null;
	const other = chance.happens(MISMATCHED) ? own.any(chance) : null;
	return post("orders", (other ?? order).body, { key: order.key });
}

const nameOf = ({ orderId, key }: KnownOrder, chance: Chance): string =>
	chance.happens(0.5) ? orderId : encodeURIComponent(key);

function show({ knows, actor, chance }: Situation): Ask | null {
	const order = knows.of(ORDERS).of(actor.name).any(chance);
	return order && get(`orders/${nameOf(order, chance)}`);
}

function cancel({ knows, actor, chance }: Situation): Ask | null {
	const own = knows.of(ORDERS).of(actor.name);
	const order = chance.happens(CONTESTED) ? own.open.look(chance) : own.open.take(chance);
	if (order === null) return null;
	return post(
		`orders/${nameOf(order, chance)}/cancel`,
		{ reason: "changed my mind" },
		{ learn: () => own.over.put(order) },
	);
}

function combine({ knows, actor, chance }: Situation): Ask | null {
	const { open } = knows.of(ORDERS).of(actor.name);
	const [one, two] = [open.look(chance), open.look(chance)];
	if (one === null || two === null || one === two) return null;
	return post("shipments/combine", { order_refs: [nameOf(one, chance), nameOf(two, chance)] });
}

/** Uses another key's order or hold, which must appear not to exist. */
function stranger({ knows, actor, actors, chance }: Situation): Ask | null {
	const orders = knows.of(ORDERS);
	const other = chance.pick(actors);
	if (other.name === actor.name) return null;
	if (chance.happens(0.4)) {
		const hold = knows.of(HOLDS).of(other.name).open.look(chance);
		const body = hold && { reservation_token: hold.token, customer: customerOf(chance) };
		return body && post("orders", body, { key: orders.newKey("s") });
	}
	const order = orders.of(other.name).any(chance);
	if (order === null) return null;
	return chance.happens(0.5) ? get(`orders/${order.orderId}`) : post(`orders/${order.orderId}/cancel`, {});
}

/** Reads mostly own holds, and some of other keys, which must appear not to exist. */
function readHold({ knows, actor, actors, chance }: Situation): Ask | null {
	const of = chance.happens(0.1) ? chance.pick(actors) : actor;
	const { open, consumed, over } = knows.of(HOLDS).of(of.name);
	const hold = chance.pick([open, consumed, over]).look(chance);
	if (hold === null) return null;
	const byReference = hold.ref !== null && chance.happens(0.5);
	return get(byReference ? `holds?external_ref=${encodeURIComponent(hold.ref ?? "")}` : `holds/${hold.token}`);
}

/** Requests the next page of a followed list. */
function follow({ knows, actor, world, chance }: Situation): Ask | null {
	const brand = actor.brand ?? chance.pick(world.brands);
	const follower = knows.of(ORDERS).follower(actor.name, brand);
	if (follower.busy) return null;
	follower.busy = true;
	const query = new URLSearchParams({ limit: String(chance.between(LEAST_PAGE, MOST_PAGE)) });
	if (actor.brand === null) query.set("brand_code", brand);
	if (follower.cursor !== null) query.set("cursor", follower.cursor);
	return get(`shipments?${query.toString()}`, (answer, outcome) => {
		follower.busy = false;
		if (outcome === "done") follower.cursor = (answer.reply as { data: PageReply }).data.next_cursor;
	});
}

export const ORDER_OPERATIONS: readonly Operation[] = [
	{ name: "place", weight: 12, leastDone: 0.6, build: place },
	{ name: "place again", weight: 4, leastDone: 0.5, build: replay },
	{ name: "order", weight: 5, leastDone: 0.95, build: show },
	{ name: "cancel", weight: 8, leastDone: 0.5, build: cancel },
	{ name: "combine", weight: 2, leastDone: 0.02, build: combine },
	{ name: "stranger's order", weight: 2, leastDone: 0, build: stranger },
	{ name: "hold", weight: 5, leastDone: 0.7, build: readHold },
	{ name: "shipments", weight: 4, leastDone: 0.95, build: follow },
];
