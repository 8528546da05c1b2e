import { type Refusal, refuse } from "../../ground/lib/refusal.ts";
import { COUNTRIES, WITH_STATES } from "./countries.ts";
import type { Customer } from "./order.ts";

/** What no schema says of a customer: is there such a country, and does it need a state? (settlements, section 6) */
export function refuseCustomer({ ship_to: { country, state } }: Customer): Refusal<"invalid_customer"> | undefined {
	if (!COUNTRIES.has(country)) {
		return refuse(
			"invalid_customer",
			`/customer/ship_to/country: expected two capital letters of ISO 3166, such as US, not ${JSON.stringify(country)}.`,
		);
	}
	if (WITH_STATES.has(country) && (state ?? "").trim() === "") {
		return refuse("invalid_customer", `/customer/ship_to/state: required for addresses in ${country}.`);
	}
	return undefined;
}
