import type { Random } from "../../../service/test/contract/random.ts";
import { History, type TestTime } from "./time-for-tests.ts";

/** What a SKU has: a count, null if it is not physical, or that it is not listed. */
export type Stock = number | null | "unlisted";
export type Status = "current" | "archived" | "retired";

export interface Row<Value> {
	readonly name: string;
	version: number;
	readonly history: History<Value>;
}

const SKUS = 30;
const CERTIFICATES = 25;

/** What the service has. It changes at random, and no number of units except 0 occurs twice. */
export class Truth {
	readonly skus: Row<Stock>[] = [];
	/** Named `slug batch`. */
	readonly certificates: Row<Status>[] = [];
	readonly #time: TestTime;
	readonly #random: Random;
	#units = 0;
	#version = 0;

	constructor(time: TestTime, random: Random) {
		this.#time = time;
		this.#random = random;
		for (let n = 0; n < SKUS; n++) this.skus.push(this.#row<Stock>(`SKU-${n}`, n % 10 === 9 ? null : this.#newQty()));
		for (let n = 0; n < CERTIFICATES; n++) this.certificates.push(this.#row<Status>(`slug-${n % 8} B-${n}`, "current"));
	}

	#row<Value>(name: string, value: Value): Row<Value> {
		const history = new History<Value>();
		history.set(this.#time.now, value);
		return { name, version: ++this.#version, history };
	}

	#newQty(): number {
		return this.#random.once(4) ? 0 : ++this.#units;
	}

	/** Sells, receives, lists and unlists SKUs, and publishes, archives and retires certificates, for ever. */
	keepChanging(): void {
		const { between, pick, once } = this.#random;
		this.#time.plan(between(5_000, 120_000), () => {
			const sku = pick(this.skus);
			if (sku.history.last !== null) {
				const isCatalogueChange = once(5) || sku.history.last === "unlisted";
				if (isCatalogueChange) sku.version = ++this.#version;
				sku.history.set(this.#time.now, isCatalogueChange && once(2) ? "unlisted" : this.#newQty());
			}
			if (once(3)) {
				const certificate = pick(this.certificates);
				certificate.version = ++this.#version;
				certificate.history.set(this.#time.now, pick(["current", "archived", "retired"] as const));
			}
			this.keepChanging();
		});
	}
}
