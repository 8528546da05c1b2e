import type { Answer, Outgoing } from "../../client.ts";
import type { List, Manner } from "./lists.ts";
import type { ReaderNote, Row } from "./notes.ts";

/** Sends a request to a random node. */
export type Send = (request: Outgoing) => Promise<Answer>;

interface Page {
	readonly items: readonly Readonly<Record<string, unknown>>[];
	readonly next_cursor: string;
	readonly has_more: boolean;
	readonly as_of: string;
}

/** How far a reader has read. */
interface Place {
	cursor: string | null;
	/** Null: nothing read yet. */
	since: string | null;
}

/** A reader that keeps a mirror of a list and returns for its changes. */
export class Reader {
	readonly #list: List;
	readonly #manner: Manner;
	readonly #token: string;
	readonly #place: Place = { cursor: null, since: null };

	constructor(list: List, manner: Manner, token: string) {
		this.#list = list;
		this.#manner = manner;
		this.#token = token;
	}

	/**
	 * Reads all remaining pages. Returns false if a request failed; the next reading then continues where this one
	 * stopped or, when reading by time, where it began.
	 */
	async readOn(send: Send, note: (what: ReaderNote) => void, limit: number): Promise<boolean> {
		const { name } = this.#list;
		const manner = this.#manner;
		let since = this.#place.since;
		let cursor = manner === "cursor" ? this.#place.cursor : null;
		for (;;) {
			const answer = await send(requestOf(this.#list, this.#token, { cursor, since: this.#place.since, limit }));
			if (answer.status !== 200) {
				if (answer.status !== null && answer.status < 500)
					note({ what: "refused", list: name, manner, status: answer.status, reply: answer.reply });
				return false;
			}
			const page = (answer.reply as { data: Page }).data;
			note({ what: "page", list: name, manner, rows: page.items.map((item) => rowOf(this.#list, item)) });
			cursor = page.next_cursor;
			if (manner === "cursor") this.#place.cursor = cursor;
			else since = manner === "as_of" ? page.as_of : latest(since, page.items.map(this.#list.timeOf));
			if (page.has_more) continue;
			this.#place.since = since;
			return true;
		}
	}
}

/** Reads the list from its beginning. Null: a request failed. */
export async function readWhole(list: List, token: string, send: Send): Promise<Row[] | null> {
	const rows: Row[] = [];
	for (let cursor: string | null = null; ; ) {
		const answer: Answer = await send(requestOf(list, token, { cursor, since: null, limit: MOST_ITEMS }));
		if (answer.status !== 200) return null;
		const page = (answer.reply as { data: Page }).data;
		rows.push(...page.items.map((item) => rowOf(list, item)));
		if (!page.has_more) return rows;
		cursor = page.next_cursor;
	}
}
/** Maximum number of rows per page. */
const MOST_ITEMS = 500;

const rowOf = ({ idOf, timeOf, stateOf }: List, item: Page["items"][number]): Row => [
	...([idOf(item), timeOf(item), stateOf(item)] as const),
];

/** Times have one format, so that they sort as text. */
const latest = (since: string | null, times: readonly (string | null)[]): string | null =>
	times.reduce((last, time) => (time !== null && (last === null || time > last) ? time : last), since);

function requestOf(
	{ path, query, since: parameter }: List,
	token: string,
	{ cursor, since, limit }: Place & { readonly limit: number },
): Outgoing {
	const search = new URLSearchParams({ ...query, limit: String(limit) });
	if (since !== null && parameter !== null) search.set(parameter, since);
	if (cursor !== null) search.set("cursor", cursor);
	return { method: "GET", path: `${path}?${search.toString()}`, token };
}
