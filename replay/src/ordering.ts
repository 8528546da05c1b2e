import { customerOf } from "./addresses.ts";
import type { OrderAnswer } from "./answers.ts";
import type { Books } from "./books.ts";
import { chance } from "./chance.ts";
import type { CutAt } from "./http.ts";
import type { OrderFile } from "./order-file.ts";
import { type Lots, sharesOf } from "./order-shares.ts";
import type { Order, Part } from "./orders.ts";
import type { Partner } from "./partner.ts";
import type { Line } from "./split.ts";
import type { OrderTally, Tally } from "./tally.ts";

/** Share of orders that their partner places again, expecting the same answer. */
const REPEATS = 0.1;
/**
 * Share of invoices with several orders that combine them in one box; and of orders that are combined with the
 * customer's previous one.
 */
const ONE_BOX = 0.7;
const WITH_THE_LAST = 0.15;
/** Maximum number of holds with which an order is attempted: one that is over is replaced by a new one. */
const ROUNDS = 3;

/** A hold to be placed. */
export interface HeldPart {
	readonly token: string;
	readonly lines: readonly Line[];
}

export interface OrderingDeps {
	readonly seed: number;
	readonly books: Books;
	readonly lots: Lots;
	readonly tally: Tally;
	readonly count: OrderTally;
	/** By order id. */
	readonly files: Map<string, OrderFile>;
	/** Called when the order is in the warehouse's queue. */
	readonly arrived: (file: OrderFile) => void;
}

/** What partners do with orders, as described in docs/partner/fulfilment.md. */
export class Ordering {
	readonly #deps: OrderingDeps;
	/** A customer's last order, by key, customer and country: orders with the same address. */
	readonly #last = new Map<string, OrderFile>();

	constructor(deps: OrderingDeps) {
		this.#deps = deps;
	}

	/**
	 * Turns a hold into an order. A hold that is over, or has lost units, is made again by `again` under the same
	 * reference, and the order is placed from that under the same Idempotency-Key, which a failure has not used up.
	 * Null: nothing was available.
	 */
	async place(
		partner: Partner,
		order: Order,
		part: Part,
		held: HeldPart,
		again: (over: HeldPart, code: string) => Promise<HeldPart | null>,
		cut?: CutAt,
	): Promise<OrderFile | null> {
		const { tally, count } = this.#deps;
		let hold: HeldPart | null = held;
		for (let round = 1; hold !== null; round += 1) {
			const wish = { ref: part.ref, token: hold.token, externalOrderId: order.number, customer: customerOf(order) };
			const answer = await partner.place(wish, cut);
			cut = undefined;
			if (answer.ok) {
				if (answer.replayed && !answer.uncertain) tally.fault(`${part.ref}: its first place was answered as a replay`);
				if (answer.replayed) count.replayed += 1;
				if (round > 1) count.placedAnew += 1;
				return await this.#opened(partner, order, part, hold, answer.data);
			}
			if (answer.code === "kit_incomplete" || answer.code === "reservation_empty") count.holdsLost += 1;
			hold = round < ROUNDS ? await again(hold, answer.code) : null;
		}
		return null;
	}

	async #opened(
		partner: Partner,
		order: Order,
		part: Part,
		{ token, lines }: HeldPart,
		answer: OrderAnswer,
	): Promise<OrderFile> {
		const { seed, tally, count, files } = this.#deps;
		if (answer.reservation_token !== token || answer.ref !== part.ref || answer.external_order_id !== order.number)
			tally.fault(`${part.ref}: the reply has another order: ${answer.order_id}`);
		this.told(answer);
		count.placed += 1;
		const file: OrderFile = {
			orderId: answer.order_id,
			token,
			ref: part.ref,
			partner,
			brand: order.brand,
			lines,
			cancelled: false,
			picked: false,
			releases: 0,
			boxes: new Map(),
		};
		files.set(file.orderId, file);
		if (chance(seed, `repeat ${part.ref}`) < REPEATS) {
			const wish = { ref: part.ref, token, externalOrderId: order.number, customer: customerOf(order) };
			const again = await partner.place(wish);
			if (again.ok && again.replayed) count.replayed += 1;
			const same = again.ok && again.replayed && again.data.order_id === file.orderId;
			if (!same) tally.fault(`${part.ref}: a repeated place answered ${JSON.stringify(again).slice(0, 500)}`);
		}
		return file;
	}

	/** Books what an order reports. */
	told(answer: OrderAnswer): void {
		const { books, lots, tally } = this.#deps;
		const { shares, faults } = sharesOf(answer, lots);
		for (const fault of faults) tally.fault(fault);
		books.ordered(answer.reservation_token, shares);
	}

	/** Returns false if the warehouse was faster; the goods then come back as returns. */
	async cancel(file: OrderFile, cut?: CutAt): Promise<boolean> {
		const { tally, count } = this.#deps;
		const answer = await file.partner.cancel(file.ref, cut);
		if (!answer.ok) {
			count.notCancellable += 1;
			return false;
		}
		if (answer.data.status !== "cancelled")
			tally.fault(`${file.ref}: cancelled, but its status is ${answer.data.status}`);
		file.cancelled = true;
		count.cancelled += 1;
		this.told(answer.data);
		return true;
	}

	/** Combines some of the orders, then passes all of them to the warehouse. */
	async send(order: Order, files: readonly OrderFile[]): Promise<void> {
		const { seed } = this.#deps;
		const [first] = files;
		if (first !== undefined) {
			const address = `${first.partner.name} ${order.customer} ${order.country}`;
			const last = order.customer === "" ? undefined : this.#last.get(address);
			if (files.length > 1 && chance(seed, `one box ${order.number}`) < ONE_BOX) await this.#combine(files);
			else if (last !== undefined && chance(seed, `with the last ${order.number}`) < WITH_THE_LAST)
				await this.#combine([last, first]);
			this.#last.set(address, first);
		}
		for (const file of files) this.#deps.arrived(file);
	}

	async #combine(files: readonly OrderFile[]): Promise<void> {
		const { tally, count } = this.#deps;
		const [first] = files as [OrderFile];
		const answer = await first.partner.combine(files.map(({ ref }) => ref));
		if (!answer.ok) {
			count.combinedLate += 1;
			return;
		}
		count.combined += 1;
		const stranger = answer.data.orders.find(({ order_id }) => !files.some(({ orderId }) => orderId === order_id));
		if (stranger) tally.fault(`${first.ref}: its box has order ${stranger.ref}, which nobody put there`);
	}
}
