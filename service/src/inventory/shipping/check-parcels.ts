import type { Query } from "../../ground/pg/connect.ts";
import type { TrackingUrls } from "./carriers.ts";
import { selectBoxesTracked } from "./sql.ts";

/** A parcel as a person reports it. */
export interface TypedParcel {
	/** The order, by any of its names. */
	readonly order: string;
	readonly carrierCode: string | null;
	readonly trackingNumber: string | null;
}

/** What a person says of parcels that look like a mistake. */
export interface ParcelsMeant {
	/** Carriers without a known tracking page are meant. */
	readonly otherCarrier: boolean;
	/** A tracking number that another box has already is meant: both are in one parcel. */
	readonly sameParcel: boolean;
}

export interface WrongParcelTyped {
	/** Index in the list. */
	readonly index: number;
	readonly field: "carrier" | "tracking";
	readonly message: string;
}

/**
 * What is probably a mistake in parcels that a person typed: a carrier that nobody knows, whose parcels partners cannot
 * follow, and a tracking number that a box of other orders has. Platforms that make labels are not asked.
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
		if (message !== null) say(index, "carrier", `${message} With --other-carrier the parcel has none`);
	}
	if (!sameParcel) {
		for (const { index, shipmentId, order } of await selectBoxesTracked(db, parcels)) {
			const number = JSON.stringify(parcels[index]?.trackingNumber);
			const message = `${number} is the tracking number of box ${shipmentId}, of order ${order}`;
			say(index, "tracking", `${message}. With --same-parcel both are in one parcel`);
		}
	}
	return wrong.toSorted((a, b) => a.index - b.index);
}
