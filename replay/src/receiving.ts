import { setTimeout as sleep } from "node:timers/promises";
import type { Books } from "./books.ts";
import type { GoodsIn, ReturnsLot } from "./goods-in.ts";
import type { Lots } from "./order-shares.ts";
import type { OwnService } from "./own-service.ts";
import type { Tally } from "./tally.ts";

/** Attempts to receive goods while processes are being killed. */
const RECEIVE_ATTEMPTS = 20;
const RECEIVE_AGAIN_MS = 500;

interface Deps {
	/** Null: a service that is not ours, where returned goods are not received. */
	readonly service: OwnService | null;
	readonly goodsIn: GoodsIn;
	readonly books: Books;
	readonly tally: Tally;
	readonly idOf: ReadonlyMap<string, string>;
	/** Whether processes are being killed. */
	readonly rough: boolean;
}

/**
 * Receives waiting goods through the operator's import, one import at a time, because each gives a lot's total units.
 */
export class Receiving {
	readonly #deps: Deps;
	#last: Promise<void> = Promise.resolve();
	/** Gets each lot before anybody can have units of it. */
	lots: Lots | null = null;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Resolves when the goods waiting now are on the shelf. */
	receive(): Promise<void> {
		const { service } = this.#deps;
		if (service !== null) this.#last = this.#last.then(() => this.#receive(service));
		return this.#last;
	}

	async #receive(service: OwnService): Promise<void> {
		const { goodsIn, books, tally, idOf } = this.#deps;
		const booked = (formula: string, pool: string | null, units: number) => {
			books.received(idOf.get(formula) as string, pool, units);
			tally.returnedUnits += units;
		};
		await goodsIn.receive((lots) => this.#import(service, lots), booked);
	}

	/** The import's natural keys make it safe to repeat after a kill. */
	async #import(service: OwnService, due: ReturnsLot[]): Promise<void> {
		for (const { formula, brand_code, batch_number: batch } of due) {
			// its id is not known yet, so it is always identified by its batch number
			const formulaId = this.#deps.idOf.get(formula) as string;
			this.lots?.add({ fgId: batch + formula, formulaId, pool: brand_code, batch });
		}
		for (let attempt = 1; ; attempt += 1) {
			try {
				await service.import("returns.json", { lots: due });
				return;
			} catch (error) {
				if (!this.#deps.rough || attempt === RECEIVE_ATTEMPTS) throw error;
				await sleep(RECEIVE_AGAIN_MS);
			}
		}
	}
}
