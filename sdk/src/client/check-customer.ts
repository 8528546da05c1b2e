import { COUNTRIES, WITH_STATES } from "../wire/__generated__/countries.ts";
import { snakeName } from "./camel.ts";
import { ownRefusal } from "./errors.ts";
import type { Customer } from "./types.ts";

/** Maximum number of code points in a line of an address (contract, orders). */
const MAX_LINE = 200;
const OF_CUSTOMER = { name: true, email: false, phone: false };
const OF_ADDRESS = {
	name: false,
	company: false,
	line1: true,
	line2: false,
	city: true,
	state: false,
	postal_code: true,
	country: true,
};
const MEMBERS: Readonly<Record<string, string>> = { postal_code: "postalCode" };

/**
 * The service's own rule for the customer of an order, without a request: call it before you charge. It does not check
 * whether an e-mail address, a postal code or the name of a state exists.
 *
 * @throws HoldfastError `invalid_customer`, naming the field as the service does
 */
export function checkCustomer(customer: Customer): void {
	const problem = problemOf(customer);
	if (problem !== undefined) throw ownRefusal("invalid_customer", `/customer${problem}`);
}

function problemOf(customer: Customer): string | undefined {
	const { shipTo } = customer;
	const wrong = wrongLine(customer, OF_CUSTOMER) ?? wrongLine(shipTo, OF_ADDRESS, "/ship_to");
	if (wrong !== undefined) return wrong;
	const { country, state = "" } = shipTo;
	if (!COUNTRIES.split(" ").includes(country)) {
		return `/ship_to/country: expected two capital letters of ISO 3166, such as US, not ${JSON.stringify(country)}.`;
	}
	if (WITH_STATES.split(" ").includes(country) && state.trim() === "") {
		return `/ship_to/state: required for addresses in ${country}.`;
	}
	return undefined;
}

/** What is wrong with the first line that is invalid. `fields`: whether each is required. */
function wrongLine(given: object, fields: Readonly<Record<string, boolean>>, at = ""): string | undefined {
	const lines = given as Readonly<Record<string, unknown>> | undefined;
	for (const [name, isRequired] of Object.entries(fields)) {
		const line = lines?.[MEMBERS[name] ?? name];
		if (line === undefined && !isRequired) continue;
		const length = typeof line === "string" ? [...line].length : 0;
		if (length === 0 || length > MAX_LINE || !/^[^\0\p{Cs}]*$/u.test(line as string)) {
			return `${at}/${name}: expected text of 1 to ${MAX_LINE} characters.`;
		}
	}
	const known = [...Object.keys(fields).map((name) => MEMBERS[name] ?? name), at === "" ? "shipTo" : ""];
	const other = Object.keys(lines ?? {}).find((name) => lines?.[name] !== undefined && !known.includes(name));
	return other === undefined ? undefined : `${at}/${snakeName(other)}: unknown field.`;
}
