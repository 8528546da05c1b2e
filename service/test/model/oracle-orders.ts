import type { Oracle } from "./oracle.ts";
import { type OracleBox, type OracleHold, type OracleOrder } from "./oracle-stock.ts";
import type { OrderStep } from "./order-steps.ts";
import type { Names } from "./steps.ts";
import { KEYS, RECIPES } from "./town.ts";

/*
 * A second implementation of the rules in settlements, section 6, and of section 7 as far as boxes are concerned. It
 * shares no code with the functions under test. The contract does not say which of an order's lots leave first, so the
 * oracle is given what was packed, and checks that it belonged to the order.
 */

/** Units packed into a box, by line and lot, for each order. */
export type Packed = (shipmentId: string) => readonly PackedUnits[];
export interface PackedUnits {
	readonly orderId: string;
	readonly line: number;
	readonly lotId: string;
	readonly units: number;
}

type StepOf<D extends OrderStep["do"]> = Extract<OrderStep, { readonly do: D }>;
export class OracleOrders {
	readonly #stock: Oracle;
	readonly #names: Names;
	readonly #orders: OracleOrder[] = [];
	readonly #boxes: OracleBox[] = [];

	constructor(stock: Oracle, names: Names) {
		this.#stock = stock;
		this.#names = names;
	}

	live(step: OrderStep, at: number, packed: Packed): unknown {
		if (step.do === "place") return this.#place(step, at);
		if (step.do === "void") return this.#void(step, at);
		if (step.do === "combine") return this.#combine(step);
		if (step.do === "ship") return this.#ship(step, at, packed);
		const order = this.#order(step.order);
		if (!order) return "order_not_found";
		switch (step.do) {
			case "cancel":
				return this.#cancel(order);
			case "pick":
				return this.#pick(order);
			case "hold order":
				if (order.state !== "placed") return "wrong_state";
				this.#stop(order, "operator");
				return { orderId: order.id };
			case "release order":
				return this.#release(order);
			default:
				return this.#label(order);
		}
	}

	#order = (n: number): OracleOrder | undefined => this.#orders.find(({ id }) => id === this.#names.order(n).orderId);
	#shipped = ({ hold }: OracleOrder): number => this.#stock.of(hold, "shipped").length;
	#waiting = ({ boxes }: OracleOrder): OracleBox | undefined => boxes.find(({ state }) => state === "waiting");
	#lacks = ({ hold }: OracleOrder): boolean => this.#stock.lacking(hold).length > 0;

	#box(id: string, order: OracleOrder): OracleBox {
		const box: OracleBox = { id, state: "waiting", orders: [order], label: false, voidedAt: 0 };
		this.#boxes.push(box);
		order.boxes.push(box);
		return box;
	}
	#stop(order: OracleOrder, reason: string): void {
		const again = reason === "operator" ? order.again : this.#isChanged(order);
		Object.assign(order, { state: "held", reason, picked: false, again });
		this.#stock.told.push(`${order.id} held ${reason}`);
	}

	/** Whether an order must be picked again once its units change. */
	#isChanged = (order: OracleOrder): boolean =>
		order.again ||
		order.picked ||
		this.#shipped(order) > 0 ||
		this.#waiting(order)?.label === true ||
		order.boxes.some(({ state }) => state === "voided");

	#place({ key, hold: n, ref, city }: StepOf<"place">, at: number): unknown {
		const token = this.#names.token(n);
		const id = this.#stock.town.id(`order ${at}`);
		this.#names.orders.push({ orderId: id, token });
		const earlier = this.#orders.find((order) => order.hold.key === key && order.ref === ref);
		if (earlier) return earlier.hold.token === token ? { orderId: earlier.id, placed: null } : "idempotency_mismatch";
		const hold = this.#stock.find(token);
		if (!hold) return "reservation_not_found";
		if (hold.key !== key) {
			return KEYS[hold.key].partner === KEYS[key].partner ? "reservation_forbidden" : "reservation_not_found";
		}
		if (hold.state === "expired") return "reservation_expired";
		if (hold.state === "released") return "reservation_gone";
		if (hold.state !== "active") return "reservation_used";
		this.#stock.repick(hold);
		const lacking = this.#stock.lacking(hold);
		if (lacking.length > 0) {
			const whole = hold.lines.some(({ sku, qty }, line) =>
				(RECIPES[sku] ?? []).every(([formula, per]) => {
					const lost = lacking.find((one) => one.line === line && one.formula === formula)?.units ?? 0;
					return qty * per - lost >= per;
				}),
			);
			return whole ? "kit_incomplete" : "reservation_empty";
		}
		for (const unit of this.#stock.of(hold, "held")) unit.place = "allocated";
		hold.state = "placed";
		const order: OracleOrder = {
			id,
			ref,
			hold,
			city,
			state: "placed",
			reason: null,
			picked: false,
			again: false,
			pickedAt: 0,
			boxes: [],
		};
		this.#orders.push(order);
		const box = this.#box(this.#stock.town.id(`box ${at}`), order);
		const boxes = [[box.id, "awaiting_shipment"]];
		return { orderId: id, placed: { status: "placed", version: 1, contents: this.#contents(hold), boxes } };
	}

	#contents(hold: OracleHold): unknown {
		const units = this.#stock.of(hold, "allocated");
		return hold.lines.map(({ sku, qty }, line) => ({
			qty,
			shipped_qty: 0,
			components: (RECIPES[sku] ?? []).map(([formula, per_kit]) => {
				const own = units.filter((unit) => unit.line === line && unit.lot.formula === formula);
				const lots = [...new Set(own.map(({ lot }) => lot))].map((lot) => ({
					fg_id: lot.id,
					batch_number: lot.batch,
					units: own.filter((unit) => unit.lot === lot).length,
				}));
				return { formula_id: this.#stock.town.id(formula), per_kit, units: qty * per_kit, lots };
			}),
		}));
	}

	#cancel(order: OracleOrder): unknown {
		if (order.state === "cancelled") return { orderId: order.id, already: true };
		if (!["placed", "held"].includes(order.state) || this.#shipped(order) > 0) return "order_not_cancellable";
		for (const unit of this.#stock.of(order.hold, "allocated")) this.#stock.free(unit);
		const isChanged = this.#isChanged(order);
		this.#unpackParcels(order);
		Object.assign(order, { state: "cancelled", reason: null });
		this.#stock.told.push(`${order.id} cancelled`);
		const box = this.#waiting(order);
		if (!box) return { orderId: order.id, already: false };
		if (box.orders.length === 1) box.state = "cancelled";
		else {
			box.orders = box.orders.filter((other) => other !== order);
			order.boxes = order.boxes.filter((other) => other !== box);
			if (isChanged) for (const other of box.orders) this.#pickAnew(other);
		}
		return { orderId: order.id, already: false };
	}

	#pick(order: OracleOrder): unknown {
		const isRestToPick = order.again || (!order.picked && this.#isOld(order));
		if (order.state !== "placed" && !(order.state === "partially_shipped" && isRestToPick)) return "wrong_state";
		this.#stock.repick(order.hold);
		const picked = !this.#lacks(order);
		const state = order.state === "placed" ? "picked" : order.state;
		if (picked) Object.assign(order, { state, picked, again: false, pickedAt: this.#stock.now });
		else {
			this.#unpackParcels(order);
			this.#stop(order, "out_of_stock");
		}
		return { orderId: order.id, picked };
	}

	/** The status of an order that is not held. */
	#standing = (order: OracleOrder): OracleOrder["state"] =>
		this.#shipped(order) > 0 ? "partially_shipped" : order.picked ? "picked" : "placed";

	#release(order: OracleOrder): unknown {
		if (order.state !== "held") return "wrong_state";
		if (!this.#stock.fill(order.hold)) return "wrong_state";
		this.#letGo(order);
		return { orderId: order.id };
	}

	#letGo(order: OracleOrder): void {
		Object.assign(order, { state: this.#standing(order), reason: null });
		this.#stock.told.push(`${order.id} released`);
	}

	#label(order: OracleOrder): unknown {
		const box = this.#waiting(order);
		if (!box || box.orders.some(({ state }) => state === "held")) return "wrong_state";
		if (!box.label) for (const { id } of box.orders) this.#stock.told.push(`${id} labelled ${box.id}`);
		box.label = true;
		return { shipmentId: box.id };
	}

	/** Whether the order that a hold became still needs work. */
	isOpen(hold: OracleHold): boolean {
		const order = this.#orders.find((one) => one.hold === hold);
		return order !== undefined && order.state !== "shipped" && order.state !== "cancelled";
	}

	/** Updates an order after a recall took units of its hold, or a restore gave some back. */
	recalled(hold: OracleHold): void {
		const order = this.#orders.find((one) => one.hold === hold);
		if (!order || !this.isOpen(hold)) return;
		this.#unpackParcels(order);
		if (order.reason === "lot_recalled" && !this.#lacks(order)) return this.#letGo(order);
		if (order.state !== "held" && this.#lacks(order)) return this.#stop(order, "lot_recalled");
		if (this.#isChanged(order)) this.#pickAnew(order);
	}

	/** Parcels that never left contain units of all their orders, but for those that were picked since. */
	#unpackParcels(order: OracleOrder): void {
		for (const { state, orders, voidedAt } of order.boxes) {
			const inIt = orders.filter(({ pickedAt }) => pickedAt <= voidedAt);
			if (state !== "voided" || !inIt.includes(order)) continue;
			for (const other of inIt) {
				if (other !== order && this.isOpen(other.hold)) this.#pickAnew(other);
			}
		}
	}

	#pickAnew(order: OracleOrder): void {
		Object.assign(order, { again: true, picked: false });
		if (order.state === "picked") order.state = "placed";
	}

	#ship({ orders: named, items }: StepOf<"ship">, at: number, packed: Packed): unknown {
		const orders: OracleOrder[] = [];
		for (const n of this.#names.distinct(named)) {
			const order = this.#order(n);
			if (!order) return "order_not_found";
			if (!["placed", "picked", "partially_shipped"].includes(order.state)) return "wrong_state";
			orders.push(order);
		}
		const [first] = orders;
		const box = first && this.#waiting(first);
		if (!box || box.orders.length !== orders.length || !orders.every((order) => box.orders.includes(order)))
			return "retry";
		if (items !== null && orders.length > 1) return "invalid_input";
		for (const order of orders) {
			if (this.#lacks(order)) return "wrong_state";
			if (order.again || (!order.picked && this.#isOld(order))) return "wrong_state";
			if (items !== null && items.qty > this.#kitsLeft(order, items.sku)) return "invalid_input";
		}
		const left = (order: OracleOrder): number => this.#stock.of(order.hold, "allocated").length;
		const all = items === null || orders.every((order) => left(order) === items.qty * unitsOf(items.sku));
		const parcel = all ? box : this.#box(this.#stock.town.id(`parcel ${at}`), first as OracleOrder);
		parcel.state = "shipped";
		if (parcel !== box) box.label = false; // the label is on the part that leaves
		this.#pack(parcel, orders, items, packed(parcel.id));
		for (const order of orders) {
			const final = left(order) === 0;
			order.state = final ? "shipped" : "partially_shipped";
			this.#stock.told.push(`${order.id} ${final ? "shipped" : "shipped in part"}`);
		}
		this.#names.parcels.push({ shipmentId: parcel.id, orderIds: box.orders.map(({ id }) => id) });
		return { shipmentId: parcel.id, orderIds: box.orders.map(({ id }) => id) };
	}

	/** Whether it has units of an expired lot. */
	#isOld = ({ hold }: OracleOrder): boolean =>
		this.#stock.of(hold, "allocated").some(({ lot }) => !this.#stock.good(lot));

	#kitsLeft(order: OracleOrder, sku: string): number {
		const lines = order.hold.lines.flatMap((line, n) => (line.sku === sku ? [n] : []));
		const units = this.#stock.of(order.hold, "allocated").filter(({ line = 0 }) => lines.includes(line));
		return unitsOf(sku) === 0 ? 0 : units.length / unitsOf(sku);
	}

	/**
	 * Takes the packed units out of the order, after checking that they are what was requested: whole kits of the
	 * order's own units.
	 */
	#pack(box: OracleBox, orders: OracleOrder[], items: StepOf<"ship">["items"], packed: readonly PackedUnits[]): void {
		for (const { orderId, line, lotId, units } of packed) {
			const order = orders.find(({ id }) => id === orderId);
			const own = order ? this.#stock.of(order.hold, "allocated") : [];
			const from = own.filter((unit) => unit.line === line && unit.lot.id === lotId).slice(0, units);
			if (from.length < units) throw new Error(`packed ${units} of ${lotId}, of which the order has ${from.length}`);
			for (const unit of from) Object.assign(unit, { place: "shipped", box });
		}
		for (const { hold } of orders) {
			const gone = this.#stock.of(hold, "shipped").filter((unit) => unit.box === box);
			for (const [line, { sku, qty }] of hold.lines.entries()) {
				const counts = (RECIPES[sku] ?? []).map(
					([formula, per]) => gone.filter((unit) => unit.line === line && unit.lot.formula === formula).length / per,
				);
				if (new Set(counts).size > 1 || !Number.isInteger(counts[0]) || (counts[0] ?? 0) > qty)
					throw new Error(`packed ${counts.join(", ")} kits of one line`);
			}
			const stays = this.#stock.of(hold, "allocated").length;
			const asked = items === null ? gone.length + stays : items.qty * unitsOf(items.sku);
			if (gone.length !== asked) throw new Error(`packed ${gone.length} units, not ${asked}`);
		}
	}

	#void({ parcel: n }: StepOf<"void">, at: number): unknown {
		const { shipmentId } = this.#names.parcel(n);
		const box = this.#boxes.find(({ id }) => id === shipmentId);
		if (!box) return "retry";
		if (box.state !== "shipped") return "wrong_state";
		Object.assign(box, { state: "voided", voidedAt: this.#stock.now });
		for (const unit of this.#stock.units) {
			if (unit.box === box) Object.assign(unit, { place: "allocated", box: undefined });
		}
		for (const [i, order] of box.orders.entries()) {
			if (order.state !== "held") order.state = this.#standing(order);
			if (!this.#waiting(order)) this.#box(this.#stock.town.id(`box again ${at} ${i}`), order);
		}
		for (const { id } of box.orders) this.#stock.told.push(`${id} voided ${box.id}`);
		return { shipmentId, orderIds: box.orders.map(({ id }) => id) };
	}

	#combine({ orders: named }: StepOf<"combine">): unknown {
		const orders: OracleOrder[] = [];
		const numbers = this.#names.distinct(named);
		if (numbers.length < 2) return undefined;
		for (const n of numbers) {
			const order = this.#order(n);
			if (!order) return "order_not_found";
			orders.push(order);
		}
		const together = this.#boxes.find(
			(box) =>
				box.state !== "voided" &&
				box.orders.length === orders.length &&
				orders.every((order) => box.orders.includes(order)),
		);
		if (together) return { shipmentId: together.id, already: true };
		const [first] = orders as [OracleOrder];
		for (const order of orders) {
			const box = this.#waiting(order);
			if (order.state !== "placed" || (box?.orders.length ?? 0) > 1 || box?.label) return "wrong_state";
			if (order.hold.key !== first.hold.key) return "invalid_input";
			if (order.city !== first.city || brandOf(order) !== brandOf(first)) return "invalid_input";
		}
		const box = this.#waiting(first) as OracleBox;
		for (const order of orders.slice(1)) {
			const own = this.#waiting(order) as OracleBox;
			own.state = "cancelled";
			order.boxes = [...order.boxes.filter((other) => other !== own), box];
		}
		box.orders = orders;
		return { shipmentId: box.id, already: false };
	}

	/** Every order and its boxes, as text. */
	states(): string[] {
		return this.#orders
			.map(({ id, ref, state, reason, boxes }) => {
				const words = boxes.map((box) => `${box.id} ${stateOf(box)} ${box.orders.map((order) => order.id).join("+")}`);
				return `${id} ${ref} ${state} ${reason ?? "-"}: ${words.join(", ")}`;
			})
			.sort();
	}
}

const stateOf = ({ state, orders, label }: OracleBox): string => {
	if (state !== "waiting") return state;
	if (orders.some((order) => order.state === "held")) return "on_hold";
	return label ? "label_created" : "awaiting_shipment";
};

/** Units in one kit. */
const unitsOf = (sku: string): number => (RECIPES[sku] ?? []).reduce((sum, [, per]) => sum + per, 0);

/** The brand that all lines of an order name; undefined if they name none, or several. */
const brandOf = ({ hold }: OracleOrder): string | undefined => {
	const brands = new Set(hold.lines.map(({ brandCode }) => brandCode));
	return brands.size === 1 ? ([...brands][0] ?? undefined) : undefined;
};
