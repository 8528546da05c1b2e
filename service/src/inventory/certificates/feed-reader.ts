import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { asError } from "../../ground/lib/assert.ts";
import { createBatcher } from "../../ground/lib/batcher.ts";
import { type Page, type PageRows, takePage } from "../../ground/lib/page.ts";
import type { Refusal } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { isConnectionLoss } from "../../ground/pg/faults.ts";
import { patiently } from "../../ground/pg/patience.ts";
import { isOnReplica, type Reads } from "../../ground/pg/reads.ts";
import type { Certificate } from "./record.ts";
import { type FeedFilter, selectFeed, selectFeedHead } from "./sql.ts";

/** A page of the feed and the moment that it describes. */
export interface FeedPage extends PageRows<Certificate> {
	/** Epoch milliseconds. */
	readonly asOf: number;
}

export interface FeedReader {
	/** Batches pages that are requested at the same time. `owner` is the caller; owners get fair shares. */
	read(owner: string, filter: FeedFilter, page: Page): Promise<FeedPage | Refusal<"rate_limited">>;
	drain(): Promise<void>;
}

/** Maximum number of pages read together, and of one owner's pages among them while others wait. */
const MAX_TOGETHER = 32;
const MAX_SHARE = 8;
/** Maximum number of connections that read at the same time. */
export const FEED_READS_IN_FLIGHT = 2;
const WORTH_A_TRIP = 8;
/** Maximum number of certificates in the cache, over all pages, and of pages: an empty one counts as a certificate. */
const MAX_KEPT = 20_000;

interface Asked {
	readonly owner: string;
	readonly filter: FeedFilter;
	readonly page: Page;
	readonly key: string;
}

/**
 * Reads pages of the feed. A cached page is valid while the feed's stamp is the one it was read under. The stamp is
 * checked every time, in one small statement for all pages requested together. A replica has its own pages, because
 * it lags, and each stamp drops the pages of all others.
 */
export function createFeedReader(reads: Reads): FeedReader {
	const ofPrimary = new KeptPages();
	const ofReplica = new KeptPages();
	const keptOf = (on: Query): KeptPages => (isOnReplica(on) ? ofReplica : ofPrimary);
	const batcher = createBatcher<Asked, FeedPage>(
		{
			maxWeight: MAX_TOGETHER,
			maxShare: MAX_SHARE,
			inFlight: FEED_READS_IN_FLIGHT,
			worthATrip: WORTH_A_TRIP,
			owner: ({ owner }) => owner,
		},
		async (asked) => {
			const someKept = asked.some(({ key }) => ofReplica.has(key) || ofPrimary.has(key));
			const owners = [...new Set(asked.map(({ owner }) => owner))];
			const readHead = async (on: Query) => ({ ...(await selectFeedHead(on)), kept: keptOf(on) });
			const head = someKept ? await patiently(() => reads.read(owners, readHead)) : null;
			const pages: (FeedPage | Error)[] = [];
			let lost: Error | null = null;
			for (const one of asked) {
				const known = head === null ? undefined : head.kept.find(head.stamp, one.key);
				// one after the other: the reads in flight have that many connections
				const page: FeedPage | Error =
					known === undefined
						? (lost ??
							(await patiently(() => reads.read([one.owner], (on) => readPage(on, keptOf(on), one))).catch(asError)))
						: { ...known, asOf: head?.asOf ?? 0 };
				if (page instanceof Error && isConnectionLoss(page)) lost = page; // the others do not wait as long again
				pages.push(page);
			}
			return pages;
		},
	);
	return {
		read: (owner, filter, page) => batcher.submit({ owner, filter, page, key: keyOf(filter, page) }),
		drain: () => batcher.drain(),
	};
}

async function readPage(db: Query, kept: KeptPages, { filter, page, key }: Asked): Promise<FeedPage> {
	const { certificates, stamp, asOf } = await selectFeed(db, filter, page);
	const rows = takePage(page, certificates, ({ version }) => version);
	kept.keep(stamp, key, rows);
	return { ...rows, asOf };
}

/** The key of a page in the cache: a digest, because the products that a request names may be thousands of bytes. */
export const keyOf = ({ environment, status, products, updatedSince }: FeedFilter, { after, limit }: Page): string =>
	hash("sha256", JSON.stringify([environment, status, products, updatedSince, after, limit]), "base64");

/** The pages of one stamp; the least recently used is evicted first. */
class KeptPages {
	#stamp = "";
	readonly #pages = new LRUCache<string, PageRows<Certificate>>({
		maxSize: MAX_KEPT,
		sizeCalculation: ({ rows }) => rows.length + 1,
	});

	has(key: string): boolean {
		return this.#pages.has(key);
	}

	find(stamp: string, key: string): PageRows<Certificate> | undefined {
		return stamp === this.#stamp ? this.#pages.get(key) : undefined;
	}

	keep(stamp: string, key: string, rows: PageRows<Certificate>): void {
		if (stamp !== this.#stamp) this.#pages.clear();
		this.#stamp = stamp;
		this.#pages.set(key, rows);
	}
}
