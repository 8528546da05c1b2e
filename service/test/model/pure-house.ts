import { type Answer, type Command, decide } from "../../src/assembly/commands.ts";
import { type Book, createRows, newBook } from "../../src/assembly/rows.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { expireIfDue, freeLapsedPart } from "../../src/inventory/holds/end-hold.ts";
import { dayOf, type Hold } from "../../src/inventory/holds/hold.ts";
import { refKey } from "../../src/inventory/holds/hold-book.ts";
import { holdReply } from "../../src/inventory/holds/hold-reply.ts";
import type { Reserved } from "../../src/inventory/holds/reserve.ts";
import type { Order } from "../../src/inventory/orders/order.ts";
import type { OrderRecord } from "../../src/inventory/orders/order-record.ts";
import { orderReply } from "../../src/inventory/orders/order-reply.ts";
import type { Shipment } from "../../src/inventory/orders/shipment.ts";
import type { Lot } from "../../src/inventory/stock/lot.ts";
import type { Move } from "../../src/inventory/stock/move.ts";
import type { StockSnapshot } from "../../src/inventory/stock/reader.ts";
import type { PartnerEvent } from "../../src/partners/webhooks/event.ts";
import { LINKS } from "../links.ts";
import { MS_PER_DAY, MS_PER_MINUTE, type Step } from "./steps.ts";
import { POOLS, type Town } from "./town.ts";

/** Noon: waiting less than half a day never changes the day. */
const NOON = Date.parse("2026-03-10T12:00:00Z");
export const TIME_ZONE = "UTC";

/** The state after a decided command, for an oracle to compare with its own. */
export interface Outcome {
	readonly answer: Answer;
	readonly moves: readonly Move[];
}

const poolKey = (formulaId: string, poolId: number): string => `${formulaId}/${poolId}`;

/**
 * The decide functions on books in memory, as if each book had been saved and loaded again. No database, and a clock of
 * its own.
 */
export class PureHouse {
	now = NOON;
	readonly town: Town;
	readonly lots = new Map<string, Lot>();
	readonly holds = new Map<string, Hold>();
	readonly orders = new Map<string, Order>();
	readonly shipments = new Map<string, Shipment>();
	/** The events that partners got, in order. */
	readonly events: PartnerEvent[] = [];
	readonly promises = new Map<string, number>();

	readonly #rows = createRows({});

	constructor(town: Town) {
		this.town = town;
	}

	get today(): string {
		return dayOf(this.now, TIME_ZONE);
	}

	/** `batched`: decided on the previous command's book, as in one batch. */
	run(command: Command, batched = false): Outcome {
		const book = batched && this.#book ? this.#book : this.open();
		this.#book = book;
		const before = book.stock.moves.length;
		const told = book.events.length;
		const answer = decide(this.#rows, book, command);
		for (const lot of book.stock.newLots) this.lots.set(lot.fgId, lot);
		for (const hold of book.holds.newHolds) this.holds.set(hold.reservationToken, hold);
		for (const order of book.orders.newOrders.keys()) this.orders.set(order.orderId, order);
		for (const shipment of book.orders.newShipments.keys()) this.shipments.set(shipment.shipmentId, shipment);
		this.events.push(...book.events.slice(told));
		return { answer, moves: before === 0 ? book.stock.moves : book.stock.moves.slice(before) };
	}
	#book: Book | undefined;

	/** Promises and the passage of time, for which there are no commands. */
	pass(step: Step): void {
		this.#book = undefined;
		if (step.do === "wait") this.now += step.minutes * MS_PER_MINUTE;
		if (step.do === "sleep") this.now += step.days * MS_PER_DAY;
		if (step.do === "midnight") this.#strikeMidnight();
		if (step.do === "promise") {
			this.promises.set(poolKey(this.town.id(step.formula), POOLS[step.pool]), step.units);
		}
	}

	/** The clock and the times of every hold move on by a day. */
	#strikeMidnight(): void {
		this.now += MS_PER_DAY;
		for (const hold of this.holds.values()) {
			const { createdAt, expiresAt } = hold;
			Object.assign(hold, { createdAt: createdAt + MS_PER_DAY, expiresAt: expiresAt + MS_PER_DAY });
		}
	}

	/** A book as it is loaded: with everything that the command names, and with the passage of time applied. */
	open(): Book {
		const book = this.#bookOf([...this.lots.values()]);
		for (const hold of this.holds.values()) book.holds.addHold(hold);
		for (const order of this.orders.values()) book.orders.addOrder(order);
		for (const shipment of this.shipments.values()) book.orders.addShipment(shipment);
		for (const { keyId, maxHeldUnits } of Object.values(this.town.callers)) {
			if (maxHeldUnits !== null) book.holds.heldByKey.set(keyId, 0);
		}
		for (const { keyId, externalRef, status, expiresAt, parts } of this.holds.values()) {
			if (externalRef !== null) {
				const key = refKey(keyId, externalRef);
				if (status === "placed" || !book.holds.usedRefs.has(key))
					book.holds.usedRefs.set(key, status === "placed" ? "placed" : "reserved");
			}
			if (status !== "active" || expiresAt <= this.now) continue;
			for (const { state, units } of parts) if (state === "held") book.holds.noteHeld(keyId, units);
		}
		for (const hold of this.holds.values()) expireIfDue(book, hold);
		return book;
	}

	/**
	 * Frees one part of an expired hold, as a batch does that needs only this part. The clock is then set back, so that
	 * the hold has not expired although the part is free.
	 */
	lapsePart(token: string): void {
		this.#book = undefined;
		const part = this.holds.get(token)?.parts.find(({ state }) => state === "held");
		if (!part) throw new Error(`hold ${token} has no held part`);
		freeLapsedPart(this.#bookOf([...this.lots.values()]), token, part);
	}

	/** A copy of the shelves with the passage of time applied: for counts, and for trying a reserve. */
	snapshot(): Book & StockSnapshot {
		this.open(); // due holds are ended for good, as by the sweep
		const book = this.#bookOf([...this.lots.values()].map((lot) => ({ ...lot })));
		const { stock } = book;
		const lots = (formulaId: string, poolId: number) =>
			stock.lots(formulaId, poolId).map((lot) => ({ ...lot, bound: lot.held + lot.allocated }));
		const promised = (formulaId: string, poolId: number) => stock.promised(formulaId, poolId);
		return {
			...book,
			asOf: this.now,
			catalogSettled: Number.MAX_SAFE_INTEGER,
			catalogAsOf: this.now,
			lots,
			promised,
			currentCoa: () => null,
		};
	}

	#bookOf(lots: readonly Lot[]): Book {
		const { now, today, town } = this;
		const promises = new Map(this.promises); // as they are now
		const promised = {
			stamp: "as they are now",
			units: (formulaId: string, poolId: number) => promises.get(poolKey(formulaId, poolId)) ?? 0,
		};
		const book = newBook({ now, today, timeZone: TIME_ZONE, links: LINKS, catalog: town.catalog, promised });
		for (const lot of lots) book.stock.addLot(lot);
		return book;
	}
}

/** An answer as plain data for comparison: times as whole minutes from `now`, without messages. */
export function plain(answer: Answer, now: number): unknown {
	if (isRefusal(answer)) return answer.refusal;
	if ("record" in answer) return { orderId: answer.orderId, placed: answer.record && picture(answer.record) };
	// which batch ended a hold that was due depends on what was batched with what, and only the count of it matters
	if ("expired" in answer) return { expired: answer.expired };
	if (!("hold" in answer)) return answer;
	const { hold, idempotent, warnings } = answer as Reserved;
	const { items } = holdReply(answer as Reserved);
	const minutes = Math.round((hold.expiresAt - now) / MS_PER_MINUTE);
	return {
		token: hold.reservationToken,
		minutes,
		idempotent,
		warnings,
		items: items.map(({ sku: _, ...item }) => item),
	};
}

/** An order as it was placed, without its times. */
function picture(record: OrderRecord): unknown {
	const { status, version, items, shipments } = orderReply(record, LINKS);
	const contents = items.map(({ qty, shipped_qty, components }) => ({ qty, shipped_qty, components }));
	return { status, version, contents, boxes: shipments.map(({ shipment_id, status: is }) => [shipment_id, is]) };
}
