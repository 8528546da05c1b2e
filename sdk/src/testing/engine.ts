import { type Answer, COMMANDS, type Command, decide } from "../../../service/src/assembly/commands.ts";
import { type BatchRows, type Book, newBook } from "../../../service/src/assembly/rows.ts";
import type { AnswerOf, Executes } from "../../../service/src/ground/engine/kind.ts";
import type { Requester } from "../../../service/src/ground/engine/steps.ts";
import { refuse } from "../../../service/src/ground/lib/refusal.ts";
import type { Catalog } from "../../../service/src/inventory/catalog/catalog.ts";
import { expireIfDue } from "../../../service/src/inventory/holds/end-hold.ts";
import { dayOf } from "../../../service/src/inventory/holds/hold.ts";
import { refKey } from "../../../service/src/inventory/holds/hold-book.ts";
import { tellImpaired } from "../../../service/src/inventory/holds/tell-impaired.ts";
import type { Links } from "../../../service/src/inventory/orders/order-book.ts";
import { orderRows } from "../../../service/src/inventory/orders/rows.ts";
import type { Caller } from "../../../service/src/partners/http/caller.ts";
import { keepBook } from "./keep-book.ts";
import type { Rows } from "./rows.ts";

/** The operator's time zone: decides the current day. */
export const TIME_ZONE = "UTC";

/**
 * The rows that apply the consequences of a decision, in the service's order; all others only load and save
 * (engine.test.ts).
 */
export const FOLLOWING = [{ propagate: tellImpaired }, orderRows] as unknown as BatchRows;

export interface EngineMeans {
	readonly rows: Rows;
	readonly catalog: Catalog;
	readonly links: Links;
	readonly caller: Caller;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** Every command of the service, decided by its own rule on rows in memory, one at a time. */
export interface MemoryEngine extends Executes<typeof COMMANDS> {
	/** Decides at once. `at`: the instant of the decision, in milliseconds since 1970. Absent: now. */
	run<K extends keyof typeof COMMANDS>(
		command: Command & { readonly kind: K },
		at?: number,
	): AnswerOf<Pick<typeof COMMANDS, K>>;
	/** All rows as of now; holds past their end are ended. */
	open(at?: number): Book;
}

export function createEngine({ rows, catalog, links, caller, now }: EngineMeans): MemoryEngine {
	const open = (at = now()): Book => {
		const book = bookOf({ rows, catalog, links, caller }, at);
		keepBook(rows, book);
		return book;
	};
	const run = (command: Command, at?: number): Answer => {
		const book = bookOf({ rows, catalog, links, caller }, at ?? now());
		const answer = decide(FOLLOWING, book, command);
		keepBook(rows, book);
		return answer;
	};
	const execute = async (command: Command, requester?: Requester | null): Promise<Answer> => {
		if (requester && requester.inForce() !== true) return NOT_IN_FORCE as unknown as Answer;
		return run(command);
	};
	return { run, open, execute } as unknown as MemoryEngine;
}

const NOT_IN_FORCE = refuse("unauthorized", "The key has ended.");

/** A book with every row, and with the passage of time applied. */
function bookOf({ rows, catalog, links, caller }: Omit<EngineMeans, "now">, now: number): Book {
	const promises = new Map(rows.promised); // as they are now
	const promised = {
		stamp: "as they are now",
		units: (formulaId: string, poolId: number) => promises.get(`${formulaId}/${poolId}`) ?? 0,
	};
	const today = dayOf(now, TIME_ZONE);
	const book = newBook({ now, today, timeZone: TIME_ZONE, links, catalog, promised });
	for (const lot of rows.lots.values()) book.stock.addLot(lot);
	for (const order of rows.orders.values()) book.orders.addOrder(order);
	for (const shipment of rows.shipments.values()) book.orders.addShipment(shipment);
	addHolds(book, rows, caller);
	return book;
}

function addHolds(book: Book, rows: Rows, { keyId, maxHeldUnits }: Caller): void {
	const { holds } = book;
	if (maxHeldUnits !== null) holds.heldByKey.set(keyId, 0);
	for (const hold of rows.holds.values()) {
		holds.addHold(hold);
		if (hold.externalRef !== null && hold.status === "placed")
			holds.usedRefs.set(refKey(hold.keyId, hold.externalRef), "placed");
		if (hold.status !== "active" || hold.expiresAt <= book.now) continue;
		for (const { state, units } of hold.parts) if (state === "held") holds.noteHeld(hold.keyId, units);
	}
	for (const hold of rows.holds.values()) expireIfDue(book, hold);
}
