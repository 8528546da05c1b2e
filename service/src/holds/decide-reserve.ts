import { type BrandChoice, drawsOf, isUnknownBrand } from "../catalog/brand.ts";
import { visibleSku } from "../catalog/catalog.ts";
import { type Component, type Sku, tracksInventory, whyUnsellable } from "../catalog/sku.ts";
import { must } from "../lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../lib/refusal.ts";
import { allocate, isShortage, type Pick, type Want } from "../stock/allocate.ts";
import type { Lot } from "../stock/lot.ts";
import { type Cause, move } from "../stock/move.ts";
import { addShelves } from "../stock/shelves.ts";
import type { HoldPicture, RequestLine, Reserve, Reserved, ReserveRefusal } from "./commands.ts";
import { type Hold, type HoldLine, neededUntil } from "./hold.ts";
import { type HoldBook, refKey } from "./hold-book.ts";
import { repickOutOfDate } from "./repick.ts";

/** Seconds a partner waits before it tries again after a conflict. */
export const RETRY_AFTER_SECONDS = 1;
const MS_PER_MINUTE = 60_000;
/** Units of all lines together. What a hold consumed and returned is one 32-bit number in the database. */
export const MAX_HOLD_UNITS = 2_147_483_647;

/** All lines or none. Order of looks: brand gate, replay, the items, the key's cap, the stock (decisions.md, section 5). */
export function decideReserve(book: HoldBook, command: Reserve): Reserved | ReserveRefusal {
	const named = command.lines.map(({ brandCode }) => brandCode);
	const draws = drawsOf(command.caller, named, book.catalog);
	if (isRefusal(draws)) return draws;
	const earlier = activeHold(book, command);
	if (earlier) {
		repickOutOfDate(book, earlier);
		return { hold: pictureOf(earlier), idempotent: true, itemsDiffer: itemsDiffer(command.lines, earlier) };
	}
	const lines = grantableLines(book, command, draws);
	if (isRefusal(lines)) return lines;
	const tooMany = refuseUnits(book, command, lines);
	if (tooMany) return tooMany;
	const expiresAt = book.now + command.ttlMinutes * MS_PER_MINUTE;
	const wants = wantsOf(lines, neededUntil(book.now, expiresAt, book.timeZone));
	const picks = allocate(book, wants);
	if (isShortage(picks)) {
		const { formulaId, pools } = must(wants[picks.short], "want that was short");
		addShelves(book.shortShelves, formulaId, pools);
		return refuseShortage(command, lines, wants, picks);
	}
	return { hold: pictureOf(makeHold(book, command, lines, expiresAt, picks)), idempotent: false, itemsDiffer: false };
}

function activeHold(book: HoldBook, { caller, externalRef }: Reserve): Hold | undefined {
	return externalRef === null ? undefined : book.activeByRef.get(refKey(caller.keyId, externalRef));
}

function grantableLines(
	book: HoldBook,
	command: Reserve,
	draws: readonly BrandChoice[],
): GrantLine[] | Refusal<"invalid_item" | "retry"> {
	const lines: GrantLine[] = [];
	let actsOutRetry = false;
	for (const [index, { sku, qty }] of command.lines.entries()) {
		const draw = must(draws[index], "draw of a line");
		if (isUnknownBrand(draw)) {
			return refuse(
				"invalid_item",
				`/items/${index}/brand_code: there is no brand ${JSON.stringify(draw.unknownBrand)}`,
			);
		}
		const found = visibleSku(book.catalog, sku, command.caller.environment);
		if (!found) return refuse("invalid_item", `/items/${index}/sku: there is no SKU ${JSON.stringify(sku)}`);
		const why = whyUngrantable(found);
		if (why !== null) return refuse("invalid_item", `/items/${index}/sku: ${JSON.stringify(sku)} ${why}`);
		actsOutRetry ||= found.testBehaviour === "retry";
		lines.push({ sku, qty, ...draw, components: found.components });
	}
	if (actsOutRetry) {
		return refuse(
			"retry",
			"Another hold took the same units at the same moment: send the request again.",
			RETRY_AFTER_SECONDS,
		);
	}
	return lines;
}

function whyUngrantable(sku: Sku): string | null {
	if (!tracksInventory(sku)) return "is not physical and cannot be held; leave it out";
	const why = whyUnsellable(sku);
	return why === null ? null : `${why} and cannot be sold`;
}

interface GrantLine {
	readonly sku: string;
	readonly qty: number;
	readonly brandCode: string | null;
	readonly pools: readonly number[];
	readonly components: readonly Component[];
}

const wantsOf = (lines: readonly GrantLine[], until: string | undefined): Want[] =>
	lines.flatMap(({ qty, pools, components }) =>
		components.map(({ formula, perKit }) => ({
			formulaId: formula.formulaId,
			units: qty * perKit,
			pools,
			neededUntil: until,
		})),
	);

/** More units than a hold, or a hold of this key, can ever have are wrong input; more than fit beside its other holds may fit later. */
function refuseUnits(
	book: HoldBook,
	{ caller }: Reserve,
	lines: readonly GrantLine[],
): Refusal<"invalid_input" | "rate_limited"> | undefined {
	let units = 0;
	for (const { qty, components } of lines) for (const { perKit } of components) units += qty * perKit;
	if (units > MAX_HOLD_UNITS)
		return refuse("invalid_input", `/items: ${units} units in all, and a hold has ${MAX_HOLD_UNITS} at most.`);
	if (caller.maxHeldUnits === null) return undefined;
	if (units > caller.maxHeldUnits) {
		return refuse(
			"invalid_input",
			`/items: ${units} units in all, and this key may hold ${caller.maxHeldUnits} units at a time: ask for fewer.`,
		);
	}
	const held = book.heldByKey.get(caller.keyId) ?? 0;
	if (held + units <= caller.maxHeldUnits) return undefined;
	return refuse(
		"rate_limited",
		`This key may hold ${caller.maxHeldUnits} units at a time and holds ${held}: release or consume some first.`,
		MS_PER_MINUTE / 1000,
	);
}

function refuseShortage(
	command: Reserve,
	lines: readonly GrantLine[],
	wants: readonly Want[],
	{ short, atp }: { short: number; atp: number },
): Refusal<"no_inventory"> {
	let index = 0;
	for (let first = 0; ; index++) {
		first += must(lines[index], "line of a want").components.length;
		if (short < first) break;
	}
	const line = must(command.lines[index], "request line");
	return refuse(
		"no_inventory",
		`/items/${index}: not enough stock of ${JSON.stringify(line.sku)}: ${must(wants[short], "want").units} units needed, ${atp} available to promise. Nothing is held: do not charge.`,
	);
}

function makeHold(
	book: HoldBook,
	command: Reserve,
	lines: readonly GrantLine[],
	expiresAt: number,
	picks: Pick<Lot>[][],
): Hold {
	const { caller, newToken: token, externalRef, origin } = command;
	const hold: Hold = {
		token,
		keyId: caller.keyId,
		partnerId: caller.partnerId,
		status: "active",
		externalRef,
		consumeRef: null,
		lines: lines.map(toHoldLine),
		createdAt: book.now,
		expiresAt,
		consumedUnits: null,
		returnedUnits: null,
		parts: [],
	};
	const why: Cause = { cause: "reserve", causeId: token, origin };
	let want = 0;
	let units = 0;
	for (const [line, { components }] of lines.entries()) {
		for (const { formula } of components) {
			for (const pick of must(picks[want++], "picks of a want")) {
				move(book, pick.lot, "available", "held", pick.units, why);
				units += pick.units;
				book.addPart(hold, {
					ordinal: hold.parts.length,
					line,
					formulaId: formula.formulaId,
					fgId: pick.lot.fgId,
					poolId: pick.poolId,
					units: pick.units,
					state: "held",
				});
			}
		}
	}
	book.newHolds.add(hold);
	book.addHold(hold);
	book.noteHeld(caller.keyId, units);
	return hold;
}

const toHoldLine = ({ sku, brandCode, qty, pools, components }: GrantLine): HoldLine => ({
	sku,
	brand_code: brandCode,
	qty,
	pools,
	components: components.map(({ formula, perKit }) => ({ formula_id: formula.formulaId, per_kit: perKit })),
});

/** A copy: later commands of the same batch may change the hold before this answer is sent. */
const pictureOf = ({ token, expiresAt, lines, parts }: Hold): HoldPicture => ({
	token,
	expiresAt,
	lines,
	parts: parts.map((part) => ({ ...part })),
});

function itemsDiffer(lines: readonly RequestLine[], hold: Hold): boolean {
	if (lines.length !== hold.lines.length) return true;
	return lines.some(({ sku, qty, brandCode }, index) => {
		const held = must(hold.lines[index], "line");
		return held.sku !== sku || held.qty !== qty || (brandCode !== undefined && held.brand_code !== brandCode);
	});
}
