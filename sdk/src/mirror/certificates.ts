import { fromWire } from "../client/camel.ts";
import type { Certificate } from "../client/types.ts";
import type { Json } from "./kept.ts";

/** A copy of the feed of certificates, tombstones included. */
export interface Feed {
	/** The cursor at which the feed continues; null: its start. */
	readonly cursor: string | null;
	/** When the reading of the whole feed began, by the platform's clock, in epoch milliseconds; 0: not known. */
	readonly wholeAt: number;
	/** By product and batch number, in the order of their last changes. */
	readonly certificates: ReadonlyMap<string, Certificate>;
}

/** A page of the feed. */
export interface FeedPage {
	readonly items: readonly Certificate[];
	readonly cursor: string;
	readonly hasMore: boolean;
}

export const EMPTY_FEED: Feed = { cursor: null, wholeAt: 0, certificates: new Map() };

/** The page in a reply, or what is wrong with it, in words. `asked`: the cursors that were used so far. */
export function feedPageOf(data: unknown, asked: ReadonlySet<string | null>): FeedPage | string {
	const { items, hasMore, nextCursor } = (data ?? {}) as Json;
	if (!Array.isArray(items)) return "items is not a list";
	const wrong = items.findIndex((item) => !isCertificate(item));
	if (wrong !== -1) return `item ${wrong} is not a certificate`;
	if (typeof hasMore !== "boolean") return "hasMore is missing";
	if (typeof nextCursor !== "string") return "nextCursor is missing";
	if (hasMore && asked.has(nextCursor)) return "its next page was read before";
	return { items: items as Certificate[], cursor: nextCursor, hasMore };
}

/** The feed after a page. A certificate replaces the earlier one of its product and batch number. */
export function withPage(feed: Feed, { items, cursor }: FeedPage): Feed {
	if (items.length === 0) return { ...feed, cursor };
	const certificates = new Map(feed.certificates);
	for (const certificate of items) {
		const key = keyOf(certificate);
		certificates.delete(key); // so that it comes last
		certificates.set(key, certificate);
	}
	return { ...feed, cursor, certificates };
}

function keyOf({ product, batchNumber }: Certificate): string {
	return JSON.stringify([product.slug, batchNumber]);
}

function isCertificate(value: unknown): value is Certificate {
	const { product, batchNumber, status, certificateUrl, verifyUrl, updatedAt } = (value ?? {}) as Json;
	const { slug } = (product ?? {}) as Json;
	const texts = [slug, batchNumber, status, certificateUrl, verifyUrl];
	return texts.every((text) => typeof text === "string") && updatedAt instanceof Date && !Number.isNaN(+updatedAt);
}

/** The certificates of a feed, the last changed first. */
export function newestFirst(feed: Feed, isWanted: (certificate: Certificate) => boolean): Certificate[] {
	return [...feed.certificates.values()].filter(isWanted).toReversed();
}

export function feedToJson({ cursor, wholeAt, certificates }: Feed): unknown {
	return { cursor, wholeAt, certificates: [...certificates.values()] };
}

/** The feed in the text of a store; null: it is not a feed. */
export function feedIn(json: unknown): Feed | null {
	const { cursor, wholeAt, certificates } = (json ?? {}) as Json;
	if (!(cursor === null || typeof cursor === "string") || !Array.isArray(certificates)) return null;
	const items = certificates.map((certificate) => fromWire(certificate)); // turns texts back into times
	if (!items.every(isCertificate)) return null;
	return {
		cursor,
		wholeAt: typeof wholeAt === "number" ? wholeAt : 0, // an earlier version of the mirror did not keep it
		certificates: new Map(items.map((certificate) => [keyOf(certificate), certificate])),
	};
}
