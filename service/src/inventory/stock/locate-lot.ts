import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import type { Query } from "../../ground/pg/connect.ts";
import { MAX_LOCATION_LENGTH } from "./limits.ts";
import { updateLocation } from "./save-sql.ts";

export interface LocatedLot {
	readonly fgId: string;
	readonly location: string | null;
}

/**
 * Records a lot's place in the warehouse, for pick lists; null removes it. No unit moves. Refuses `not_found` for an
 * unknown lot and `invalid_input` for an invalid text.
 */
export async function locateLot(
	db: Query,
	fgId: string,
	location: string | null,
): Promise<LocatedLot | Refusal<"not_found" | "invalid_input">> {
	const place = location?.trim() ?? null;
	const isPlace =
		place === null || (place.length > 0 && place.length <= MAX_LOCATION_LENGTH && /^\P{C}+$/u.test(place));
	if (!isPlace)
		return refuse("invalid_input", `A location is a text of 1 to ${MAX_LOCATION_LENGTH} characters, on one line.`);
	if ((await updateLocation(db, fgId, place)) === 0) return refuse("not_found", `There is no lot ${fgId}.`);
	return { fgId, location: place };
}
