import type { Query } from "../../ground/pg/connect.ts";
import type { TrackingUrls } from "./carriers.ts";
import { selectBoxesTracked } from "./sql.ts";

export interface TypedParcel {
	/** The order by any of its names, or its box by its id. */
	readonly order: string;
	readonly carrierCode: string | null;
	readonly trackingNumber: string | null;
}

/** Likely mistakes that the person has confirmed as intended. */
export interface ParcelsMeant {
	/** Carriers without a known tracking page are intended. */
	readonly otherCarrier: boolean;
	/** A tracking number that another box already has is intended, because both are in one parcel. */
	readonly sameParcel: boolean;
}

export interface WrongParcelTyped {
	readonly index: number;
	readonly field: "carrier" | "tracking";
	readonly message: string;
}

/**
 * Likely mistakes in typed parcels: an unknown carrier, whose parcels partners cannot track, or a tracking number that
 * a box of other orders has. Not used for parcels from label platforms.
 */
export async function checkParcels(
	db: Query,
	{ wrongInCarrier }: Pick<TrackingUrls, "wrongInCarrier">,
	parcels: readonly TypedParcel[],
	{ otherCarrier, sameParcel }: ParcelsMeant,
): Promise<WrongParcelTyped[]> {
	const wrong: WrongParcelTyped[] = [];
	const say = (index: number, field: WrongParcelTyped["field"], message: string): void =>
		void wrong.push({ index, field, message });
	for (const [index, { carrierCode }] of parcels.entries()) {
		const message = carrierCode === null || otherCarrier ? null : wrongInCarrier(carrierCode);
		if (message !== null)
			say(index, "carrier", `${message} With other_carrier the parcel ships without a tracking link`);
	}
	if (!sameParcel) {
		for (const { index, order } of await selectBoxesTracked(db, parcels)) {
			const number = JSON.stringify(parcels[index]?.trackingNumber);
			const message = `${number} is the tracking number of the box of order ${order}`;
			say(index, "tracking", `${message}. Set same_parcel if both boxes are in one parcel`);
		}
	}
	return wrong.toSorted((a, b) => a.index - b.index);
}
