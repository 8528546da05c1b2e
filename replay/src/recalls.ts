import type { GoodsIn } from "./goods-in.ts";
import type { Operator } from "./operator.ts";
import type { OrderFile } from "./order-file.ts";
import type { Lots } from "./order-shares.ts";
import type { Ordering } from "./ordering.ts";
import { HELD_BY_RECALL } from "./sql.ts";
import type { Lot } from "./stock.ts";
import type { OrderTally } from "./tally.ts";
import type { Warehouse } from "./warehouse.ts";
import { RECALL_ROUNDS, remedyOf } from "./work.ts";

interface Deps {
	readonly seed: number;
	readonly rounds: readonly (readonly Lot[])[];
	readonly operator: Operator;
	readonly ordering: Ordering;
	readonly warehouse: Warehouse;
	/** By order id. */
	readonly files: ReadonlyMap<string, OrderFile>;
	readonly lots: Lots;
	/** Formula code to the service's id. */
	readonly idOf: ReadonlyMap<string, string>;
	readonly count: OrderTally;
	readonly goodsIn: GoodsIn;
	/** Receives the goods waiting in goodsIn. */
	readonly receive: () => Promise<void>;
}

/** Recalls lots in rounds, and after each handles the orders that it put on hold. */
export class Recalls {
	readonly #deps: Deps;
	readonly #codeOf: ReadonlyMap<string, string>;
	/** Orders on hold by a recall, and how often each had been released at that time. */
	readonly #seen = new Map<string, number>();
	#begun = 0;
	#work: Promise<void> = Promise.resolve();

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#codeOf = new Map([...deps.idOf].map(([code, id]) => [id, code] as const));
	}

	/** Called with the progress of the run (0 to 1): a round that is due begins after the previous one. */
	turn(share: number): void {
		if (this.#begun === RECALL_ROUNDS || share < (this.#begun + 1) / (RECALL_ROUNDS + 1)) return;
		const lots = this.#deps.rounds[this.#begun] ?? [];
		this.#begun += 1;
		this.#work = this.#work.then(() => this.#round(lots));
		this.#work.catch(() => undefined); // reported by `finish`
	}

	/** Finishes all rounds, and gives orders that could not be released before another chance. */
	async finish(): Promise<void> {
		await this.#work;
		for (const lots of this.#deps.rounds.slice(this.#begun)) await this.#round(lots);
		this.#begun = RECALL_ROUNDS;
		await this.#restock(await this.#held());
	}

	async #round(lots: readonly Lot[]): Promise<void> {
		const { operator, idOf, count } = this.#deps;
		for (const lot of lots) {
			const place = this.#deps.lots.byBatch(idOf.get(lot.formula) as string, lot.batch_number);
			if (place === undefined) throw new Error(`lot ${lot.batch_number} was not imported`);
			await operator.recall(place.fgId, `recall of batch ${lot.batch_number}`);
			count.lotsRecalled += 1;
		}
		await this.#seeTo(await this.#held());
	}

	async #held(): Promise<OrderFile[]> {
		const rows = await this.#deps.operator.rows<{ order_id: string }>(HELD_BY_RECALL);
		// an order whose partner has no answer yet has no file: it is handled after the next round
		return rows.flatMap(({ order_id }) => this.#deps.files.get(order_id) ?? []);
	}

	/** Applies a remedy to each order that was not on hold at the last check. */
	async #seeTo(held: readonly OrderFile[]): Promise<void> {
		const { seed, count, ordering } = this.#deps;
		const restocked: OrderFile[] = [];
		for (const file of held) {
			if (this.#seen.get(file.orderId) === file.releases) continue;
			this.#seen.set(file.orderId, file.releases);
			count.heldByRecall += 1;
			const remedy = remedyOf(seed, file.ref);
			if (remedy === "restock") restocked.push(file);
			if (remedy === "cancel" && (await ordering.cancel(file))) count.givenUp += 1;
		}
		await this.#restock(restocked);
	}

	/** Receives what these orders lack and releases them, except those that are to wait. */
	async #restock(held: readonly OrderFile[]): Promise<void> {
		const { seed, operator, warehouse, count, receive } = this.#deps;
		const due = held.filter((file) => !file.cancelled && remedyOf(seed, file.ref) === "restock");
		if (due.length === 0) return;
		const formulas = new Map<OrderFile, string[]>();
		for (const file of due) formulas.set(file, await this.#wantFor(file));
		await receive();
		for (const file of due) {
			if ((await operator.release(file, formulas.get(file) ?? [], file.brand)) !== "done") continue;
			file.releases += 1;
			count.restocked += 1;
			warehouse.again(file);
		}
	}

	/** Requests what an order lacks from production; returns the ids of all its formulas. */
	async #wantFor(file: OrderFile): Promise<string[]> {
		const answer = await file.partner.findOrder(file.ref);
		if (!answer.ok) return [];
		const parts = answer.data.items.flatMap(({ components }) => components);
		for (const { formula_id, units, lots } of parts) {
			const lacking = units - lots.reduce((sum, lot) => sum + lot.units, 0);
			if (lacking > 0) this.#deps.goodsIn.add(this.#codeOf.get(formula_id) as string, file.brand, lacking);
		}
		return [...new Set(parts.map(({ formula_id }) => formula_id))];
	}
}
