import type { CatalogCache } from "../catalog/cache.ts";
import { OpenAgain } from "../engine/steps.ts";
import { must } from "../lib/assert.ts";
import { plainArray } from "../pg/array.ts";
import { inOneWrite, type Query } from "../pg/connect.ts";
import type { Signature } from "../pg/evidence.ts";
import { inDate, type Lot } from "../stock/lot.ts";
import type { PromisedCache } from "../stock/promised.ts";
import { addShelves } from "../stock/shelves.ts";
import { findBatchIds, findSiblingIds, type InstantRow, readInstant } from "../stock/sql.ts";
import type { Command } from "./commands.ts";
import { expireIfDue, freeLapsedPart } from "./end-hold.ts";
import { type HoldLine, type HoldStatus, type Part, stateUnder } from "./hold.ts";
import { HoldBook, refKey } from "./hold-book.ts";
import { type Needs, needsOf } from "./needs.ts";
import { outOfDateParts } from "./repick.ts";
import {
	findReservedRefs,
	lockHolds,
	lockKeys,
	lockLots,
	type PartRow,
	selectHeldByKey,
	selectLapsedParts,
	selectLines,
	selectParts,
} from "./sql.ts";

/** What else must be locked. */
export type More = Pick<Needs, "shelves" | "fgIds">;

export interface LoadSettings {
	readonly catalog: CatalogCache;
	readonly promised: PromisedCache;
	/** IANA name; decides which day it is. */
	readonly timeZone: string;
}

/**
 * Load: locks capped keys, then lots, then holds, each in one sorted statement, and reads the clock after the locks. For what
 * partners ask it is one round trip, on the guess that the catalogue in memory is the last. Holds past their end are expired in
 * the book before anything is decided.
 * @throws OpenAgain when others changed the catalogue, or what must be locked, meanwhile.
 */
export async function loadBook(
	tx: Query,
	settings: LoadSettings,
	commands: readonly Command[],
	signature: Signature | null,
	more: More | undefined,
): Promise<HoldBook> {
	const guessed = commands.every(isGuessable);
	// what can be guessed is asked for in this turn of the event loop: it goes out in one write with BEGIN
	const { catalog, needs } = guessed ? guess(settings, commands) : await whatIsNeeded(tx, settings, commands);
	for (const [formulaId, pools] of more?.shelves ?? []) addShelves(needs.shelves, formulaId, pools);
	for (const fgId of more?.fgIds ?? []) needs.fgIds.add(fgId);
	const { lots, rows } = await lockAndRead(tx, needs, () => readInstant(tx, settings.timeZone, signature));
	const [now, today, catalogStamp, demandStamp] = rows.instant;
	if (guessed && catalogStamp !== catalog.stamp) {
		await settings.catalog.read(tx);
		throw new OpenAgain(more);
	}
	// read after the locks: units that came together with demand for them are not seen without it
	const last = settings.promised.guess();
	const promised = demandStamp === last.stamp ? last : await settings.promised.read(tx);
	const book = new HoldBook({ now, today, timeZone: settings.timeZone, catalog, promised });
	for (const lot of lots) book.addLot(lot);
	const parts = groupParts(book, rows);
	fillHolds(book, rows, parts, await readLines(tx, book, rows, parts, needs.takenOut.size > 0));
	for (const keyId of needs.cappedKeys) book.heldByKey.set(keyId, 0);
	for (const [keyId, endsSoonAt, units] of rows.held) {
		if (endsSoonAt === null || endsSoonAt > now) book.noteHeld(keyId, units);
	}
	book.locked = needs;
	refuseIfMissing(book, needs);
	settleTime(book, rows.lapsed);
	return book;
}

/** What the commands need, as far as it can be known before anything is locked. */
export async function whatIsNeeded(
	tx: Query,
	{ catalog: cache }: Pick<LoadSettings, "catalog">,
	commands: readonly Command[],
) {
	if (commands.every(isGuessable)) return guess({ catalog: cache }, commands);
	const catalog = await cache.read(tx);
	const needs = needsOf(commands, catalog);
	await look(tx, needs);
	return { catalog, needs };
}

function guess({ catalog: cache }: Pick<LoadSettings, "catalog">, commands: readonly Command[]) {
	const catalog = cache.guess();
	return { catalog, needs: needsOf(commands, catalog) };
}

/** An operator's command names lots that only the database knows, and may come with a catalogue its own transaction has changed. */
const isGuessable = ({ kind }: Command): boolean =>
	kind === "reserve" || kind === "release" || kind === "consume" || kind === "reverse" || kind === "expire";

/** Finds, without locks, which rows an operator's commands are about. */
async function look(tx: Query, needs: Needs): Promise<void> {
	const { takenOut, batches, fgIds } = needs;
	const [siblings, known] = await Promise.all([
		takenOut.size > 0 ? findSiblingIds(tx, [[...takenOut]]) : [],
		batches.length > 0 ? findBatchIds(tx, columnsOf(batches)) : [],
	]);
	for (const [fgId] of [...siblings, ...known]) fgIds.add(fgId);
}

const columnsOf = (batches: Needs["batches"]): unknown[][] =>
	(["formulaId", "poolId", "batchNumber"] as const).map((name) => batches.map((batch) => batch[name]));

type Rows = Awaited<ReturnType<typeof readRows>>;

async function lockAndRead(
	tx: Query,
	needs: Needs,
	instant: () => Promise<InstantRow>,
): Promise<{ lots: Lot[]; rows: Rows }> {
	const lock = async (): Promise<Lot[]> => {
		const cappedKeys = [...needs.cappedKeys];
		const [, lots] = await Promise.all([cappedKeys.length > 0 ? lockKeys(tx, [cappedKeys]) : [], lockLots(tx, needs)]);
		return lots;
	};
	if (needs.takenOut.size === 0) {
		const [lots, rows] = await inOneWrite(tx, () => Promise.all([lock(), readRows(tx, needs, instant)]));
		return { lots, rows };
	}
	const lots = await lock();
	await refuseNewSiblings(tx, needs, lots);
	return { lots, rows: await inOneWrite(tx, () => readRows(tx, needs, instant)) };
}

async function readRows(tx: Query, needs: Needs, readInstant: () => Promise<InstantRow>) {
	const { tokens, activeRefs, consumeRefs, reservedRefs, shelves, fgIds } = needs;
	const namesHolds = tokens.length + activeRefs.length + consumeRefs.length > 0;
	const cappedKeys = [...needs.cappedKeys];
	const [holds, instant, parts, lapsed, reserved, held] = await Promise.all([
		namesHolds ? lockHolds(tx, needs) : [],
		readInstant(),
		namesHolds ? selectParts(tx, needs) : [],
		shelves.size + fgIds.size > 0
			? selectLapsedParts(tx, [plainArray([...shelves.keys()]), plainArray([...fgIds])])
			: [],
		reservedRefs.length > 0 ? findReservedRefs(tx, reservedRefs) : [],
		cappedKeys.length > 0 ? selectHeldByKey(tx, [cappedKeys]) : [],
	]);
	return { holds, instant, parts, lapsed, reserved, held };
}

/** Did lots come since the look to the formulas of lots that are taken out? Now that those are locked, units can be picked from them. */
async function refuseNewSiblings(tx: Query, needs: Needs, locked: readonly Lot[]): Promise<void> {
	const siblings = await findSiblingIds(tx, [[...needs.takenOut]]);
	const known = new Set(locked.map(({ fgId }) => fgId));
	const missing = siblings.map(([fgId]) => fgId).filter((fgId) => !known.has(fgId));
	if (missing.length === 0) return;
	throw new OpenAgain<More>({ shelves: needs.shelves, fgIds: new Set([...needs.fgIds, ...missing]) });
}

/**
 * Lines by token. Those of a hold that may be replayed came with it; those of a hold whose units must be, or were, picked again
 * are read now, which is rare.
 */
async function readLines(
	tx: Query,
	book: HoldBook,
	rows: Rows,
	parts: ReadonlyMap<string, readonly Part[]>,
	takenOut: boolean,
): Promise<ReadonlyMap<string, readonly HoldLine[]>> {
	const isWhole = (part: Part): boolean => {
		const lot = book.lotsById.get(part.fgId);
		return part.state === "held" && lot !== undefined && inDate(lot, book.today);
	};
	const known = new Map<string, readonly HoldLine[]>();
	const missing: string[] = [];
	for (const [token, , , status, , , , , , , lines] of rows.holds) {
		if (lines !== null) known.set(token, lines);
		else if (status === "active" && (takenOut || !parts.get(token)?.every(isWhole))) missing.push(token);
	}
	if (missing.length === 0) return known;
	return new Map([...known, ...(await selectLines(tx, [plainArray(missing)]))]);
}

function groupParts(book: HoldBook, { holds, parts: rows }: Rows): Map<string, Part[]> {
	const parts = new Map<string, Part[]>();
	const statuses = new Map<string, HoldStatus>();
	for (const [token, , , status] of holds) statuses.set(token, status);
	for (const row of rows) {
		const [token] = row;
		const part = toPart(row, statuses.get(token) ?? "active"); // of a hold that came after the look at holds: not in the book
		const [, , , , , , , ownState] = row;
		if (ownState !== null) book.ownStates.set(part, ownState);
		const of = parts.get(token);
		if (of) of.push(part);
		else parts.set(token, [part]);
	}
	return parts;
}

function fillHolds(
	book: HoldBook,
	{ holds, reserved }: Rows,
	parts: ReadonlyMap<string, Part[]>,
	lines: ReadonlyMap<string, readonly HoldLine[]>,
): void {
	for (const [token, keyId, partnerId, status, externalRef, consumeRef, createdAt, expiresAt, c, r] of holds) {
		book.addHold({
			token,
			keyId,
			partnerId,
			status,
			externalRef,
			consumeRef,
			get lines() {
				return must(lines.get(token), "lines of a hold, which were not read");
			},
			createdAt,
			expiresAt,
			consumedUnits: c,
			returnedUnits: r,
			parts: parts.get(token) ?? [],
		});
	}
	for (const [keyId, ref, placed] of reserved)
		book.reservedRefs.set(refKey(keyId, ref), placed ? "placed" : "reserved");
}

function toPart([, ordinal, line, formulaId, fgId, poolId, units, ownState]: PartRow, status: HoldStatus): Part {
	return { ordinal, line, formulaId, fgId, poolId, units, state: ownState ?? stateUnder[status] };
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
		// of a hold of the batch, or on a lot that is not locked: not this batch's to free
		if (!book.holds.has(row[0]) && book.lotsById.has(row[4])) freeLapsedPart(book, row[0], toPart(row, "active"));
	}
}
