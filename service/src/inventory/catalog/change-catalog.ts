import type { Query } from "../../ground/pg/connect.ts";
import { lockEpoch, takeNumbers } from "../../ground/pg/epoch.ts";
import { renumberFormulas, renumberSkusOf } from "./put-sql.ts";

/** A change of the catalogue under way: it holds the epoch's lock, and gives every changed row a number of its own. */
export class CatalogChange {
	readonly tx: Query;
	readonly #since: number;
	#last: number;
	readonly #changedFormulas: string[] = [];
	readonly #recipeFormulas: string[] = [];
	constructor(tx: Query, since: number) {
		this.tx = tx;
		this.#since = since;
		this.#last = since;
	}

	/** The number of the next changed row. */
	next(): number {
		return ++this.#last;
	}

	/** Every SKU made of a changed formula has changed, too. */
	noteFormulas(formulaIds: readonly string[]): void {
		this.#changedFormulas.push(...formulaIds);
	}

	/**
	 * Recipes with these formulas, by code, came or went: who lists formulas with the SKUs made of them lists these
	 * anew. Other SKUs of such a formula have not changed.
	 */
	noteRecipes(formulaCodes: readonly string[]): void {
		this.#recipeFormulas.push(...formulaCodes);
	}

	/** Gives the epoch the last number; an untouched catalogue keeps its own. */
	async finish(): Promise<void> {
		if (this.#changedFormulas.length > 0) {
			const { rowCount } = await renumberSkusOf(this.tx, this.#changedFormulas, this.#last, this.#since);
			this.#last += rowCount ?? 0;
		}
		if (this.#recipeFormulas.length > 0) {
			const { rowCount } = await renumberFormulas(this.tx, this.#recipeFormulas, this.#last, this.#since);
			this.#last += rowCount ?? 0;
		}
		if (this.#last > this.#since) await takeNumbers(this.tx, "catalog_epoch", this.#last - this.#since);
	}
}

/**
 * Changes the catalogue inside the caller's transaction by the verbs `put…`, which take the change. Changes take turns:
 * the lock is kept until the transaction ends, and a second change in one transaction is a bug.
 */
export async function changeCatalog<T>(tx: Query, work: (change: CatalogChange) => Promise<T>): Promise<T> {
	const change = new CatalogChange(tx, await lockEpoch(tx, "catalog_epoch"));
	const value = await work(change);
	await change.finish();
	return value;
}
