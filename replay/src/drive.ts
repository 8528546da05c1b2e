import { setTimeout as sleep } from "node:timers/promises";
import { auditHold } from "./audit.ts";
import type { Books } from "./books.ts";
import type { Catalogue } from "./catalogue.ts";
import { chance } from "./chance.ts";
import type { GoodsIn } from "./goods-in.ts";
import type { CutAt } from "./http.ts";
import type { OrderFile } from "./order-file.ts";
import type { Ordering } from "./ordering.ts";
import type { Order, Part } from "./orders.ts";
import type { Partner } from "./partner.ts";
import { type Line, MAX_LINES, within } from "./split.ts";
import type { Tally } from "./tally.ts";

/**
 * Attempts at a part that runs short: as requested, then what check allows, then only SKUs that are available in full.
 */
const ROUNDS = 3;
/** Share of finished operations that the partner repeats, expecting the same answer. */
const REPEATS = 0.1;
/** Milliseconds around the expiry of a hold at which a late partner acts. */
const LATE_SPREAD_MS = 150;
/** Milliseconds by which the clocks of the replay and the database may differ before an answer counts as wrong. */
const CLOCK_SLACK_MS = 1_000;

/** Concurrent requests when references are repeated at the end. */
const DOUBTS_IN_FLIGHT = 16;

/** The dependencies of driving orders. */
export interface Shop {
	readonly seed: number;
	readonly catalogue: Catalogue;
	/** Formula code to the service's id. */
	readonly idOf: ReadonlyMap<string, string>;
	readonly plenty: ReadonlySet<string>;
	/** By channel name. */
	readonly partners: ReadonlyMap<string, Partner>;
	readonly books: Books;
	readonly tally: Tally;
	readonly goodsIn: GoodsIn;
	/** Null: partners ship themselves, and consume. */
	readonly ordering: Ordering | null;
	/** Formulas with recalled lots: holds may lose units of them, or get them from other lots. */
	readonly recalled: ReadonlySet<string>;
}

interface Held {
	readonly token: string;
	readonly lines: readonly Line[];
}

interface Sale extends Held {
	readonly partner: Partner;
	readonly ref: string;
	/** Null: it was consumed. */
	readonly file: OrderFile | null;
	undone: boolean;
}

/** Processes orders, one call each, any number at a time. */
export class Drive {
	readonly #shop: Shop;
	readonly #sales = new Map<string, Sale[]>();
	/** Orders begun, by customer: a cancellation waits for the earlier ones. */
	readonly #begun = new Map<string, Promise<void>[]>();
	readonly #late: Promise<void>[] = [];
	/** Holds left to expire, with their partners. */
	readonly #forgotten = new Map<string, Partner>();
	/** Reserves that were sent more than once: one copy may have been executed late. */
	readonly #doubtful = new Map<string, { order: Order; part: Part }>();
	readonly #hurry = new AbortController();

	constructor(shop: Shop) {
		this.#shop = shop;
	}

	/** Resolves when the order is finished, except for holds left to expire. */
	take(order: Order): Promise<void> {
		const before = this.#begun.get(order.customer) ?? [];
		const work = order.kind === "cancellation" ? this.#cancel(order, [...before]) : this.#sell(order);
		if (order.customer !== "") this.#begun.set(order.customer, [...before, work]);
		return work;
	}

	/** Resolves when the holds left to expire have ended. */
	async ranOut(): Promise<void> {
		await Promise.all(this.#late);
	}

	/** Stops waiting for them: they stay open until their time. */
	hurry(): void {
		this.#hurry.abort();
	}

	/** Reads back the holds that are still active: recalls may have moved their units. */
	async readForgotten(): Promise<void> {
		await inOrder([...this.#forgotten], DOUBTS_IN_FLIGHT, async ([token, partner]) => {
			const back = await partner.findHold(token);
			if (back.ok && back.data.status === "active") this.#shop.books.readBack(token, back.data.items);
		});
	}

	/**
	 * A copy of a reserve whose answer was lost may be executed after the hold of the other copy was consumed; the hold
	 * it makes is then unknown. Repeats each such reference to find the hold, and releases it if it was not known.
	 */
	async findDoubles(): Promise<void> {
		const { books, tally } = this.#shop;
		await inOrder([...this.#doubtful.values()], DOUBTS_IN_FLIGHT, async ({ order, part }) => {
			const partner = this.#partner(order);
			const answer = await partner.reserve(part.lines.slice(0, 1), order.brand, part.ref, part.ttlMinutes);
			if (!answer.ok) return; // an existing hold under the reference would have been answered before any shortage
			const token = answer.data.reservation_token;
			if (books.knows(token)) return;
			if (answer.data.idempotent && !answer.uncertain) tally.doubles += 1;
			books.granted(answer.data);
			await this.#release(partner, part.ref, { token, lines: part.lines });
		});
	}

	async #sell(order: Order): Promise<void> {
		const held: [Part, Held][] = [];
		for (const [i, part] of order.parts.entries()) {
			const got = await this.#acquire(order, part, i === 0 ? order.mistakes : []);
			if (got !== null) held.push([part, got]);
		}
		const files: OrderFile[] = [];
		for (const [part, got] of held) {
			const file = await this.#settle(order, part, got);
			if (file !== null) files.push(file);
		}
		await this.#shop.ordering?.send(order, files);
	}

	async #acquire(order: Order, part: Part, mistakes: readonly string[]): Promise<Held | null> {
		const { tally, books } = this.#shop;
		const partner = this.#partner(order);
		let lines = part.lines;
		let extra = mistakes.slice(0, MAX_LINES - lines.length).map((sku): Line => ({ sku, qty: 1 }));
		let cut = part.cut === "reserve" || part.cut === "both" ? this.#cutAt(`reserve ${part.ref}`) : undefined;
		for (let round = 0; round < ROUNDS && lines.length > 0; cut = undefined) {
			const answer = await partner.reserve([...lines, ...extra], order.brand, part.ref, part.ttlMinutes, cut);
			if (answer.uncertain) this.#doubtful.set(part.ref, { order, part });
			if (answer.ok) {
				this.#audit(order, lines, answer.data);
				if (answer.data.idempotent && !this.#doubtful.has(part.ref))
					tally.fault(`${part.ref}: answered as a replay, although it was never sent before`);
				books.granted(answer.data);
				tally.linesHeld += lines.length;
				if (round > 0) tally.short += 1;
				return { token: answer.data.reservation_token, lines };
			}
			if (answer.code === "invalid_item") {
				if (extra.length === 0)
					tally.fault(`${part.ref}: answered invalid_item, although every line is a physical SKU`);
				if (extra.length === 0) return null;
				extra = [];
				continue;
			}
			if (lines.every((line) => this.#isPlenty(line.sku)))
				tally.fault(`${part.ref}: refused, although no line can run short`);
			round += 1;
			if (round < ROUNDS) lines = await this.#fewer(order, lines, round);
		}
		tally.unsold += 1;
		return null;
	}

	/** The lines to request after a shortage. */
	async #fewer(order: Order, lines: readonly Line[], round: number): Promise<Line[]> {
		const answer = await this.#partner(order).check(lines, order.brand);
		if (!answer.ok) return [];
		const atp = new Map(answer.data.items.map((item) => [item.sku, item.atp_qty]));
		if (round === 1) return within(lines, atp);
		const total = (sku: string) => lines.reduce((sum, line) => sum + (line.sku === sku ? line.qty : 0), 0);
		return lines.filter((line) => this.#isPlenty(line.sku) || total(line.sku) * 2 <= (atp.get(line.sku) ?? 0));
	}

	/** Places the hold if it goes to the warehouse now; returns its order. */
	async #settle(order: Order, part: Part, held: Held): Promise<OrderFile | null> {
		const cut = part.cut === "end" || part.cut === "both" ? this.#cutAt(`end ${part.ref}`) : undefined;
		const partner = this.#partner(order);
		if (part.fate === "expire") {
			this.#late.push(this.#runOut(order, part, held));
		} else if (part.fate === "release") {
			await this.#release(partner, part.ref, held, cut);
		} else if (this.#orders(order)) {
			return await this.#order(order, part, held, cut);
		} else if (await this.#consume(partner, part.ref, held, part.fate === "consume" ? cut : undefined)) {
			const sale: Sale = { ...held, partner, ref: part.ref, file: null, undone: false };
			if (part.fate === "reverse") await this.#reverse(sale, cut);
			else if (order.kind === "sale") this.#note(order, sale);
		}
		return null;
	}

	/** The warehouse ships sales; write-offs have already left. */
	#orders = (order: Order): boolean => this.#shop.ordering !== null && order.kind === "sale";

	#note(order: Order, sale: Sale): void {
		if (order.customer !== "") this.#sales.set(order.customer, [...(this.#sales.get(order.customer) ?? []), sale]);
	}

	async #order(order: Order, part: Part, held: Held, cut?: CutAt): Promise<OrderFile | null> {
		const ordering = this.#shop.ordering as Ordering;
		const partner = this.#partner(order);
		const again = async (over: Held, code: string): Promise<Held | null> => {
			if (code === "reservation_expired") this.#sayExpired(over.token, `place of ${part.ref}`);
			else await this.#release(partner, part.ref, over);
			return await this.#acquire(order, { ...part, cut: "none", ttlMinutes: undefined }, []);
		};
		const file = await ordering.place(partner, order, part, held, again, part.fate === "reverse" ? undefined : cut);
		if (file === null) return null;
		if (part.fate === "reverse" && (await ordering.cancel(file, cut))) return null;
		this.#note(order, { token: file.token, lines: file.lines, partner, ref: part.ref, file, undone: false });
		return file;
	}

	/** Returns false if the hold turned out to be over. */
	async #consume(partner: Partner, ref: string, { token, lines }: Held, cut?: CutAt): Promise<boolean> {
		const { books, tally } = this.#shop;
		const sent = Date.now();
		const answer = await partner.consume(token, ref, cut);
		if (!answer.ok) {
			// a hold that lost units to a recall cannot be consumed: it is released
			if (this.#isRecalled(lines) && sent < books.expiresAt(token)) await this.#release(partner, ref, { token, lines });
			else this.#sayExpired(token, `consume of ${ref}`);
			return false;
		}
		const units = books.unitsOf(token);
		if (answer.data.consumed_units !== units)
			tally.fault(`${ref}: ${units} held, ${answer.data.consumed_units} consumed`);
		if (answer.data.idempotent && !answer.uncertain) tally.fault(`${ref}: its first consume was answered as a replay`);
		if (sent > books.expiresAt(token) + CLOCK_SLACK_MS && !answer.uncertain)
			tally.fault(`${ref}: consumed after its hold ran out`);
		books.consumed(token);
		if (this.#isRecalled(lines)) {
			const back = await partner.findHold(token);
			if (back.ok) books.readBack(token, back.data.items);
		}
		if (this.#repeats(ref)) {
			const again = await partner.consume(token, ref);
			const same = again.ok && again.data.idempotent && again.data.consumed_units === units;
			if (!same) tally.fault(`${ref}: a repeated consume answered ${JSON.stringify(again)}`);
		}
		return true;
	}

	async #release(partner: Partner, ref: string, { token }: Held, cut?: CutAt): Promise<void> {
		const { books, tally } = this.#shop;
		const answer = await partner.release(token, cut);
		if (!answer.ok) return this.#sayExpired(token, `release of ${ref}`);
		books.ended(token, "released");
		if (!this.#repeats(ref)) return;
		const again = await partner.release(token);
		if (!again.ok) tally.fault(`${ref}: a repeated release answered ${again.code}`);
	}

	async #reverse(sale: Sale, cut?: CutAt): Promise<void> {
		const { books, tally } = this.#shop;
		sale.undone = true;
		const answer = await sale.partner.reverse(sale.ref, cut);
		if (!answer.ok) return; // already counted as a fault: only 200 is expected
		const units = books.unitsOf(sale.token);
		if (answer.data.returned_units !== units)
			tally.fault(`${sale.ref}: ${units} consumed, ${answer.data.returned_units} returned`);
		if (answer.data.idempotent && !answer.uncertain)
			tally.fault(`${sale.ref}: its first reverse was answered as a replay`);
		books.reversed(sale.token);
		if (!this.#repeats(sale.ref)) return;
		const again = await sale.partner.reverse(sale.ref);
		const same = again.ok && again.data.idempotent && again.data.returned_units === units;
		if (!same) tally.fault(`${sale.ref}: a repeated reverse answered ${JSON.stringify(again)}`);
	}

	/**
	 * A hold that its partner forgets, or uses at the last moment: a third each are left, consumed late, or released
	 * late.
	 */
	async #runOut(order: Order, part: Part, held: Held): Promise<void> {
		const { books, tally, seed } = this.#shop;
		const partner = this.#partner(order);
		this.#forgotten.set(held.token, partner);
		const how = chance(seed, `late ${part.ref}`);
		const off = how < 1 / 3 ? CLOCK_SLACK_MS : (chance(seed, `when ${part.ref}`) * 2 - 1) * LATE_SPREAD_MS;
		const wait = Math.max(0, books.expiresAt(held.token) + off - Date.now());
		const waited = await sleep(wait, true, { signal: this.#hurry.signal }).catch(() => false);
		if (!waited) return;
		this.#forgotten.delete(held.token);
		if (how > 2 / 3) await this.#release(partner, part.ref, held);
		else if (this.#orders(order)) {
			const file = await this.#order(order, part, held);
			if (file?.token === held.token) tally.lateWins += 1;
			if (file !== null) await this.#shop.ordering?.send(order, [file]);
		} else if (await this.#consume(partner, part.ref, held)) tally.lateWins += 1;
	}

	/** Handles an answer that the hold is over. Only its expiry can have ended it. */
	#sayExpired(token: string, what: string): void {
		const { books, tally } = this.#shop;
		if (Date.now() < books.expiresAt(token) - CLOCK_SLACK_MS) tally.fault(`${what}: the hold ended before its expiry`);
		tally.expired += 1;
		books.ended(token, "expired");
	}

	/** Undoes the customer's latest sales that it covers completely; the rest are returned goods. */
	async #cancel(order: Order, before: Promise<void>[]): Promise<void> {
		await Promise.all(before);
		const left = new Map<string, number>();
		for (const { sku, qty } of order.returns) left.set(sku, (left.get(sku) ?? 0) + qty);
		for (const sale of (this.#sales.get(order.customer) ?? []).toReversed()) {
			const sold = this.#goodsOf(sale);
			if (sale.undone || [...sold].some(([sku, qty]) => (left.get(sku) ?? 0) < qty)) continue;
			if (sale.file !== null && !(await this.#takeBack(sale, sale.file))) continue;
			for (const [sku, qty] of sold) left.set(sku, (left.get(sku) ?? 0) - qty);
			this.#shop.tally.undone += 1;
			if (sale.file === null) await this.#reverse(sale);
		}
		for (const [sku, qty] of left) {
			for (const { formula, per_kit } of this.#shop.catalogue.articles.get(sku)?.components ?? []) {
				if (qty > 0) this.#shop.goodsIn.add(formula, order.brand, qty * per_kit);
			}
		}
	}

	/** Returns false if the order is on its way; the goods will then come back as returns. */
	async #takeBack(sale: Sale, file: OrderFile): Promise<boolean> {
		sale.undone = true;
		return !file.cancelled && ((await this.#shop.ordering?.cancel(file)) ?? false);
	}

	/** A sale in the codes of the file, with kits split into their parts. */
	#goodsOf(sale: Sale): Map<string, number> {
		const goods = new Map<string, number>();
		for (const { sku, qty } of sale.lines) {
			const kit = this.#shop.catalogue.kits.find((candidate) => candidate.sku === sku);
			for (const part of kit?.parts ?? [{ sku, count: 1 }])
				goods.set(part.sku, (goods.get(part.sku) ?? 0) + qty * part.count);
		}
		return goods;
	}

	#audit(order: Order, lines: readonly Line[], hold: Parameters<typeof auditHold>[1]): void {
		const { catalogue, idOf, tally } = this.#shop;
		if (hold.idempotent && this.#isRecalled(lines)) return; // a replay shows the hold in its current state
		const asked = { lines, brand: order.brand, shared: order.channel.shared };
		for (const fault of auditHold(asked, hold, catalogue.articles, idOf)) tally.fault(fault);
	}

	#partner(order: Order): Partner {
		return this.#shop.partners.get(order.channel.name) as Partner;
	}

	#isPlenty(sku: string): boolean {
		const { catalogue, plenty } = this.#shop;
		return (catalogue.articles.get(sku)?.components ?? []).every((part) => plenty.has(part.formula));
	}

	#isRecalled(lines: readonly Line[]): boolean {
		const { catalogue, recalled } = this.#shop;
		return lines.some(({ sku }) =>
			(catalogue.articles.get(sku)?.components ?? []).some(({ formula }) => recalled.has(formula)),
		);
	}

	#repeats = (ref: string): boolean => chance(this.#shop.seed, `repeat ${ref}`) < REPEATS;
	#cutAt = (what: string): CutAt => (chance(this.#shop.seed, `cut at ${what}`) < 0.5 ? "sent" : "answered");
}

/** Starts the items in order, at most `limit` at once; resolves when all are done. */
export async function inOrder<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
	let next = 0;
	const lane = async () => {
		while (next < items.length) {
			const item = items[next] as T;
			next += 1;
			await work(item);
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
}
