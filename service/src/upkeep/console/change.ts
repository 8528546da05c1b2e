/** The kinds of objects whose changes are streamed. */
export const TOPICS = ["holds", "orders", "boxes", "lots", "exceptions", "deliveries", "runs", "traffic"] as const;
export type Topic = (typeof TOPICS)[number];

/** Topics whose changes take numbers of the ledger's sequence; deliveries are also found by their event's number. */
export const TOPICS_OF_LEDGER: readonly Topic[] = ["holds", "lots", "exceptions", "deliveries", "runs"];
export const TOPICS_OF_BOXES: readonly Topic[] = ["orders", "boxes"];
export const TOPICS_OF_EVENTS: readonly Topic[] = ["deliveries"];
/** The log of requests has no numbers: a client that missed some of its rows reads it again. */
export const UNNUMBERED_TOPICS: readonly Topic[] = ["traffic"];

export interface LiveChange {
	readonly topic: Topic;
	readonly id: string;
	/** Rises with each change of the object. */
	readonly version: number;
}

/** Changes that were found, and topics that a client must read again because some of their changes may be missing. */
export interface Found {
	readonly changes: readonly LiveChange[];
	readonly reload: readonly Topic[];
}

/** How far changes have been read: those with these numbers and all lower ones have been seen. */
export interface Position {
	readonly ledger: number;
	readonly boxes: number;
	readonly events: number;
}

export const samePlace = (a: Position, b: Position): boolean =>
	a.ledger === b.ledger && a.boxes === b.boxes && a.events === b.events;

/** A position as the id of a server-sent event. */
export const idOf = ({ ledger, boxes, events }: Position): string => `${ledger}.${boxes}.${events}`;

const ID = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/;

/** The position that an id names; null: it is not one of ours. */
export function positionOf(id: string): Position | null {
	const [, ledger, boxes, events] = ID.exec(id) ?? [];
	if (ledger === undefined || boxes === undefined || events === undefined) return null;
	return { ledger: Number(ledger), boxes: Number(boxes), events: Number(events) };
}

/**
 * At most this many numbers after a position are read one by one; if there are more, their topics are reloaded. Under
 * heavy load, reading each would lower the rate of reserves by a tenth.
 */
export const MOST_NUMBERS = 2_000;
/** Maximum number of changed objects of one topic that are named; if there are more, the topic is reloaded. */
export const MOST_NAMED = 500;

/** Whether the numbers from `from` to `to` can be read one by one: not if there are too many, or if they went back. */
export const isReadable = (from: number, to: number): boolean => from <= to && to - from <= MOST_NUMBERS;

/** One change for each object, the latest; topics with too many changed objects must be reloaded instead. */
export function merged(found: readonly Found[]): Found {
	const latest = new Map<string, LiveChange>();
	for (const { changes } of found) {
		for (const change of changes) {
			const name = nameOf(change);
			if ((latest.get(name)?.version ?? -1) <= change.version) latest.set(name, change);
		}
	}
	const named = new Map<Topic, number>();
	for (const { topic } of latest.values()) named.set(topic, (named.get(topic) ?? 0) + 1);
	const reload = TOPICS.filter(
		(topic) => (named.get(topic) ?? 0) > MOST_NAMED || found.some((one) => one.reload.includes(topic)),
	);
	return { reload, changes: [...latest.values()].filter(({ topic }) => !reload.includes(topic)) };
}

export const nameOf = ({ topic, id }: LiveChange): string => `${topic} ${id}`;

/** Changes as server-sent events, without an id. */
export const eventsOf = ({ changes, reload }: Found): string =>
	[
		...reload.map((topic) => `event: reload\ndata: ${JSON.stringify({ topic })}\n\n`),
		...changes.map(({ topic, id, version }) => `data: ${JSON.stringify({ topic, id, version })}\n\n`),
	].join("");
