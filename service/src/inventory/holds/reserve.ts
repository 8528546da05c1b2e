import { LASTING_CONFLICT } from "../../ground/engine/lasting-conflict.ts";
import { must } from "../../ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { isUnknownBrand } from "../catalog/brand.ts";
import { type Catalog, spellingHint } from "../catalog/catalog.ts";
import { type ResolvedLine, resolveLines } from "../catalog/resolve-lines.ts";
import { type Component, type Sku, tracksInventory, whyUnsellable } from "../catalog/sku.ts";
import { allocate, isShortage, type LotPick, type Want } from "../stock/allocate.ts";
import type { Lot } from "../stock/lot.ts";
import { type Cause, move, type Origin } from "../stock/move.ts";
import { addShelves, addShelvesOfLines } from "../stock/shelves.ts";
import { type Hold, type HoldLine, type HoldPicture, neededUntil, pictureOf } from "./hold.ts";
import { type BookWithHolds, refKey } from "./hold-book.ts";
import type { HoldKind } from "./kind.ts";
import { repickOutOfDate } from "./repick.ts";
import { type ReplayWarning, replayWarnings } from "./replay-warnings.ts";

export interface ReserveLine {
	readonly sku: string;
	readonly qty: number;
	readonly brandCode: string | undefined;
}

export interface ReserveCommand {
	readonly kind: "reserve";
	readonly origin: Origin;
	readonly caller: Caller;
	readonly newToken: string;
	readonly lines: readonly ReserveLine[];
	/** Minutes, already limited to the operator's maximum. */
	readonly ttlMinutes: number;
	readonly externalRef: string | null;
}

export interface Reserved {
	readonly hold: HoldPicture;
	readonly idempotent: boolean;
	/** Warnings for the caller of a replay; none for a new hold. */
	readonly warnings: readonly ReplayWarning[];
}
export type ReserveRefusal = Refusal<
	"brand_mismatch" | "invalid_input" | "invalid_item" | "retry" | "rate_limited" | "no_inventory"
>;

const MS_PER_MINUTE = 60_000;
/** Maximum units of a hold, over all its lines: consumed and returned units are stored as 32-bit integers. */
export const MAX_HOLD_UNITS = 2_147_483_647;

export const reserve: HoldKind<ReserveCommand, Reserved | ReserveRefusal> = {
	looksUp: false,
	conflict: "retry",
	needs(needs, command, catalog) {
		const { caller, lines, externalRef } = command;
		const resolved = resolveLines(catalog, caller, lines);
		needs.resolved.set(command, resolved);
		if (isRefusal(resolved)) return; // the decision will refuse, too
		addShelvesOfLines(needs.shelves, resolved);
		if (externalRef !== null) needs.activeRefs.push({ keyId: caller.keyId, ref: externalRef });
		if (caller.maxHeldUnits !== null) needs.cappedKeys.add(caller.keyId);
	},
	decide: decideReserve,
	weigh: ({ lines }) => lines.length,
	note(_command, answer, sizes) {
		if ("hold" in answer) sizes.note(answer.hold.reservationToken, answer.hold.parts.length);
	},
	identities: ({ caller, externalRef }) => (externalRef === null ? [] : [refKey(caller.keyId, externalRef)]),
};

/** All lines or none. Checks: brand gate, replay, items, the key's cap, stock (settlements, section 5). */
export function decideReserve(book: BookWithHolds, command: ReserveCommand): Reserved | ReserveRefusal {
	const resolved = book.stock.resolved.get(command) ?? resolveLines(book.catalog, command.caller, command.lines);
	if (isRefusal(resolved)) return resolved;
	const earlier = activeHold(book, command);
	if (earlier) {
		repickOutOfDate(book, earlier);
		return { hold: pictureOf(earlier), idempotent: true, warnings: warningsOf(command, resolved, earlier) };
	}
	const lines = grantableLines(book.catalog, command, resolved);
	if (isRefusal(lines)) return lines;
	const tooMany = refuseUnits(book, command, lines);
	if (tooMany) return tooMany;
	const expiresAt = book.now + command.ttlMinutes * MS_PER_MINUTE;
	const wants = wantsOf(lines, neededUntil(book.now, expiresAt, book.timeZone));
	const picks = allocate(book.stock, wants);
	if (isShortage(picks)) {
		const { formulaId, pools } = must(wants[picks.short], "want that was short");
		addShelves(book.stock.shortShelves, formulaId, pools);
		return { ...refuseShortage(command, lines, wants, picks), facts: { at: book.now, items: command.lines } };
	}
	return { hold: pictureOf(makeHold(book, command, lines, expiresAt, picks)), idempotent: false, warnings: [] };
}

function activeHold(book: BookWithHolds, { caller, externalRef }: ReserveCommand): Hold | undefined {
	return externalRef === null ? undefined : book.holds.activeByRef.get(refKey(caller.keyId, externalRef));
}

function warningsOf(
	{ lines, ttlMinutes }: ReserveCommand,
	resolved: readonly ResolvedLine[],
	hold: Hold,
): readonly ReplayWarning[] {
	const asked = lines.map(({ sku, qty }, index) => {
		const { draw } = must(resolved[index], "a resolved line");
		return { sku, qty, brandCode: isUnknownBrand(draw) ? draw.unknownBrand : draw.brandCode };
	});
	return replayWarnings({ lines: asked, ttlMinutes }, hold);
}

function grantableLines(
	catalog: Catalog,
	command: ReserveCommand,
	resolved: readonly ResolvedLine[],
): GrantLine[] | Refusal<"invalid_item" | "retry"> {
	const lines: GrantLine[] = [];
	let actsOutRetry = false;
	for (const [index, { sku, qty }] of command.lines.entries()) {
		const { sku: found, draw } = must(resolved[index], "a resolved line");
		if (isUnknownBrand(draw)) {
			return refuse(
				"invalid_item",
				`/items/${index}/brand_code: there is no brand ${JSON.stringify(draw.unknownBrand)}.`,
			);
		}
		if (!found) {
			const hint = spellingHint(catalog, sku, command.caller.environment);
			return refuse("invalid_item", `/items/${index}/sku: there is no SKU ${JSON.stringify(sku)}${hint}.`);
		}
		const why = whyUngrantable(found);
		if (why !== null) return refuse("invalid_item", `/items/${index}/sku: ${JSON.stringify(sku)} ${why}.`);
		actsOutRetry ||= found.testBehaviour === "retry";
		lines.push({ sku, qty, brandCode: draw.brandCode, pools: draw.pools, components: found.components });
	}
	return actsOutRetry ? LASTING_CONFLICT : lines;
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

/** Refuses units as invalid if the key can never hold so many, and as rate limited if there is no room now. */
function refuseUnits(
	book: BookWithHolds,
	{ caller }: ReserveCommand,
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
	const held = book.holds.heldByKey.get(caller.keyId) ?? 0;
	if (held + units <= caller.maxHeldUnits) return undefined;
	return refuse(
		"rate_limited",
		`This key may hold ${caller.maxHeldUnits} units at a time and holds ${held}: release or consume some first.`,
		MS_PER_MINUTE / 1000,
	);
}

function refuseShortage(
	command: ReserveCommand,
	lines: readonly GrantLine[],
	wants: readonly Want[],
	{ short, atp }: { short: number; atp: number },
): Refusal<"no_inventory"> {
	let index = 0;
	let first = 0;
	for (; ; index++) {
		const { length } = must(lines[index], "line of a want").components;
		if (short < first + length) break;
		first += length;
	}
	const { sku, qty } = must(command.lines[index], "request line");
	const { components } = must(lines[index], "line of a want");
	const { units, formulaId } = must(wants[short], "want");
	const { name } = must(components[short - first], "component of a want").formula;
	const of = components.length === 1 ? "" : ` of ${JSON.stringify(name)}`;
	const forKits = units === qty ? "" : ` for ${qty} ${qty === 1 ? "kit" : "kits"}`;
	const sharing = wants.slice(0, short).some((want) => want.formulaId === formulaId);
	const rest = sharing ? " in addition to the earlier parts of this request" : "";
	return refuse(
		"no_inventory",
		`/items/${index}: not enough stock of ${JSON.stringify(sku)}: ${units} ${units === 1 ? "unit" : "units"}${of} needed${forKits}, ${atp} available to promise${rest}. Nothing is held: do not charge.`,
	);
}

function makeHold(
	book: BookWithHolds,
	command: ReserveCommand,
	lines: readonly GrantLine[],
	expiresAt: number,
	picks: LotPick<Lot>[][],
): Hold {
	const { caller, newToken: token, externalRef, origin } = command;
	const hold: Hold = {
		reservationToken: token,
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
				move(book.stock, pick.lot, "available", "held", pick.units, why);
				units += pick.units;
				book.holds.addPart(hold, {
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
	book.holds.newHolds.add(hold);
	book.holds.addHold(hold);
	book.holds.noteHeld(caller.keyId, units);
	return hold;
}

const toHoldLine = ({ sku, brandCode, qty, pools, components }: GrantLine): HoldLine => ({
	sku,
	brand_code: brandCode,
	qty,
	pools,
	components: components.map(({ formula, perKit }) => ({ formula_id: formula.formulaId, per_kit: perKit })),
});
