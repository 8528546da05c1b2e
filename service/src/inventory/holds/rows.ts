import type { Rows } from "../../ground/engine/rows.ts";
import { NeedsMoreLocks } from "../../ground/engine/steps.ts";
import { must } from "../../ground/lib/assert.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { isGood } from "../stock/lot.ts";
import { addMore, type MoreStock } from "../stock/needs.ts";
import type { LockedLots } from "../stock/rows.ts";
import { addShelves } from "../stock/shelves.ts";
import { expireIfDue, freeLapsedPart } from "./end-hold.ts";
import { type Hold, linesOf, type Part, type PartState } from "./hold.ts";
import { type BookWithHolds, refKey } from "./hold-book.ts";
import type { HoldNeeds } from "./needs.ts";
import { outOfDateParts } from "./repick.ts";
import {
	findReservedRefs,
	lockHolds,
	type PartRow,
	readParts,
	saveHolds,
	selectBlockedHolds,
	selectLapsedParts,
	selectLines,
	selectParts,
	selectTokensOnLots,
	toHold,
	toPart,
} from "./sql.ts";

/**
 * Holds that somebody else keeps locked, or whose units lie on locked lots, by the names under which commands need
 * them.
 */
export interface LockedHolds extends LockedLots {
	readonly tokens: Set<string>;
	/** Their references, as `refKey` writes them. */
	readonly refs: Set<string>;
}

/** Holds and their parts. Those past their end are ended in the book before anything is decided. */
export function createHoldRows(): Rows<HoldNeeds, BookWithHolds, LockedHolds> {
	const replays = createReplays();
	return {
		async lock(tx, needs) {
			needs.replaysExpected = replays.expected();
			const rows = await lockHolds(tx, needs);
			return ({ holds }) => {
				for (const row of rows) {
					const hold = toHold(row);
					holds.addHold(hold);
					holds.hasReplays ||= hold.lines !== null && !partsAreAsked(needs, hold);
				}
			};
		},
		async read(tx, needs) {
			const { shelves, fgIds, reservedRefs } = needs;
			const [parts, lapsed, reserved] = await Promise.all([
				selectParts(tx, needs),
				shelves.size + fgIds.size > 0
					? selectLapsedParts(tx, [plainArray([...shelves.keys()]), plainArray([...fgIds])])
					: [],
				reservedRefs.length > 0 ? findReservedRefs(tx, reservedRefs) : [],
			]);
			return (book) => {
				for (const row of parts) addPart(book, row);
				for (const [keyId, ref, placed] of reserved)
					book.holds.reservedRefs.set(refKey(keyId, ref), placed ? "placed" : "reserved");
				book.holds.lapsed = lapsed.map((row) => toPart(row, "active"));
			};
		},
		loadDependents(tx, book, needs) {
			replays.note(book.holds.hasReplays);
			if (needs.replaysExpected || !book.holds.hasReplays) return completeLines(tx, book, needs);
			const bare = [...book.holds.byToken.values()].filter(({ parts }) => parts.length === 0);
			return addPartsOf(tx, book, bare).then(() => completeLines(tx, book, needs) ?? undefined);
		},
		expire(book) {
			for (const hold of book.holds.byToken.values()) expireIfDue(book, hold);
			for (const { token, part } of book.holds.lapsed) {
				// of a hold of the batch, or on a lot that is not locked: not this batch's to free
				if (!book.holds.byToken.has(token) && book.stock.lotsById.has(part.fgId)) freeLapsedPart(book, token, part);
			}
		},
		save: saveHolds,
		async findLocked(tx, needs, locked) {
			const holds = await selectBlockedHolds(tx, needs);
			const onLots =
				locked.fgIds.size === 0 ? [] : await selectTokensOnLots(tx, needs, [plainArray([...locked.fgIds])]);
			const note = (token: string, keyId: string, ...refs: (string | null)[]): void => {
				locked.tokens.add(token);
				for (const ref of refs) if (ref !== null) locked.refs.add(refKey(keyId, ref));
			};
			for (const [token, keyId, externalRef, consumeRef] of holds) note(token, keyId, externalRef, consumeRef);
			for (const [token, keyId, consumeRef] of onLots) note(token, keyId, consumeRef);
			return holds.length > 0;
		},
		conflictsWith: ({ tokens, activeRefs, consumeRefs }, locked) =>
			tokens.some(({ token }) => locked.tokens.has(token)) ||
			[...activeRefs, ...consumeRefs].some(({ keyId, ref }) => locked.refs.has(refKey(keyId, ref))),
	};
}

/**
 * Do the hold's parts come with it, whatever replays are expected? They do when it is named by its token for its own
 * key. Others may name the token, for which nothing is locked or read.
 */
const partsAreAsked = ({ tokens }: HoldNeeds, { reservationToken: token, keyId }: Hold): boolean =>
	tokens.some((named) => named.token === token && (named.keyId === null || named.keyId === keyId));

/** Reads the parts of holds that were found by their references when no replay was expected. */
async function addPartsOf(tx: Query, book: BookWithHolds, holds: readonly Hold[]): Promise<void> {
	const rows = await readParts(
		tx,
		holds.map(({ reservationToken: token }) => token),
	);
	for (const row of rows) addPart(book, row);
}

function completeLines(tx: Query, book: BookWithHolds, needs: HoldNeeds): Promise<void> | null {
	const unread = [...book.holds.byToken.values()].filter((hold) => needsLines(book, hold));
	if (unread.length > 0) return readLines(tx, book, unread, needs);
	lockWhatIsBound(book, needs);
	return null;
}

/** A part whose hold is not in the book is of one that came after the look at holds. */
function addPart({ holds }: BookWithHolds, row: PartRow): void {
	const [token] = row;
	const hold = holds.byToken.get(token);
	if (hold === undefined) return;
	const { part, ownState } = toPart(row, hold.status);
	if (ownState !== null) holds.ownStates.set(part, ownState);
	hold.parts.push(part);
}

/**
 * Lines that were asked for came with the hold; of an active hold whose units must be, or were, picked again they are
 * read now, which is rare.
 */
function needsLines({ stock, today }: BookWithHolds, hold: Hold): boolean {
	if (hold.lines !== null || hold.status !== "active") return false;
	const isWhole = ({ state, fgId }: Part): boolean => {
		const lot = stock.lotsById.get(fgId);
		return state === "held" && lot !== undefined && isGood(lot, today);
	};
	return hold.parts.length === 0 || !hold.parts.every(isWhole);
}

async function readLines(tx: Query, book: BookWithHolds, holds: readonly Hold[], needs: HoldNeeds): Promise<void> {
	const rows = await selectLines(tx, [plainArray(holds.map(({ reservationToken: token }) => token))]);
	for (const [token, lines] of rows)
		must(book.holds.byToken.get(token), "a hold whose lines were asked for").lines = lines;
	lockWhatIsBound(book, needs);
}

/** States of parts whose units a command on their hold may move. */
const MOVABLE: ReadonlySet<PartState> = new Set(["held", "consumed", "allocated"]);

/**
 * Units of an active hold are picked again whenever it is used, those of an order when a command asks for its lines.
 */
const isPickedAgain = ({ status, reservationToken: token }: Hold, { linesOf: asked }: HoldNeeds): boolean =>
	status === "active" || (status === "placed" && asked.has(token));

/**
 * Units bound to lots that are not locked, or lots that passed their date or were recalled and whose replacements are
 * not locked. @throws NeedsMoreLocks
 */
function lockWhatIsBound(book: BookWithHolds, needs: HoldNeeds): void {
	const more: MoreStock = { shelves: new Map(), fgIds: new Set() };
	for (const hold of book.holds.byToken.values()) {
		let missing = false;
		for (const { state, fgId } of hold.parts) {
			if (!MOVABLE.has(state) || book.stock.lotsById.has(fgId)) continue;
			more.fgIds.add(fgId);
			missing = true;
		}
		if (missing || !isPickedAgain(hold, needs)) continue;
		for (const part of outOfDateParts(book, hold)) {
			const { pools } = must(linesOf(hold)[part.line], "line of a part");
			const locked = needs.shelves.get(part.formulaId);
			if (pools.some((poolId) => !locked?.includes(poolId))) addShelves(more.shelves, part.formulaId, pools);
		}
	}
	if (more.fgIds.size === 0 && more.shelves.size === 0) return;
	addMore(more, needs); // what was learned before stays
	throw new NeedsMoreLocks(more);
}

/** Batches behind one with a replay in which another is expected. */
export const EXPECTED_FOR_BATCHES = 32;

/**
 * Are replays of reserves to be expected? They come in crowds, when a partner sends again what was not answered, and
 * mostly there are none. While some are expected, a hold that is found by its reference comes with its parts; else
 * those are read when one is found.
 */
export interface Replays {
	expected(): boolean;
	/** A batch is loaded: did it find a hold by its reference? */
	note(found: boolean): void;
}

export function createReplays(): Replays {
	let batches = 0;
	return {
		expected: () => batches > 0,
		note(found) {
			batches = found ? EXPECTED_FOR_BATCHES : Math.max(0, batches - 1);
		},
	};
}
