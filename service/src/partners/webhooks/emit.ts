import type { PartnerEvent } from "./event.ts";

/** A book in which events are left. */
export interface BookWithEvents {
	/** The database's clock; milliseconds since 1970. */
	readonly now: number;
	/** What partners are told of this batch, in order. */
	readonly events: PartnerEvent[];
}

/** Leaves an event in the book: it is written in the transaction that it tells of. */
export const emit = (book: BookWithEvents, event: PartnerEvent): void => void book.events.push(event);
