import type { Order } from "./orders.ts";

/** The fields of an order's customer that the replay sends (settlements, section 6). */
export interface CustomerSent {
	readonly name: string;
	readonly email?: string;
	readonly ship_to: {
		readonly line1: string;
		readonly city: string;
		readonly state?: string;
		readonly postal_code: string;
		readonly country: string;
	};
}

/** The file's countries by ISO 3166 code. Channel Islands: Jersey, the larger of them. */
const COUNTRIES: Readonly<Record<string, string>> = {
	Australia: "AU",
	Austria: "AT",
	Bahrain: "BH",
	Belgium: "BE",
	Brazil: "BR",
	Canada: "CA",
	"Channel Islands": "JE",
	Cyprus: "CY",
	"Czech Republic": "CZ",
	Denmark: "DK",
	EIRE: "IE",
	Finland: "FI",
	France: "FR",
	Germany: "DE",
	Greece: "GR",
	"Hong Kong": "HK",
	Iceland: "IS",
	Israel: "IL",
	Italy: "IT",
	Japan: "JP",
	Lebanon: "LB",
	Lithuania: "LT",
	Malta: "MT",
	Netherlands: "NL",
	Norway: "NO",
	Poland: "PL",
	Portugal: "PT",
	RSA: "ZA",
	"Saudi Arabia": "SA",
	Singapore: "SG",
	Spain: "ES",
	Sweden: "SE",
	Switzerland: "CH",
	"United Arab Emirates": "AE",
	"United Kingdom": "GB",
	USA: "US",
};
/** Countries whose addresses need a state (settlements, section 6), with one of their states. */
const STATES: Readonly<Record<string, string>> = { AU: "NSW", CA: "ON", US: "OR" };
/** Unknown countries get the file's own. */
const HOME = "GB";

/**
 * The recipient. A customer of the file has one address, so that their orders can share a box; an invoice without a
 * customer has an address of its own.
 */
export function customerOf({
	customer,
	number,
	country,
}: Pick<Order, "customer" | "number" | "country">): CustomerSent {
	const who = customer === "" ? `Guest ${number}` : `Customer ${customer}`;
	const code = COUNTRIES[country] ?? HOME;
	const state = STATES[code];
	return {
		name: who,
		...(customer === "" ? {} : { email: `customer-${customer}@example.com` }),
		ship_to: {
			line1: `${who}, 1 High Street`,
			city: "Market Town",
			...(state === undefined ? {} : { state }),
			postal_code: customer === "" ? number : customer,
			country: code,
		},
	};
}
