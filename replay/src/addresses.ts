import type { Order } from "./orders.ts";

/** The parts of an order's customer that the replay sends (settlements, section 6). */
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

/** The countries of the file by their ISO 3166 codes. Channel Islands: Jersey, the larger of them. */
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
/** Countries whose addresses need a state (settlements, section 6), and one of theirs. */
const STATES: Readonly<Record<string, string>> = { AU: "NSW", CA: "ON", US: "OR" };
/** A country that the list does not know is written as the file's own. */
const HOME = "GB";

/**
 * Who gets the goods. A customer of the file has one address, so that their orders can share a box; an invoice without
 * a customer has one of its own.
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
