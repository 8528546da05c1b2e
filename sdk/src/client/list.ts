import type { List, Page } from "./methods.ts";

/** A page as the service sends it; in a list that does not follow changes, some members are absent. */
export interface WirePage<Item> {
	readonly items: readonly Item[];
	readonly nextCursor: string | null;
	readonly hasMore?: boolean;
	readonly asOf?: Date;
}

/** Reads a list page by page. `read`: reads the page after a cursor. */
export function listOf<Item>(
	read: (cursor: string | undefined) => Promise<WirePage<Item>>,
	start: string | undefined,
): List<Item> {
	let reached = start ?? null;
	async function* pages(): AsyncGenerator<Page<Item>, void, undefined> {
		let cursor = start;
		for (let hasMore = true; hasMore; ) {
			const { items, nextCursor, asOf = null, ...page } = await read(cursor);
			yield { items, cursor: nextCursor, asOf };
			// whoever requests the next page has taken all items of this one
			reached = nextCursor;
			cursor = nextCursor ?? undefined;
			hasMore = page.hasMore ?? nextCursor !== null;
		}
	}
	return {
		pages,
		get cursor() {
			return reached;
		},
		async *[Symbol.asyncIterator]() {
			for await (const { items } of pages()) yield* items;
		},
	};
}
