import type { Count } from "../client/count.ts";
import type { ProductQuery } from "../client/methods.ts";
import { type Ask, Engine, type Source, wrongAnswer } from "./engine.ts";
import type { Copy } from "./kept.ts";
import type { MirrorOptions, MirrorStatus } from "./options.ts";
import { NO_PRODUCTS, type ProductPage, type Products, productPageOf, productsIn, productsOf } from "./products.ts";

export interface InventoryMirrorOptions extends MirrorOptions {
	/** The SKU of each of your products by your own id for it. May be changed while the mirror runs. */
	readonly skus: Readonly<Record<string, string>>;
}

/** SKUs on a page: the most that the service gives (contract, limits). */
const PAGE_LIMIT = 500;

/**
 * A copy of the counts that the key sees, refreshed in the background with as few requests as possible.
 *
 * A count is `known` only if the service was asked for it less than `staleAfterMs` ago and did not refuse the key
 * since. A 401 or 403 makes every count `unknown`; the mirror keeps asking at its usual pace and recovers.
 * Show a count as "available as of the last sync"; only a hold sets units aside.
 */
export class InventoryMirror {
	readonly #skus: Readonly<Record<string, string>>;
	readonly #engine: Engine<Products>;

	/** @throws TypeError, RangeError if an option is missing or invalid */
	constructor(options: InventoryMirrorOptions) {
		const { skus, holdfast } = options;
		if (typeof skus !== "object" || skus === null) throw new TypeError("skus: expected {yourId: sku}.");
		this.#skus = skus;
		const source: Source<Products> = {
			name: "inventory mirror",
			empty: NO_PRODUCTS,
			read: (copy, ask) => readProducts(holdfast, copy, ask),
			toJson: ({ pages }) => pages,
			fromJson: productsIn,
		};
		this.#engine = new Engine(source, options);
	}

	/** What one reserve of your product would be granted, as of the last refresh. An unknown count is never 0. */
	count(yourId: string): Count {
		const sku = Object.hasOwn(this.#skus, yourId) ? this.#skus[yourId] : undefined;
		if (sku === undefined) return { kind: "unknown", why: "unknown_sku", since: this.#engine.startedAt };
		const seen = this.#engine.see();
		if (seen.kind !== "fresh") return { kind: "unknown", why: seen.kind, since: seen.since };
		const qty = seen.content.counts.get(sku);
		if (qty === undefined) return { kind: "unknown", why: "unknown_sku", since: seen.since };
		return qty === null ? { kind: "untracked" } : { kind: "known", qty };
	}

	/** Begins to refresh. Resolves when the first refresh has ended, well or not; never rejects. */
	start(): Promise<void> {
		return this.#engine.start();
	}

	/** Ends a running refresh, and refreshes no more. Counts are given until they are stale; nobody is alerted. */
	stop(): Promise<void> {
		return this.#engine.stop();
	}

	/** Refreshes now, or waits for the refresh that runs. Never rejects: look at the status. */
	refresh(): Promise<MirrorStatus> {
		return this.#engine.refresh();
	}

	status(): MirrorStatus {
		return this.#engine.status();
	}
}

/**
 * Reads all pages from the start, because counts change without the catalogue. 304 means that the page, counts
 * included, has not changed; so the whole copy is as new as this refresh.
 */
async function* readProducts(
	{ raw }: MirrorOptions["holdfast"],
	{ content }: Copy<Products>,
	ask: Ask,
): AsyncGenerator<Copy<Products>> {
	const kept = new Map(content.pages.map((page) => [page.cursor, page]));
	const pages: ProductPage[] = [];
	let readAt: number | null = null;
	let cursor: string | null = null;
	do {
		const before = kept.get(cursor);
		const query: ProductQuery = { limit: PAGE_LIMIT, ...(cursor !== null && { cursor }) };
		const conditional = { etag: before?.etag ?? null };
		const { reply, askedAt } = await ask((options) => raw.products.list(query, { ...options, ...conditional }));
		readAt ??= askedAt;
		const etag = reply.headers.get("etag");
		const isUnchanged = reply.data === null && before !== undefined;
		const page: ProductPage | string = isUnchanged ? before : productPageOf(reply.data, { cursor, etag }, pages);
		if (typeof page === "string") throw wrongAnswer("products.list", page, reply);
		pages.push(page);
		cursor = page.next;
	} while (cursor !== null);
	yield { content: productsOf(pages), readAt };
}
