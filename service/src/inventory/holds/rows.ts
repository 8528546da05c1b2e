import type { Rows } from "../../ground/engine/rows.ts";
import { NeedsMoreLocks } from "../../ground/engine/steps.ts";
import { must } from "../../ground/lib/assert.ts";
import { plainArray } from "../../ground/pg/array.ts";
import type { Query } from "../../ground/pg/connect.ts";
import type { BookWithEvents } from "../../partners/webhooks/emit.ts";
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
	findUsedRefs,
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
import { tellImpaired } from "./tell-impaired.ts";

/** Holds that another transaction keeps locked, or whose units are on locked lots, by token and by reference. */
export interface LockedHolds extends LockedLots {
	readonly tokens: Set<string>;
	/** References, as formatted by `refKey`. */
	readonly refs: Set<string>;
}

/** Holds and their parts. Overdue holds are ended in the book before any decision. */
export function createHoldRows(): Rows<HoldNeeds, BookWithHolds & BookWithEvents, LockedHolds> {
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
			const [parts, lapsed, used] = await Promise.all([
				selectParts(tx, needs),
				shelves.size + fgIds.size > 0
					? selectLapsedParts(tx, [plainArray([...shelves.keys()]), plainArray([...fgIds])])
					: [],
				reservedRefs.length > 0 ? findUsedRefs(tx, reservedRefs) : [],
			]);
			return (book) => {
				for (const row of parts) addPart(book, row);
				for (const [keyId, ref, placed] of used)
					book.holds.usedRefs.set(refKey(keyId, ref), placed ? "placed" : "reserved");
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
				// skip parts of the batch's own holds, and parts on lots that are not locked
				if (!book.holds.byToken.has(token) && book.stock.lotsById.has(part.fgId)) freeLapsedPart(book, token, part);
			}
		},
		propagate: tellImpaired,
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
 * Whether the hold's parts are read even if no replay is expected: true if it is named by its token for its own key. A
 * token named for another key locks and reads nothing.
 */
const partsAreAsked = ({ tokens }: HoldNeeds, { reservationToken: token, keyId }: Hold): boolean =>
	tokens.some((named) => named.token === token && (named.keyId === null || named.keyId === keyId));

/** Reads the parts of holds found by their references when no replay was expected. */
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

/** Ignores a part whose hold is not in the book: the hold was created after the holds were read. */
function addPart({ holds }: BookWithHolds, row: PartRow): void {
	const [token] = row;
	const hold = holds.byToken.get(token);
	if (hold === undefined) return;
	const { part, ownState } = toPart(row, hold.status);
	if (ownState !== null) holds.ownStates.set(part, ownState);
	hold.parts.push(part);
}

/**
 * Whether the lines of a hold must still be read. Requested lines were read with the hold. The lines of an active hold
 * are needed, too, if its units must be picked again or some were lost before, which is rare.
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

/** Units of an active hold are picked again on every use; units of an order only if a command requested its lines. */
const isPickedAgain = ({ status, reservationToken: token }: Hold, { linesOf: asked }: HoldNeeds): boolean =>
	status === "active" || (status === "placed" && asked.has(token));

/** Requires locks on lots of bound units, and on shelves from which to replace bad ones. @throws NeedsMoreLocks */
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
	addMore(more, needs); // keep the locks known so far
	throw new NeedsMoreLocks(more);
}

/** After a batch with a replay, the number of further batches for which replays are expected. */
export const EXPECTED_FOR_BATCHES = 32;

/**
 * Predicts replays of reserves. They come in bursts, when a partner repeats unanswered requests; mostly there are none.
 * While replays are expected, a hold found by its reference is read with its parts; otherwise its parts are read later.
 */
export interface Replays {
	expected(): boolean;
	/** Records whether a batch found a hold by its reference. */
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
