import type { UnknownReason } from "../client/count.ts";
import type { HoldfastError } from "../client/errors.ts";
import type { CertificateQuery } from "../client/methods.ts";
import type { Certificate } from "../client/types.ts";
import { EMPTY_FEED, type Feed, feedIn, feedPageOf, feedToJson, newestFirst, withPage } from "./certificates.ts";
import { type Ask, Engine, type Source, wrongAnswer } from "./engine.ts";
import type { Copy } from "./kept.ts";
import type { MirrorOptions, MirrorStatus } from "./options.ts";
import { SYSTEM_CLOCK } from "./steady-clock.ts";

/** Certificates, the last changed first. `unknown` is not the same as none: show that they cannot be shown now. */
export type Certificates =
	| { readonly kind: "known"; readonly items: readonly Certificate[] }
	| {
			readonly kind: "unknown";
			readonly why: Exclude<UnknownReason, "unknown_sku">;
			readonly since: Date;
	  };

/** Certificates on a page: the most that the service gives (contract, limits). */
const PAGE_LIMIT = 500;
/** Milliseconds after which the whole feed is read again. */
const WHOLE_EVERY_MS = 24 * 3_600_000;

/**
 * A copy of the certificates that the key sees, tombstones included, which follows the feed from a cursor.
 *
 * They are `known` only if the feed was read to its end less than `staleAfterMs` ago and the key was not refused since:
 * after that, any of them may have been withdrawn. Link to `certificateUrl`, do not copy its PDF: the service withdraws
 * it at once (410). `verifyUrl` is the page for buyers, for certificates of every status.
 */
export class CoaMirror {
	readonly #engine: Engine<Feed>;

	/** @throws TypeError, RangeError if an option is missing or invalid */
	constructor(options: MirrorOptions) {
		const source: Source<Feed> = {
			name: "coa mirror",
			empty: EMPTY_FEED,
			read: (copy, ask) => readFeed(options, copy, ask),
			toJson: feedToJson,
			fromJson: feedIn,
		};
		this.#engine = new Engine(source, options);
	}

	/** The certificates of a product that are in force: show them and link to their PDFs. There may be several. */
	current(slug: string): Certificates {
		return this.#select(({ product, status }) => product.slug === slug && status === "current");
	}

	/**
	 * The certificates of a batch number, of any status: `archived` ones are of lots that are no longer sold; a
	 * `retired` one was withdrawn and has no PDF: take it down.
	 */
	lot(batch: string): Certificates {
		return this.#select(({ batchNumber }) => batchNumber === batch);
	}

	/** All certificates of any status, retired ones included. */
	all(): Certificates {
		return this.#select(() => true);
	}

	/** The cursor at which the feed continues; null: it was not read yet. */
	get cursor(): string | null {
		return this.#engine.content.cursor;
	}

	/** Begins to refresh. Resolves when the first refresh has ended, well or not; never rejects. */
	start(): Promise<void> {
		return this.#engine.start();
	}

	/**
	 * Ends a running refresh, and refreshes no more. Certificates are given until they are stale; nobody is alerted.
	 */
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

	#select(isWanted: (certificate: Certificate) => boolean): Certificates {
		const seen = this.#engine.see();
		if (seen.kind !== "fresh") return { kind: "unknown", why: seen.kind, since: seen.since };
		return { kind: "known", items: newestFirst(seen.content, isWanted) };
	}
}

/**
 * The feed from the cursor to its end, each page as soon as it is read. Once a day, and if the cursor is refused
 * because it was another key's, the whole feed takes the place of the copy: a service that was restored from a backup
 * has no tombstones for the certificates that it lost.
 */
async function* readFeed(options: MirrorOptions, copy: Copy<Feed>, ask: Ask): AsyncGenerator<Copy<Feed>> {
	const { raw } = options.holdfast;
	const now = (options.clock ?? SYSTEM_CLOCK).now();
	let { content, readAt } = copy;
	let isAnew = content.cursor !== null && Math.abs(now - content.wholeAt) >= WHOLE_EVERY_MS;
	if (isAnew || content.cursor === null) content = { ...EMPTY_FEED, wholeAt: now };
	const asked = new Set<string | null>();
	for (;;) {
		const { cursor } = content;
		asked.add(cursor);
		const query: CertificateQuery = { status: "all", limit: PAGE_LIMIT, ...(cursor !== null && { cursor }) };
		const { reply, askedAt } = await ask((of) => raw.coa.list(query, of)).catch((error: unknown) => {
			if (cursor === null || (error as Partial<HoldfastError>).code !== "invalid_input") throw error;
			return { reply: null, askedAt: 0 };
		});
		if (reply === null) {
			content = { ...EMPTY_FEED, wholeAt: now };
			isAnew = true;
			asked.clear();
			continue;
		}
		const page = feedPageOf(reply.data, asked);
		if (typeof page === "string") throw wrongAnswer("coa.list", page, reply);
		content = withPage(content, page);
		if (!page.hasMore) readAt = askedAt;
		if (!page.hasMore || !isAnew) yield { content, readAt };
		if (!page.hasMore) return;
	}
}
