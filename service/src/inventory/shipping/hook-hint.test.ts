import { expect, it } from "vitest";
import { hintIn, isHookSecret } from "./hook-hint.ts";

const PLATFORM = "https://api.shipstation.example";
const body = (resource_url: unknown): string =>
	JSON.stringify({ resource_url, resource_type: "LABEL_CREATED_V2", data: { a: 1 } });

it.for([
	["/v2/labels/se-1", "/v2/labels/se-1"],
	["/v2/labels/se-1/track", "/v2/labels/se-1/track"],
	["/v2/fulfillments?shipment_id=se-9", "/v2/fulfillments?shipment_id=se-9"],
	["/v2/shipments/../labels/se-1", "/v2/labels/se-1"],
])("a resource of the platform's own is a hint: %s", ([path, hint]) => {
	expect(hintIn(body(PLATFORM + path), PLATFORM)).toBe(hint);
});

it("a platform whose address has a path of its own is asked below it", () => {
	expect(hintIn(body(`${PLATFORM}/proxy/v2/labels/se-1`), `${PLATFORM}/proxy`)).toBe("/v2/labels/se-1");
	expect(hintIn(body(`${PLATFORM}/v2/labels/se-1`), `${PLATFORM}/proxy`)).toBeNull();
});

it.for([
	"https://evil.example/v2/labels/se-1",
	"http://api.shipstation.example/v2/labels/se-1",
	"https://api.shipstation.example:8443/v2/labels/se-1",
	"https://api.shipstation.example@evil.example/v2/labels/se-1",
	"https://api.shipstation.example.evil.example/v2/labels/se-1",
	"https://api.shipstation.example/v1/labels/se-1",
	`https://api.shipstation.example/v2/${"x".repeat(200)}`,
	"/v2/labels/se-1",
	"",
	7,
	null,
])("%j is no hint", (address) => {
	expect(hintIn(body(address), PLATFORM)).toBeNull();
});

it.for(["", "{", "null", "[]", "7", '{"resource_url":{}}'])("a body of %j is no hint", (text) => {
	expect(hintIn(text, PLATFORM)).toBeNull();
});

it("only the secret is the secret", () => {
	expect(isHookSecret("abc", "abc")).toBe(true);
	for (const other of ["", "ab", "abcd", "abC"]) expect(isHookSecret(other, "abc")).toBe(false);
});
