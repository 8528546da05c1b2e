import type { Page } from "../../client/methods.ts";
import type { SandboxRequest } from "../../client/types.ts";

/** The operation that reads the log, and is in it. */
export const OWN_OPERATION = "listSandboxRequests";
/** Ids that are remembered: more than are on the pages that two reads have in common. */
const MOST_SEEN = 5_000;

/**
 * The requests that were not seen before, the oldest first: those on pages up to the first one with a request that was
 * seen. Of the first read, those of its first page.
 */
export async function newsIn(
	pages: AsyncIterable<Page<SandboxRequest>>,
	seen: Set<string>,
	isFirst: boolean,
): Promise<SandboxRequest[]> {
	const news: SandboxRequest[] = [];
	for await (const { items } of pages) {
		// a slow request is listed late, before requests that came after it
		const fresh = items.filter(({ requestId }) => !seen.has(requestId));
		news.push(...fresh);
		if (isFirst || fresh.length < items.length) break;
	}
	for (const { requestId } of news) seen.add(requestId);
	for (const id of seen) {
		if (seen.size <= MOST_SEEN) break;
		seen.delete(id);
	}
	return news.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}
