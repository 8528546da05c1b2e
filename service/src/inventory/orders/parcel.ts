export interface Parcel {
	readonly carrierCode: string | null;
	readonly serviceCode: string | null;
	readonly trackingNumber: string | null;
}

/** Maximum characters of a carrier's or a service's code. */
const MAX_CODE = 100;
/** Maximum characters of a tracking number. */
const MAX_TRACKING_NUMBER = 200;

export interface WrongInParcel {
	readonly field: "carrier" | "service" | "tracking";
	readonly message: string;
}

/** The first invalid field; undefined: all are valid. */
export const wrongInParcel = (parcel: Parcel): WrongInParcel | undefined => allWrongInParcel(parcel)[0];

/** All fields that could not be printed on a label. */
export function allWrongInParcel({ carrierCode, serviceCode, trackingNumber }: Parcel): WrongInParcel[] {
	const fields = [
		["carrier", carrierCode, MAX_CODE],
		["service", serviceCode, MAX_CODE],
		["tracking", trackingNumber, MAX_TRACKING_NUMBER],
	] as const;
	return fields.flatMap(([field, value, most]) => {
		if (value === null || (isPrintable(value) && value.length <= most)) return [];
		return [{ field, message: `expected 1 to ${most} printable characters, without a space at either end` }];
	});
}

const isPrintable = (text: string): boolean => /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u.test(text);
