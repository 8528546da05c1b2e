/** What is known of a parcel from its label. */
export interface Parcel {
	readonly carrierCode: string | null;
	readonly serviceCode: string | null;
	readonly trackingNumber: string | null;
}

/** Characters of a carrier's or a service's code. */
const MAX_CODE = 100;
/** Characters of a tracking number. */
const MAX_TRACKING_NUMBER = 200;

/** One thing that is wrong with what is said of a parcel. */
export interface WrongInParcel {
	readonly field: "carrier" | "service" | "tracking";
	readonly message: string;
}

/** What nobody could read from a label; undefined: nothing. */
export function wrongInParcel({ carrierCode, serviceCode, trackingNumber }: Parcel): WrongInParcel | undefined {
	const fields = [
		["carrier", carrierCode, MAX_CODE],
		["service", serviceCode, MAX_CODE],
		["tracking", trackingNumber, MAX_TRACKING_NUMBER],
	] as const;
	for (const [field, value, most] of fields) {
		if (value === null || (isPrintable(value) && value.length <= most)) continue;
		return { field, message: `expected 1 to ${most} characters that can be printed, no space first or last` };
	}
	return undefined;
}

const isPrintable = (text: string): boolean => /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u.test(text);
