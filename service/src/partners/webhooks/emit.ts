import type { PartnerEvent } from "./event.ts";

export interface BookWithEvents {
	/** The database's clock; epoch milliseconds. */
	readonly now: number;
	/** The events of this batch, in order. */
	readonly events: PartnerEvent[];
}

/** Adds an event to the book; it is written in the same transaction as the change that it reports. */
export const emit = (book: BookWithEvents, event: PartnerEvent): void => void book.events.push(event);
