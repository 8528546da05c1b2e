import type { Command } from "commander";
import type { ParcelsMeant } from "../../../service/src/inventory/shipping/check-parcels.ts";
import { type Context, LINK_VARIABLES } from "../offline/context.ts";

/** What a person types about a parcel is checked before it is stored, because partners track parcels by it. */

export interface ParcelOptions {
	readonly otherCarrier?: true;
	readonly sameParcel?: true;
}

export const addParcelOptions = (command: Command): Command =>
	command
		.option("--other-carrier", "accept a carrier without a known tracking page: the parcel has no tracking link")
		.option("--same-parcel", "accept a tracking number that another box has: both are in one parcel");

export const meantBy = (options: ParcelOptions): ParcelsMeant => ({
	otherCarrier: options.otherCarrier ?? false,
	sameParcel: options.sameParcel ?? false,
});

/** The tracking addresses of all carriers that the service knows. */
export async function trackingUrlsOf({ agreed }: Context) {
	const { createTrackingUrls } = await import("../../../service/src/inventory/shipping/carriers.ts");
	const { carriers } = await agreed(...LINK_VARIABLES);
	return createTrackingUrls(carriers);
}

/** The same in the body of a request. */
export const meantInBody = ({ otherCarrier, sameParcel }: ParcelOptions) => ({
	other_carrier: otherCarrier,
	same_parcel: sameParcel,
});
