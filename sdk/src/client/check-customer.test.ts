import { expect, it } from "vitest";
import { COUNTRIES as OF_SERVICE } from "../../../service/src/inventory/orders/customer.ts";
import { createFakeHoldfast } from "../testing/index.ts";
import { COUNTRIES } from "../wire/__generated__/countries.ts";
import { checkCustomer } from "./check-customer.ts";
import type { HoldfastError } from "./errors.ts";
import { Holdfast } from "./holdfast.ts";
import type { Customer } from "./types.ts";

const SHIP_TO = { line1: "1 Main Street", city: "Berlin", postalCode: "10115", country: "DE" };
const LONG = "ä".repeat(200);
const to = (change: object, more: object = {}): Customer => ({
	name: "Ada",
	...more,
	shipTo: { ...SHIP_TO, ...change },
});

const CUSTOMERS: readonly (readonly [what: string, customer: Customer])[] = [
	["a whole one", to({})],
	["with all lines", to({ name: "Bo", company: "C", line2: "2", state: "BE" }, { email: "no address", phone: "1" })],
	["of the longest lines", to({ city: LONG, line1: "😀".repeat(200) }, { name: LONG })],
	["of no country that exists", to({ country: "XX" })],
	["of a country in small letters", to({ country: "de" })],
	["of an empty country", to({ country: "" })],
	["in the US without a state", to({ country: "US" })],
	["in Canada with a blank state", to({ country: "CA", state: " \t" })],
	["in Australia with a state", to({ country: "AU", state: "NSW" })],
	["with an empty state", to({ state: "" })],
	["without a name", to({}, { name: undefined })],
	["with an empty name", to({}, { name: "" })],
	["with an empty e-mail address", to({}, { email: "" })],
	["with a name that is too long", to({}, { name: `${LONG}x` })],
	["without a street", to({ line1: undefined })],
	["without a city", to({ city: "" })],
	["with a postal code that is a number", to({ postalCode: 10115 })],
	["without a postal code", to({ postalCode: undefined })],
	["with a second line that is null", to({ line2: null })],
	["with NUL in its company", to({ company: "a\0" })],
	["with half a character", to({ city: "\ud800" })],
	["with a member too many", to({}, { id: 7 })],
	["with a member too many in its address", to({ addressId: 3 })],
	["with a member that has no value", to({ id: undefined }, { id: undefined })],
];

const problemOf = (error: unknown): string[] => {
	const { code, message } = error as HoldfastError;
	return [code, message.split(":")[0] ?? ""];
};

it.each(CUSTOMERS)(
	"A customer %s is refused before the charge as the order would be after it",
	async (_what, customer) => {
		const fake = createFakeHoldfast({ world: { stock: { A: 5 } } });
		const { fetch, clock, token } = fake;
		const holdfast = new Holdfast({ baseUrl: "https://api.holdfast.test", token, fetch, clock });
		const hold = await holdfast.reserve({ items: [{ sku: "A", qty: 1 }] });
		const placed = await holdfast.orders.place({ token: hold.token, customer }).then(() => null, problemOf);
		let checked: string[] | null = null;
		try {
			checkCustomer(customer);
		} catch (error) {
			checked = problemOf(error);
		}
		expect(checked).toEqual(placed);
	},
);

it("Its countries are the service's", () => {
	expect(COUNTRIES.split(" ")).toEqual([...OF_SERVICE]);
});
