interface Carriage {
	readonly carrier_code: string | null;
	readonly service_code: string | null;
}

/** The forms of tracking numbers by which a carrier is recognised, with the carrier's code. */
const FORMS: readonly (readonly [carrier: string, form: RegExp])[] = [
	["ups", /^1Z[0-9A-Z]{16}$/i],
	["usps", /^9[2-5]\d{18,20}$/],
	["fedex", /^(\d{12}|\d{15})$/],
	["dhl", /^(JD\d{8,}|\d{10})$/i],
];
/** Where the browser keeps carrier and service of the last parcel. */
const KEPT_AS = "holdfast-last-parcel";

/** The carrier that a tracking number has the form of; null: none, or several. */
export const guessCarrier = (number: string): string | null =>
	FORMS.find(([, form]) => form.test(number.trim()))?.[0] ?? null;

/** Whether a carrier's code is a spelling of a guessed one, such as `fedex_ground`. */
export const isSpellingOf = (guess: string, carrier: string): boolean =>
	carrier === guess || carrier.startsWith(`${guess}_`) || (guess === "usps" && carrier === "stamps_com");

/** Carrier and service of the last parcel: the next one usually has the same. */
export function lastParcel(): { readonly carrier: string; readonly service: string } {
	try {
		const { carrier = "", service = "" } = JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Partial<
			ReturnType<typeof lastParcel>
		>;
		return { carrier, service };
	} catch {
		return { carrier: "", service: "" }; // the browser keeps nothing
	}
}

/** Keeps the carrier and the service of a parcel for the next one, also after a reload. */
export function rememberParcel({ carrier_code, service_code }: Carriage): void {
	try {
		localStorage.setItem(KEPT_AS, JSON.stringify({ carrier: carrier_code ?? "", service: service_code ?? "" }));
	} catch {
		// the browser keeps nothing
	}
}
