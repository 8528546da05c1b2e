import type { Query } from "../../ground/pg/connect.ts";
import { lockEpoch, takeNumbers } from "../../ground/pg/epoch.ts";
import { renumberFormulas, renumberSkusOf } from "./put-sql.ts";

/** A catalogue change in progress: holds the epoch's lock and gives every changed row its own number. */
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

	next(): number {
		return ++this.#last;
	}

	/** Marks formulas as changed; every SKU made of them then counts as changed, too. */
	noteFormulas(formulaIds: readonly string[]): void {
		this.#changedFormulas.push(...formulaIds);
	}

	/**
	 * Marks formulas, by code, that a recipe gained or lost, so that lists of formulas with their SKUs return them
	 * again. Other SKUs of such a formula have not changed.
	 */
	noteRecipes(formulaCodes: readonly string[]): void {
		this.#recipeFormulas.push(...formulaCodes);
	}

	/** Writes the last number to the epoch; if nothing changed, the epoch keeps its number. */
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
 * Changes the catalogue inside the caller's transaction, using the `put…` verbs. Changes are serialized: the lock is
 * kept until the transaction ends. A row gets only one number per transaction, so a second change in one transaction
 * must be of other rows, such as the test SKUs of a sandbox that an import opens.
 */
export async function changeCatalog<T>(tx: Query, work: (change: CatalogChange) => Promise<T>): Promise<T> {
	const change = new CatalogChange(tx, await lockEpoch(tx, "catalog_epoch"));
	const value = await work(change);
	await change.finish();
	return value;
}
