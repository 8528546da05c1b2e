import { must } from "../../ground/lib/assert.ts";
import { sum } from "../../ground/lib/sum.ts";

export type HoldStatus = "active" | "expired" | "released" | "consumed" | "placed" | "reversed";

/** State of a part's units. `displaced`: its lot was lost and the units were picked again elsewhere, or not at all. */
export type PartState = "held" | "freed" | "displaced" | "allocated" | "consumed" | "returned" | "shipped";

/** The state of a hold's parts unless a part has its own. The same table as `part_state` in the database. */
export const stateUnder: { readonly [status in HoldStatus]: PartState } = {
	active: "held",
	expired: "freed",
	released: "freed",
	consumed: "consumed",
	placed: "allocated",
	reversed: "returned",
};

/** The state and bucket of a hold's units while they are bound to it; null: they no longer are. */
export const boundState = ({ status }: Pick<Hold, "status">): "held" | "allocated" | null => {
	const state = stateUnder[status];
	return state === "held" || state === "allocated" ? state : null;
};

/** Units of one lot set aside for one line of a hold. */
export interface Part {
	readonly ordinal: number;
	/** Index of the request line. */
	readonly line: number;
	readonly formulaId: string;
	readonly fgId: string;
	readonly poolId: number;
	units: number;
	state: PartState;
}

/** A request line as granted. Stored with the hold, so that later changes of a recipe do not affect it. */
export interface HoldLine {
	readonly sku: string;
	readonly brand_code: string | null;
	readonly qty: number;
	/** Pools to draw on, in order, even when units are picked again. */
	readonly pools: readonly number[];
	readonly components: readonly { readonly formula_id: string; readonly per_kit: number }[];
}

export interface Hold {
	/** The contract's `reservation_token`. */
	readonly reservationToken: string;
	readonly keyId: string;
	readonly partnerId: string;
	status: HoldStatus;
	readonly externalRef: string | null;
	consumeRef: string | null;
	/** Null: not read. Lines are long, and most commands that end a whole hold do not need them. */
	lines: readonly HoldLine[] | null;
	/** Milliseconds since 1970, database clock. */
	readonly createdAt: number;
	/** Milliseconds since 1970, database clock. Only the sandbox changes it, to now. */
	expiresAt: number;
	consumedUnits: number | null;
	returnedUnits: number | null;
	readonly parts: Part[];
}

/** The lines of a hold that was read with them. */
export const linesOf = (hold: Hold): readonly HoldLine[] =>
	must(hold.lines, `lines of hold ${hold.reservationToken}, which were not read`);

/** Holds longer than this need lots in date until the day the hold ends (settlements, section 1). */
export const LONG_HOLD_MS = 24 * 60 * 60 * 1000;

/**
 * The status of a hold at a time. A hold past its end is expired immediately, even before the sweep. So is a hold with
 * a part that was freed because the hold had ended, even if the clock was set back since: others may have those units
 * by now.
 */
export const statusAt = (hold: Hold, now: number): HoldStatus =>
	hold.status === "active" && (hold.expiresAt <= now || hold.parts.some(({ state }) => state === "freed"))
		? "expired"
		: hold.status;

/** The day until which this hold's lots must be in date; undefined for a hold of at most 24 hours. */
export const neededUntil = (from: number, until: number, timeZone: string): string | undefined =>
	until - from > LONG_HOLD_MS ? dayOf(until, timeZone) : undefined;

/** Units of one component of one line that the hold still has: bound or shipped. */
export function unitsHad(hold: Hold, line: number, formulaId: string): number {
	const bound = boundState(hold);
	let units = 0;
	for (const part of hold.parts) {
		if (part.line !== line || part.formulaId !== formulaId) continue;
		if (part.state === bound || part.state === "shipped") units += part.units;
	}
	return units;
}

/** Units of those of these parts that are in a state. */
export const unitsIn = (state: PartState, parts: readonly Pick<Part, "state" | "units">[]): number =>
	sum(parts.map((part) => (part.state === state ? part.units : 0)));

/** Units of one formula missing in a line of a hold. */
export type Lacking = Pick<Part, "line" | "formulaId" | "units">;

/** All units that a hold or an order was granted and has lost. */
export function lackingOf(hold: Hold): Lacking[] {
	const lacking: Lacking[] = [];
	for (const [line, { qty, components }] of linesOf(hold).entries()) {
		for (const { formula_id: formulaId, per_kit } of components) {
			const units = per_kit * qty - unitsHad(hold, line, formulaId);
			if (units > 0) lacking.push({ line, formulaId, units });
		}
	}
	return lacking;
}

/** The same in all. */
export const unitsLacking = (hold: Hold): number => sum(lackingOf(hold).map(({ units }) => units));

/** Whether the hold lost units that could not be picked again. Only a hold with displaced parts can have lost any. */
export const isImpaired = (hold: Hold): boolean =>
	hold.parts.some(({ state }) => state === "displaced") && lackingOf(hold).length > 0;

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** The day of an instant in a time zone, YYYY-MM-DD. */
export function dayOf(epochMs: number, timeZone: string): string {
	let format = dayFormats.get(timeZone);
	if (!format) {
		format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
		dayFormats.set(timeZone, format);
	}
	return format.format(epochMs);
}

/** A copy of a hold for an answer, because later commands of the batch may change the hold. */
export interface HoldPicture extends Pick<Hold, "reservationToken" | "expiresAt"> {
	readonly lines: readonly HoldLine[];
	readonly parts: readonly Readonly<Part>[];
}

export const pictureOf = (hold: Hold): HoldPicture => ({
	reservationToken: hold.reservationToken,
	expiresAt: hold.expiresAt,
	lines: linesOf(hold),
	parts: hold.parts.map((part) => ({ ...part })),
});
