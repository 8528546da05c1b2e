import type { Page } from "../../client/methods.ts";
import type { SandboxRequest } from "../../client/types.ts";

/** The operation that reads the log, and appears in it. */
export const OWN_OPERATION = "listSandboxRequests";
/** Maximum number of ids that are remembered: more than are on the pages that two reads have in common. */
const MOST_SEEN = 5_000;
/** Maximum number of pages of the first read: many may contain only earlier reads of the log. */
const MOST_FIRST_PAGES = 10;

/** What the first read is for. */
export interface First {
	/** Number of requests that are enough. */
	readonly enough: number;
	readonly isShown: (request: SandboxRequest) => boolean;
}

/**
 * The requests that were not seen before, the oldest first: those on pages up to the first one with a request that was
 * seen. `first`: the first read, which ends with the page on which it has found enough.
 */
export async function newsIn(
	pages: AsyncIterable<Page<SandboxRequest>>,
	seen: Set<string>,
	first: First | null,
): Promise<SandboxRequest[]> {
	const news: SandboxRequest[] = [];
	let read = 0;
	for await (const { items } of pages) {
		// a slow request is listed late, before requests that came after it
		const fresh = items.filter(({ requestId }) => !seen.has(requestId));
		news.push(...fresh);
		read++;
		if (first === null ? fresh.length < items.length : read === MOST_FIRST_PAGES || hasEnough(news, first)) break;
	}
	for (const { requestId } of news) seen.add(requestId);
	for (const id of seen) {
		if (seen.size <= MOST_SEEN) break;
		seen.delete(id);
	}
	return news.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

const hasEnough = (news: readonly SandboxRequest[], { enough, isShown }: First): boolean =>
	news.filter(isShown).length >= enough;
