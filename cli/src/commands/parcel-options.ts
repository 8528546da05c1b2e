import type { Command } from "commander";

/** What a person types about a parcel is checked before it is stored, because partners track parcels by it. */

export interface ParcelOptions {
	readonly otherCarrier?: true;
	readonly sameParcel?: true;
}

export const addParcelOptions = (command: Command): Command =>
	command
		.option("--other-carrier", "accept a carrier without a known tracking page: the parcel has no tracking link")
		.option("--same-parcel", "accept a tracking number that another box has: both are in one parcel");

/** The options in the body of a request. */
export const meantInBody = ({ otherCarrier, sameParcel }: ParcelOptions) => ({
	other_carrier: otherCarrier,
	same_parcel: sameParcel,
});
