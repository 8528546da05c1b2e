import { nearest } from "../../ground/lib/nearest.ts";
import { fillTemplate } from "../../ground/lib/tracking-template.ts";

interface Carrier {
	/** Contains `{tracking_number}` once. */
	readonly template: string;
	/** Lower case, as normalized by `codeOf`; the first is ShipStation's spelling if it supports the carrier. */
	readonly codes: readonly string[];
}

/** Common carriers. HOLDFAST_CARRIERS adds others or replaces these pages. */
const CARRIERS: readonly Carrier[] = [
	{
		template: "https://www.ups.com/track?tracknum={tracking_number}",
		codes: ["ups", "ups_walleted", "ups_ground_saver", "ups_surepost", "united_parcel_service"],
	},
	{
		template: "https://tools.usps.com/go/TrackConfirmAction?tLabels={tracking_number}",
		codes: [
			"stamps_com",
			"usps",
			"endicia",
			"express_1",
			"stamps",
			"pitney_bowes",
			"usps_endicia",
			"globalpost",
			"us_postal_service",
		],
	},
	{
		template: "https://www.fedex.com/fedextrack/?trknbr={tracking_number}",
		codes: ["fedex", "fedex_walleted", "fedex_uk", "fedex_ground", "fedex_express", "federal_express"],
	},
	{
		template: "https://www.dhl.com/en/express/tracking.html?AWB={tracking_number}",
		codes: [
			"dhl_express",
			"dhl_express_worldwide",
			"dhl_express_uk",
			"dhl_express_canada",
			"dhl_express_australia",
			"dhl_express_mydhl",
			"dhl",
		],
	},
	{
		template: "https://webtrack.dhlecs.com/orders?trackingNumber={tracking_number}",
		codes: ["dhl_ecommerce", "dhl_global_mail", "dhl_ecs", "dhl_ecommerce_us"],
	},
	{
		template: "https://www.dhl.de/en/privatkunden/pakete-empfangen/verfolgen.html?piececode={tracking_number}",
		codes: ["dhl_paket", "dhl_germany", "dhl_de", "deutsche_post_dhl"],
	},
	{
		template: "https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor={tracking_number}",
		codes: ["canada_post", "canada_post_walleted", "canadapost", "postes_canada"],
	},
	{
		template: "https://www.purolator.com/en/shipping/tracker?pin={tracking_number}",
		codes: ["purolator_ca", "purolator", "purolator_canada"],
	},
	{
		template: "https://www.royalmail.com/track-your-item#/tracking-results/{tracking_number}",
		codes: ["royal_mail", "royal_mail_walleted", "royalmail", "royal_mail_click_and_drop"],
	},
	{
		template: "https://www.parcelforce.com/track-trace?trackNumber={tracking_number}",
		codes: ["parcelforce", "parcelforce_worldwide"],
	},
	{
		template: "https://www.evri.com/track/parcel/{tracking_number}",
		codes: ["hermes", "evri", "hermes_uk", "myhermes"],
	},
	{
		template: "https://tracking.dpd.de/status/en_US/parcel/{tracking_number}",
		codes: ["dpd", "dpd_germany", "dpd_de", "dpdgroup"],
	},
	{
		template: "https://track.dpd.co.uk/search?reference={tracking_number}",
		codes: ["dpd_uk", "dpd_local", "dpdlocal"],
	},
	{
		template: "https://gls-group.eu/EU/en/parcel-tracking?match={tracking_number}",
		codes: ["gls", "gls_germany", "gls_eu", "gls_spain", "gls_italy"],
	},
	{
		template: "https://auspost.com.au/mypost/track/#/details/{tracking_number}",
		codes: ["australia_post", "australia_post_my_post_business", "auspost", "australia_post_mypost", "startrack"],
	},
	{
		template: "https://www.ontrac.com/tracking/?number={tracking_number}",
		codes: ["ontrac", "lasership", "ontrac_final_mile"],
	},
	{
		template: "https://www.nzpost.co.nz/tools/tracking?trackid={tracking_number}",
		codes: ["new_zealand_post", "nz_post", "nzpost"],
	},
	{
		template: "https://www.laposte.fr/outils/suivre-vos-envois?code={tracking_number}",
		codes: ["colissimo", "la_poste", "laposte"],
	},
	{
		template: "https://jouw.postnl.nl/track-and-trace/{tracking_number}",
		codes: ["post_nl", "postnl"],
	},
	{
		template: "https://track.amazon.com/tracking/{tracking_number}",
		codes: ["amazon_shipping_us", "amazon_shipping", "amazon_shipping_uk", "amazon_buy_shipping"],
	},
];

/** Tracking pages of the built-in carriers by code. */
const KNOWN: ReadonlyMap<string, string> = new Map(
	CARRIERS.flatMap(({ template, codes }) => codes.map((code) => [code, template] as const)),
);

/** The first code of each built-in carrier, for messages. */
const KNOWN_CARRIERS = CARRIERS.map(({ codes: [first] }) => first).join(", ");

/** Normalizes a carrier's code: `Royal Mail` and `royal-mail` become `royal_mail`. */
const codeOf = (text: string): string =>
	text
		.trim()
		.toLowerCase()
		.replace(/[\s./-]+/g, "_");

export interface TrackingUrls {
	/** The address at which a parcel can be tracked; null without a number or a known page. */
	trackingUrl(carrierCode: string | null, trackingNumber: string | null): string | null;
	/** Why this code is probably a mistake, because no carrier has it; null: it is known. */
	wrongInCarrier(carrierCode: string): string | null;
}

/** `own`: the deployment's pages by code, with `{tracking_number}`; they override the built-in ones. Pure. */
export function createTrackingUrls(own: Readonly<Record<string, string>> = {}): TrackingUrls {
	const pages = new Map([...KNOWN, ...Object.entries(own).map(([code, page]) => [codeOf(code), page] as const)]);
	return {
		trackingUrl(carrierCode, trackingNumber) {
			const page = carrierCode === null ? undefined : pages.get(codeOf(carrierCode));
			const number = trackingNumber?.trim() ?? "";
			return page === undefined || number === "" ? null : fillTemplate(page, number.toWellFormed());
		},
		wrongInCarrier(carrierCode) {
			if (pages.has(codeOf(carrierCode))) return null;
			const meant = meantBy(codeOf(carrierCode), [...pages.keys()]);
			const advice =
				meant === null ? `the known ones are ${KNOWN_CARRIERS}.` : `did you mean ${JSON.stringify(meant)}?`;
			return `there is no tracking page for carrier ${JSON.stringify(carrierCode)}: ${advice}`;
		},
	};
}

/**
 * The known code that an unknown one resembles; null: none. A code that begins with that of a known carrier is not
 * mistaken for the code of the same carrier in another country: `dhl_express_de` is `dhl_express`, not
 * `dhl_express_uk`.
 */
function meantBy(code: string, known: readonly string[]): string | null {
	const begun = known.filter((one) => code.startsWith(`${one}_`));
	const [carrier] = begun.toSorted((a, b) => b.length - a.length);
	if (carrier === undefined) return nearest(code, known);
	const start = `${carrier}_`;
	const services = known.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length));
	const service = nearest(code.slice(start.length), services);
	return service === null ? carrier : `${start}${service}`;
}
