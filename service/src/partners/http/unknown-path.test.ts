import { expect, it } from "vitest";
import { NOTHING_HERE, nothingHere } from "./unknown-path.ts";

const PATHS = [
	"/livez",
	"/hooks/shipstation/:secret",
	"/api/v1/reserve",
	"/api/v1/orders/:ref",
	"/api/v1/orders",
	"/api/versions",
].map((url) => ({ url, pattern: new RegExp(`^${url.replace(/:\w+/g, "[^/]+")}$`) }));

it.each([
	["/api/v1/reserve/", "/api/v1/reserve"],
	["//api//v1/reserve", "/api/v1/reserve"],
	["/api/v1/Reserve", "/api/v1/reserve"],
	["/reserve", "/api/v1/reserve"],
	["/v1/reserve", "/api/v1/reserve"],
	["/api/v1/orders/cart-1/", "/api/v1/orders/{ref}"],
	["/api/versions/", "/api/versions"],
])("%s: %s was meant", (asked, meant) => {
	expect(nothingHere(asked, PATHS)).toBe(
		`There is nothing at this path: did you mean ${meant}? /docs lists what there is.`,
	);
});

it.each(["/", "/nothing", "/hooks/shipstation/x/", "/livez/", "/api/v1/reserves", "/api/v1/orders/a/b/c"])(
	"%s: nobody can tell",
	(asked) => {
		expect(nothingHere(asked, PATHS)).toBe(NOTHING_HERE);
	},
);
