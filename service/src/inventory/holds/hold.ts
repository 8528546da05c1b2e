import { must } from "../../ground/lib/assert.ts";

export type HoldStatus = "active" | "expired" | "released" | "consumed" | "placed" | "reversed";

/** Where the units of a part are; `displaced`: its lot was lost and they were picked again elsewhere, or not at all. */
export type PartState = "held" | "freed" | "displaced" | "allocated" | "consumed" | "returned" | "shipped";

/**
 * Where the units of a hold's parts are unless a part has a state of its own. The same table as `part_state` in the
 * database.
 */
export const stateUnder: { readonly [status in HoldStatus]: PartState } = {
	active: "held",
	expired: "freed",
	released: "freed",
	consumed: "consumed",
	placed: "allocated",
	reversed: "returned",
};

/**
 * Where the units of a hold are as long as they are bound to it, as the state of its parts and as the bucket of their
 * lots; null: they no longer are.
 */
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

/** A request line as it was granted. Kept with the hold as it is, so that a recipe changed later changes no hold. */
export interface HoldLine {
	readonly sku: string;
	readonly brand_code: string | null;
	/** Kits. */
	readonly qty: number;
	/** Drawn from in this order, also when a lot is lost and units are picked again. */
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
	/** Null: they were not read. They are long, and most commands end a whole hold without them. */
	lines: readonly HoldLine[] | null;
	/** Milliseconds since 1970, database clock. */
	readonly createdAt: number;
	/** The same clock. Only the sandbox moves it, to now. */
	expiresAt: number;
	consumedUnits: number | null;
	returnedUnits: number | null;
	readonly parts: Part[];
}

/** The lines of a hold for which they were read. */
export const linesOf = (hold: Hold): readonly HoldLine[] =>
	must(hold.lines, `lines of hold ${hold.reservationToken}, which were not read`);

/** Holds longer than this also need their lots in date on the day they end (settlements, section 1). */
export const LONG_HOLD_MS = 24 * 60 * 60 * 1000;

/**
 * A hold past its time is expired at once, whether or not anything has swept it yet. So is one of which a part was
 * freed because its time was over, also when the clock has stepped back since: those units may be another's by now.
 */
export const statusAt = (hold: Hold, now: number): HoldStatus =>
	hold.status === "active" && (hold.expiresAt <= now || hold.parts.some(({ state }) => state === "freed"))
		? "expired"
		: hold.status;

/** The day the lots of this hold must still be in date, or undefined for a hold of a day or less. */
export const neededUntil = (from: number, until: number, timeZone: string): string | undefined =>
	until - from > LONG_HOLD_MS ? dayOf(until, timeZone) : undefined;

/** Units of one component of one line that the hold still has: bound to it, or shipped for it. */
export function unitsHad(hold: Hold, line: number, formulaId: string): number {
	const bound = boundState(hold);
	let units = 0;
	for (const part of hold.parts) {
		if (part.line !== line || part.formulaId !== formulaId) continue;
		if (part.state === bound || part.state === "shipped") units += part.units;
	}
	return units;
}

/** Has the hold lost units that could not be picked again? Only displaced parts can have been. */
export const isImpaired = (hold: Hold): boolean =>
	hold.parts.some(({ state }) => state === "displaced") &&
	linesOf(hold).some((line, index) =>
		line.components.some(({ formula_id, per_kit }) => unitsHad(hold, index, formula_id) < per_kit * line.qty),
	);

/** Units that a hold was granted and no longer has. */
export function unitsLacking(hold: Hold): number {
	let units = 0;
	for (const [index, { qty, components }] of linesOf(hold).entries()) {
		for (const { formula_id, per_kit } of components)
			units += Math.max(0, per_kit * qty - unitsHad(hold, index, formula_id));
	}
	return units;
}

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

/** A hold as it was when it was answered: later commands of the batch may change the hold itself. */
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
