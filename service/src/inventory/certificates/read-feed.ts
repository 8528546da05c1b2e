import type { Cursors } from "../../ground/lib/cursor.ts";
import { readPage, readSince, writePage } from "../../ground/lib/page.ts";
import { isRefusal, type Refusal } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import type { ListedStatus } from "./certificate.ts";
import type { FeedReader } from "./feed-reader.ts";
import { type CoaLinks, type CoaRecord, recordOf } from "./record.ts";

interface Asked {
	readonly status?: ListedStatus | "all";
	readonly product?: readonly string[];
	readonly updated_since?: string;
	readonly limit?: number;
	readonly cursor?: string;
}

export type CoaPage = ReturnType<typeof writePage<unknown, CoaRecord>>;

export interface FeedReply {
	readonly page: CoaPage;
	/** The page has only changes, and only current certificates: a reader that follows it never sees withdrawals. */
	readonly hidesTombstones: boolean;
}

/**
 * A page of certificates in the order of their changes. A reader that follows the cursor misses nothing: a changed
 * certificate appears again, a retired one as a tombstone.
 */
export async function readFeed(
	{ feed, cursors }: { readonly feed: FeedReader; readonly cursors: Cursors },
	links: CoaLinks,
	caller: Caller,
	asked: Asked,
): Promise<FeedReply | Refusal<"invalid_input" | "rate_limited">> {
	const { status = "current", updated_since } = asked;
	const products = asked.product === undefined ? null : [...new Set(asked.product)].toSorted();
	const page = readPage(cursors, asked, [
		caller.keyId,
		status,
		products === null ? undefined : JSON.stringify(products),
		updated_since,
	]);
	if (isRefusal(page)) return page;
	const since = readSince("updated_since", updated_since);
	if (isRefusal(since)) return since;
	const { environment } = caller;
	const filter = { environment, status: status === "all" ? null : status, products, updatedSince: since ?? null };
	const read = await feed.read(caller.keyId, filter, page);
	if (isRefusal(read)) return read;
	return {
		page: writePage(page, read, (certificate) => recordOf(certificate, links), read.asOf),
		hidesTombstones: since !== undefined && status === "current",
	};
}
