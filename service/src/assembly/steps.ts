import { createKnownSizes, USUAL_LINES } from "../ground/engine/known-sizes.ts";
import type { Fill } from "../ground/engine/rows.ts";
import { type Blocked, NeedsMoreLocks, type Steps } from "../ground/engine/steps.ts";
import type { Query } from "../ground/pg/connect.ts";
import type { NumberedWrite } from "../ground/pg/epoch.ts";
import type { Signature } from "../ground/pg/evidence.ts";
import { inOneRoundTrip } from "../ground/pg/round-trips.ts";
import type { CatalogCache } from "../inventory/catalog/cache.ts";
import type { Catalog } from "../inventory/catalog/catalog.ts";
import type { Links } from "../inventory/orders/order-book.ts";
import { addMore, type MoreStock } from "../inventory/stock/needs.ts";
import { createPromisedCache, type PromisedCache } from "../inventory/stock/promised.ts";
import { type InstantRow, readInstant } from "../inventory/stock/sql.ts";
import type { PartnerEvent } from "../partners/webhooks/event.ts";
import { type Answer, type Command, decide, kindOf } from "./commands.ts";
import {
	type BatchRows,
	type Book,
	createRows,
	type Needs,
	newBook,
	noLocked,
	noNeeds,
	type RowSettings,
} from "./rows.ts";

export interface StepSettings extends RowSettings {
	readonly catalog: CatalogCache;
	/** IANA name; decides the current day. */
	readonly timeZone: string;
	readonly links: Links;
	/**
	 * Collects the writes that take numbers, for the end of the caller's transaction. Absent: each batch sends its own.
	 */
	readonly numbered?: NumberedWrite[] | undefined;
	/** Called with the events that a command has caused. */
	readonly onEvents?: ((command: Command, events: readonly PartnerEvent[]) => void) | undefined;
}

/** Load, decide and save for the commands and rows of all rooms. */
export function createSteps(settings: StepSettings): Steps<Command, Answer, Book, MoreStock> {
	const sizes = createKnownSizes();
	const rows = createRows(settings);
	const promised = createPromisedCache();
	return {
		open: (tx, commands, signature, more) => open(tx, { ...settings, rows, promised, signature }, commands, more),
		decide(book, command) {
			const before = book.events.length;
			const answer = decide(rows, book, command);
			if (book.events.length > before) settings.onEvents?.(command, book.events.slice(before));
			kindOf(command).note?.(command, answer, sizes);
			return answer;
		},
		recheck(tx, book) {
			const rechecks = rows.flatMap((each) => each.recheck?.(tx, book) ?? []);
			return rechecks.length === 0 ? null : Promise.all(rechecks).then(() => undefined);
		},
		weigh: (command) => kindOf(command).weigh?.(command, sizes) ?? USUAL_LINES,
		save(tx, book) {
			const saved = rows.flatMap((each) => each.save?.(tx, book) ?? []);
			const numbered = rows.flatMap((each) => each.saveNumbered?.(book) ?? []);
			settings.numbered?.push(...numbered);
			return settings.numbered === undefined ? [...saved, ...numbered.map((write) => write(tx))] : saved;
		},
		findBlocked: (tx, commands) => findBlocked(tx, rows, settings.catalog, commands),
		identities: (command) => kindOf(command).identities?.(command) ?? [],
	};
}

interface OpenSettings extends StepSettings {
	readonly rows: BatchRows;
	readonly promised: PromisedCache;
	readonly signature: Signature | null;
}

/**
 * Load: locks all rows in the order of the list, then reads the clock, then the rows that are read under the locks.
 * Takes one round trip if the cached catalogue is current, unless a command must be looked up first. @throws
 * NeedsMoreLocks when the catalogue or the rows to lock changed meanwhile.
 */
async function open(
	tx: Query,
	settings: OpenSettings,
	commands: readonly Command[],
	more: MoreStock | undefined,
): Promise<Book> {
	const { rows, timeZone, links, signature } = settings;
	const guessed = !commands.some(looksUp);
	// the guessed statements are sent in this turn of the event loop, in one write with BEGIN
	const { catalog, needs } = guessed
		? guess(settings.catalog, commands)
		: await lookUp(tx, rows, settings.catalog, commands);
	if (more !== undefined) addMore(needs, more);
	const asked = inOneRoundTrip(tx, () => ask(tx, rows, needs, () => readInstant(tx, timeZone, signature)));
	const [instant, ...fills] = await Promise.all(asked);
	const [now, today, catalogStamp, demandStamp] = instant;
	if (guessed && catalogStamp !== catalog.stamp) {
		await settings.catalog.read(tx);
		throw new NeedsMoreLocks(more);
	}
	// read after the locks: new units must not be visible without the demand that came with them
	const last = settings.promised.guess();
	const promised = demandStamp === last.stamp ? last : await settings.promised.read(tx);
	const book = newBook({ now, today, timeZone, links, catalog, promised }, needs);
	for (const fill of fills) fill(book);
	for (const each of rows) {
		const loaded = each.loadDependents?.(tx, book, needs);
		if (loaded) await loaded; // no needless await
	}
	for (const each of rows) each.expire?.(book);
	return book;
}

/** Queues the statements of all rooms: first all locks, then the clock, then the reads. */
function ask(
	tx: Query,
	rows: BatchRows,
	needs: Needs,
	instant: () => Promise<InstantRow>,
): [Promise<InstantRow>, ...Promise<Fill<Book>>[]] {
	const locks = rows.flatMap((each) => each.lock?.(tx, needs) ?? []);
	const read = instant();
	return [read, ...locks, ...rows.flatMap((each) => each.read?.(tx, needs) ?? [])];
}

const looksUp = (command: Command): boolean => kindOf(command).looksUp;

interface Needed {
	readonly catalog: Catalog;
	readonly needs: Needs;
}

const guess = (cache: CatalogCache, commands: readonly Command[]): Needed => neededIn(cache.guess(), commands);

async function lookUp(tx: Query, rows: BatchRows, cache: CatalogCache, commands: readonly Command[]): Promise<Needed> {
	const needed = neededIn(await cache.read(tx), commands);
	for (const each of rows) await each.find?.(tx, needed.needs);
	return needed;
}

export function neededIn(catalog: Catalog, commands: readonly Command[]): Needed {
	const needs = noNeeds();
	for (const command of commands) kindOf(command).needs(needs, command, catalog);
	return { catalog, needs };
}

/**
 * Finds, without waiting, rows that the commands need and other transactions have locked. The returned function checks
 * later commands too.
 */
async function findBlocked(
	tx: Query,
	rows: BatchRows,
	cache: CatalogCache,
	commands: readonly Command[],
): Promise<Blocked<Command> | null> {
	const { needs } = commands.some(looksUp) ? await lookUp(tx, rows, cache, commands) : guess(cache, commands);
	const locked = noLocked();
	let found = false;
	for (const each of rows) if (await each.findLocked?.(tx, needs, locked)) found = true;
	if (!found) return null;
	return (command) => {
		const one = needsOfOne(command, cache.guess());
		return rows.some((each) => each.conflictsWith?.(one, locked));
	};
}

const known = new WeakMap<Command, Needed>();

/** Caches the needs of a command, because it may be checked against several sets of locks. */
function needsOfOne(command: Command, catalog: Catalog): Needs {
	const before = known.get(command);
	if (before?.catalog === catalog) return before.needs;
	const needed = neededIn(catalog, [command]);
	known.set(command, needed);
	return needed.needs;
}
