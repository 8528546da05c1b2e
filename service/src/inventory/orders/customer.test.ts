import { describe, expect, it } from "vitest";
import { COUNTRIES, refuseCustomer, WITH_STATES } from "./customer.ts";

const at = (country: string, state?: string) =>
	refuseCustomer({
		name: "Ada",
		ship_to: { line1: "1", city: "C", postal_code: "1", country, ...(state === undefined ? {} : { state }) },
	});
const fieldOf = (country: string, state?: string): string | undefined => at(country, state)?.message.split(":")[0];

describe("a country", () => {
	it("is one of ISO 3166, in capitals", () => {
		for (const country of ["DE", "AT", "JP", "BR"]) expect(at(country)).toBeUndefined();
		for (const country of ["XX", "us", "U", "ZZ", "  ", "UK"]) {
			expect([at(country)?.refusal, fieldOf(country)]).toEqual(["invalid_customer", "/customer/ship_to/country"]);
		}
		expect(COUNTRIES.size).toBe(249); // as ISO 3166-1 has them
	});
});

describe("a state", () => {
	it("is required for the US, Canada and Australia, and there alone", () => {
		expect([...WITH_STATES].sort()).toEqual(["AU", "CA", "US"]);
		for (const country of COUNTRIES) {
			expect(fieldOf(country), country).toBe(WITH_STATES.has(country) ? "/customer/ship_to/state" : undefined);
			expect(at(country, "S")).toBeUndefined();
		}
	});
	it("is missing when it is white space", () => {
		expect(fieldOf("US", " \t ")).toBe("/customer/ship_to/state");
	});
});
