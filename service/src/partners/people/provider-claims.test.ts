import { describe, expect, it } from "vitest";
import { readClaims } from "./provider-claims.ts";

const OF = { iss: "https://id.example.com", sub: "7" };
const person = (name: string, more: object = {}) => ({
	subject: "https://id.example.com 7",
	name,
	email: null,
	role: null,
	...more,
});

describe("the claims of a provider", () => {
	it.each<[what: string, claims: object, expected: object | null]>([
		["a name and a role", { preferred_username: "anna", role: "operator" }, person("anna", { role: "operator" })],
		[
			"several roles: the highest counts",
			{ preferred_username: "anna", role: ["staff", "viewer", "warehouse"] },
			person("anna", { role: "warehouse" }),
		],
		["a role that is none of ours", { preferred_username: "anna", role: "Admin" }, person("anna")],
		["a role of another kind", { preferred_username: "anna", role: { admin: true } }, person("anna")],
		[
			"an email address alone",
			{ email: "anna@example.com", role: "admin" },
			person("anna", { email: "anna@example.com", role: "admin" }),
		],
		[
			"a name that people cannot have",
			{ preferred_username: "anna <x>", email: "anna@example.com" },
			person("anna", { email: "anna@example.com" }),
		],
		["no name", { role: "admin" }, null],
		["a name that is too long", { preferred_username: "a".repeat(65) }, null],
	])("with %s", (_what, claims, expected) => {
		expect(readClaims({ ...OF, ...claims }, "role")).toEqual(expected);
	});
});
