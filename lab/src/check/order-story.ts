/** Hand-written histories of orders. By default they are open-web's, of one unit of LAST from the shared stock. */
import type { Line } from "../history.ts";
import type { OrderErrand } from "../rooms/orders/chores.ts";
import type { BoxFact, EarlyEvent, EventFact, OrderFact } from "../rooms/orders/look-up-sql.ts";
import { AT_THE_END, type Span, Story } from "./story.ts";

interface Placed {
	readonly id: string;
	readonly token?: string;
	readonly key?: string;
	readonly by?: string;
	/** Null: no answer. */
	readonly status?: number | null;
	readonly code?: string;
}

interface Asked {
	readonly by?: string;
	readonly status?: number | null;
	readonly code?: string;
	/** The status of the order in the reply. */
	readonly is?: string;
	readonly version?: number;
	readonly token?: string;
}

/** When the boxes of a story leave, by the database's clock. */
export const LEFT_AT = 250;

export class OrderStory extends Story {
	readonly #orders: OrderFact[] = [];
	readonly #boxes: BoxFact[] = [];
	readonly #events: EventFact[] = [];
	#looked = false;

	place(at: Span, { id, token = "t", key = "k", by = "open-web", status = 201, code = "conflict" }: Placed): this {
		const reply = replyOf(
			status,
			{ order_id: id, ref: key, reservation_token: token, status: "placed", version: 1 },
			code,
		);
		return this.exchange({ path: "/api/v1/orders", body: { reservation_token: token }, key, status, reply }, at, by);
	}

	cancel(at: Span, ref: string, asked: Asked = {}): this {
		return this.#named(at, ref, "/cancel", { is: "cancelled", version: 2, ...asked });
	}

	show(at: Span, ref: string, asked: Asked = {}): this {
		return this.#named(at, ref, "", { is: "placed", version: 1, ...asked });
	}

	#named(at: Span, ref: string, what: string, asked: Asked): this {
		const { by = "open-web", status = 200, code = "conflict", is = "placed", version = 1, token = "t" } = asked;
		const order = { order_id: ref, ref: "k", reservation_token: token, status: is, version };
		const method = what === "" ? ("GET" as const) : ("POST" as const);
		const path = `/api/v1/orders/${ref}${what}`;
		return this.exchange({ method, path, body: null, status, reply: replyOf(status, order, code) }, at, by);
	}

	/** A hold is read back. */
	read(
		at: Span,
		token: string,
		is: string,
		{ by = "open-web", status = 200, order = null as string | null } = {},
	): this {
		const hold = { reservation_token: token, status: is, external_ref: null, order_id: order };
		const path = `/api/v1/holds/${token}`;
		return this.exchange(
			{ method: "GET", path, body: null, status, reply: replyOf(status, hold, "not_found") },
			at,
			by,
		);
	}

	combine(at: Span, ids: readonly string[], box: string): this {
		const data = { shipment_id: box, orders: ids.map((id) => ({ order_id: id })) };
		return this.exchange(
			{ path: "/api/v1/shipments/combine", body: { order_refs: ids }, status: 200, reply: { data } },
			at,
			"open-web",
		);
	}

	/** A page of ACME's boxes. */
	page(
		at: Span,
		boxes: readonly (readonly [id: string, version: number])[],
		{ cursor = null as string | null, brand = "ACME" } = {},
	): this {
		const items = boxes.map(([id, version]) => ({
			shipment_id: id,
			version,
			brand_code: brand,
			status: "shipped",
			orders: [],
		}));
		const path = `/api/v1/shipments?limit=10${cursor === null ? "" : `&cursor=${cursor}`}`;
		const data = { items, next_cursor: `after ${boxes.length}`, has_more: false };
		return this.exchange({ method: "GET", path, body: null, status: 200, reply: { data } }, at, "acme-web");
	}

	/** A command of an operator; `out`: the printed document. */
	command(
		at: Span,
		what: OrderErrand["what"],
		orders: readonly string[],
		{ code = 0 as number | null, out = null as unknown, shipment = null as string | null } = {},
	): this {
		const about: OrderErrand = { what, orders, shipment };
		return this.errand(at, ["hold", "release", "cancel"].includes(what) ? ["orders", what] : ["ship", what], about, {
			code,
			out,
		});
	}

	/** An operator ships the order in this box. */
	ship(at: Span, order: string, box: string): this {
		return this.command(at, "ship", [order], { out: { shipment_id: box } });
	}

	/** The tables contain this order, of one unit. */
	order(orderId: string, fact: Partial<OrderFact> = {}): this {
		this.#looked = true;
		const { status = "placed" } = fact;
		this.#orders.push({
			orderId,
			keyId: "id of open-web",
			ref: "k",
			token: "t",
			status,
			version: 9,
			holdReason: null,
			heldAt: null,
			picked: status === "picked" || status === "shipped",
			boxes: ["b"],
			allocated: 0,
			shipped: 0,
			freed: 0,
			moved: {},
			...UNITS[status],
			...fact,
		});
		return this;
	}

	box(shipmentId: string, fact: Partial<BoxFact> = {}): this {
		this.#looked = true;
		const { status = "shipped", orders = ["o"] } = fact;
		const left = status === "shipped" || status === "voided";
		this.#boxes.push({
			shipmentId,
			brand: null,
			status,
			version: 2,
			seq: this.#boxes.length + 1,
			orders,
			shippedAt: left ? LEFT_AT : null,
			units: left ? orders.map((id) => [id, "LAST", null, 1] as const) : [],
			items: [],
			...fact,
		});
		return this;
	}

	event(eventId: string, fact: Partial<EventFact> = {}): this {
		this.#looked = true;
		this.#events.push({
			eventId,
			type: "order.shipped",
			orderId: "o",
			createdAt: LEFT_AT,
			version: 2,
			reason: null,
			shipmentId: "b",
			shippedAt: LEFT_AT,
			final: null,
			items: null,
			...fact,
		});
		return this;
	}

	held(eventId: string, reason: string): this {
		return this.event(eventId, { type: "order.held", reason, shipmentId: null, shippedAt: null });
	}

	/** The tables contain no other orders. */
	noOtherOrders(): this {
		this.#looked = true;
		return this;
	}

	/** A watch saw this event during the run before the change that it reports. */
	sight(at: number, saw: EarlyEvent): this {
		this.lines.push({ kind: "sight", room: "orders", at, saw });
		return this;
	}

	protected override factsOfRooms(): Line[] {
		if (!this.#looked) return [];
		const facts = { orders: this.#orders, boxes: this.#boxes, events: this.#events };
		return [{ kind: "facts", room: "orders", at: AT_THE_END, until: AT_THE_END, facts }];
	}
}

const replyOf = (status: number | null, data: unknown, code: string): unknown =>
	status !== null && status < 300 ? { data } : { error: { code } };

/** For each status the places of the one unit of an order, and the moves in the ledger. */
const UNITS: Readonly<Record<string, Partial<OrderFact>>> = {
	placed: { allocated: 1 },
	held: { allocated: 1 },
	picked: { allocated: 1 },
	shipped: { shipped: 1, moved: { ship: 1 } },
	cancelled: { freed: 1, moved: { cancel: 1 } },
};
