import type { CatalogCache } from "../catalog/cache.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { must } from "../lib/assert.ts";
import { plainArray } from "../pg/array.ts";
import { inOneWrite, type Query } from "../pg/connect.ts";
import { OpenAgain } from "../stock/engine.ts";
import type { Lot } from "../stock/lot.ts";
import { NOTHING_PROMISED, type Promised, type PromisedCache } from "../stock/promised.ts";
import { addShelves, type Shelves } from "../stock/shelves.ts";
import { findBatchIds, findSiblingIds, lockLots, selectInstant } from "../stock/sql.ts";
import type { Command } from "./commands.ts";
import { expireIfDue, freeLapsedPart } from "./end-hold.ts";
import type { Hold, Part } from "./hold.ts";
import { HoldBook, refKey } from "./hold-book.ts";
import { type Needs, needsOf } from "./needs.ts";
import { outOfDateParts } from "./repick.ts";
import {
	findActiveTokens,
	findBoundLots,
	findConsumedTokens,
	findHoldersOf,
	findReservedRefs,
	type HoldRow,
	lockHolds,
	lockKeys,
	type PartRow,
	selectHeldByKey,
	selectLapsedParts,
	selectParts,
} from "./sql.ts";

/** What else must be locked. */
export type More = Pick<Needs, "shelves" | "fgIds">;

/** A book opened for a batch, and the id of the transaction it belongs to. */
export interface Opened {
	readonly book: HoldBook;
	readonly xid: string;
}

export interface LoadSettings {
	readonly catalog: CatalogCache;
	readonly promised: PromisedCache;
	/** IANA name; decides which day it is. */
	readonly timeZone: string;
}

/**
 * Load: finds (without locks) which rows the commands are about, locks capped keys, then lots, then holds, each in one sorted
 * statement, and reads the clock after the locks. Holds past their end are expired in the book before anything is decided.
 * @throws OpenAgain when others changed what must be locked between looking and locking.
 */
export async function loadBook(
	tx: Query,
	settings: LoadSettings,
	commands: readonly Command[],
	more: More | undefined,
): Promise<Opened> {
	const { catalog, needs } = await look(tx, settings, commands);
	for (const [formulaId, pools] of more?.shelves ?? []) addShelves(needs.shelves, formulaId, pools);
	for (const fgId of more?.fgIds ?? []) needs.fgIds.add(fgId);
	return lockAndRead(tx, { ...settings, catalog }, needs);
}

async function look(tx: Query, settings: LoadSettings, commands: readonly Command[]) {
	// references, tokens and lots need no catalogue, so they are asked for together with its version
	const guess = settings.catalog.guess();
	const guessed = needsOf(commands, guess);
	const { activeRefs, consumeRefs, tokens, takenOut, batches } = guessed;
	const [catalog, active, consumed, bound, holders, siblings, known] = await Promise.all([
		settings.catalog.read(tx),
		activeRefs.length > 0 ? findActiveTokens(tx, activeRefs) : [],
		consumeRefs.length > 0 ? findConsumedTokens(tx, consumeRefs) : [],
		tokens.size > 0 ? findBoundLots(tx, [plainArray([...tokens])]) : [],
		takenOut.size > 0 ? findHoldersOf(tx, [[...takenOut]]) : [],
		takenOut.size > 0 ? findSiblingIds(tx, [[...takenOut]]) : [],
		batches.length > 0 ? findBatchIds(tx, columnsOf(batches)) : [],
	]);
	const needs = catalog === guess ? guessed : needsOf(commands, catalog);
	const found = [...active, ...consumed, ...holders]
		.map(([token]) => token)
		.filter((token) => !needs.tokens.has(token));
	for (const token of found) needs.tokens.add(token);
	const boundByFound = found.length > 0 ? await findBoundLots(tx, [plainArray(found)]) : [];
	for (const [fgId] of [...bound, ...siblings, ...known, ...boundByFound]) needs.fgIds.add(fgId);
	for (const fgId of takenOut) needs.fgIds.add(fgId);
	return { catalog, needs };
}

const columnsOf = (batches: Needs["batches"]): unknown[][] =>
	(["formulaId", "poolId", "batchNumber"] as const).map((name) => batches.map((batch) => batch[name]));

async function lockAndRead(
	tx: Query,
	settings: { timeZone: string; catalog: Catalog; promised: PromisedCache },
	needs: Needs,
): Promise<Opened> {
	const cappedKeys = [...needs.cappedKeys];
	const [, lots] = await Promise.all([
		cappedKeys.length > 0 ? lockKeys(tx, [cappedKeys]) : [],
		lockLots(tx, needs.shelves, [...needs.fgIds]),
	]);
	if (needs.takenOut.size > 0) await findAffected(tx, needs, lots);
	const tokens = [...needs.tokens];
	const heldLots = lots.filter((lot) => lot.held > 0).map((lot) => lot.fgId);
	const { timeZone, catalog } = settings;
	const [holdRows, instant, parts, lapsed, promised, reserved, held] = await inOneWrite(tx, () =>
		Promise.all([
			tokens.length > 0 ? lockHolds(tx, [plainArray(tokens)]) : [],
			selectInstant(tx, [timeZone]),
			tokens.length > 0 ? selectParts(tx, [plainArray(tokens)]) : [],
			heldLots.length > 0 ? selectLapsedParts(tx, [plainArray(heldLots)]) : [],
			// after the locks: units that came together with demand for them are not seen without it
			needs.shelves.size > 0 ? settings.promised.read(tx) : NOTHING_PROMISED,
			needs.reservedRefs.length > 0 ? findReservedRefs(tx, needs.reservedRefs) : [],
			cappedKeys.length > 0 ? selectHeldByKey(tx, [cappedKeys]) : [],
		]),
	);
	const [now, today, xid] = must(instant[0], "the instant");
	const book = new HoldBook({ now, today, timeZone, catalog });
	for (const lot of lots) book.addLot(lot);
	if (!promised.none) notePromised(book, needs.shelves, promised);
	for (const hold of toHolds(holdRows, parts)) book.addHold(hold);
	for (const [keyId, ref, placed] of reserved)
		book.reservedRefs.set(refKey(keyId, ref), placed ? "placed" : "reserved");
	for (const keyId of cappedKeys) book.heldByKey.set(keyId, 0);
	for (const [keyId, endsSoonAt, units] of held) {
		if (endsSoonAt === null || endsSoonAt > now) book.noteHeld(keyId, units);
	}
	book.locked = needs;
	refuseIfMissing(book, needs);
	settleTime(book, lapsed);
	return { book, xid };
}

/**
 * Once the lots that are taken out are locked nobody else can hold units of them: now their holders are known, and whether lots
 * came to their formulas since the look.
 */
async function findAffected(tx: Query, needs: Needs, locked: readonly Lot[]): Promise<void> {
	const takenOut = [...needs.takenOut];
	const [holders, siblings] = await Promise.all([findHoldersOf(tx, [takenOut]), findSiblingIds(tx, [takenOut])]);
	for (const [token] of holders) needs.tokens.add(token);
	const known = new Set(locked.map(({ fgId }) => fgId));
	const missing = siblings.map(([fgId]) => fgId).filter((fgId) => !known.has(fgId));
	if (missing.length === 0) return;
	throw new OpenAgain<More>({ shelves: needs.shelves, fgIds: new Set([...needs.fgIds, ...missing]) });
}

function notePromised(book: HoldBook, shelves: Shelves, promised: Promised): void {
	for (const [formulaId, pools] of shelves) {
		for (const poolId of pools) book.setPromised(formulaId, poolId, promised.units(formulaId, poolId));
	}
}

function toHolds(rows: readonly HoldRow[], partRows: readonly PartRow[]): Hold[] {
	const parts = new Map<string, Part[]>();
	for (const row of partRows) {
		const of = parts.get(row[0]);
		if (of) of.push(toPart(row));
		else parts.set(row[0], [toPart(row)]);
	}
	return rows.map(([token, keyId, partnerId, status, externalRef, consumeRef, lines, createdAt, expiresAt, c, r]) => ({
		token,
		keyId,
		partnerId,
		status,
		externalRef,
		consumeRef,
		lines,
		createdAt,
		expiresAt,
		consumedUnits: c,
		returnedUnits: r,
		parts: parts.get(token) ?? [],
	}));
}

function toPart([, ordinal, line, formulaId, fgId, poolId, units, state]: PartRow): Part {
	return { ordinal, line, formulaId, fgId, poolId, units, state };
}

/** Units bound to lots that are not locked, or lots that passed their date and whose replacements are not locked. */
function refuseIfMissing(book: HoldBook, needs: Needs): void {
	const more: More = { shelves: new Map(), fgIds: new Set() };
	for (const hold of book.holds.values()) {
		let missing = false;
		for (const { state, fgId } of hold.parts) {
			if ((state !== "held" && state !== "consumed") || book.lotsById.has(fgId)) continue;
			more.fgIds.add(fgId);
			missing = true;
		}
		if (missing || hold.status !== "active") continue;
		for (const part of outOfDateParts(book, hold)) {
			const { pools } = must(hold.lines[part.line], "line of a part");
			const locked = needs.shelves.get(part.formulaId);
			if (pools.some((poolId) => !locked?.includes(poolId))) addShelves(more.shelves, part.formulaId, pools);
		}
	}
	if (more.fgIds.size === 0 && more.shelves.size === 0) return;
	for (const [formulaId, pools] of needs.shelves) addShelves(more.shelves, formulaId, pools); // what was learned before stays
	for (const fgId of needs.fgIds) more.fgIds.add(fgId);
	throw new OpenAgain(more);
}

function settleTime(book: HoldBook, lapsed: readonly PartRow[]): void {
	for (const hold of book.holds.values()) expireIfDue(book, hold);
	for (const row of lapsed) {
		if (!book.holds.has(row[0])) freeLapsedPart(book, row[0], toPart(row));
	}
}
