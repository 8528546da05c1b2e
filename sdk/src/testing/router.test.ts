import { describe, expect, it } from "vitest";
import { find, mountOf } from "./router.ts";

const MOUNTS = [
	mountOf("/api/v1/orders/:ref", ["GET"], "get"),
	mountOf("/api/v1/orders/:ref/cancel", ["POST"], "cancel"),
	mountOf("/api/v1/orders", ["GET", "HEAD"], "list"),
	mountOf("/api/v1/orders", ["POST"], "place"),
	mountOf("/api/v1/orders/latest", ["GET"], "latest"),
];

describe("The router", () => {
	it.for([
		["GET", "/api/v1/orders", { route: "list", params: {} }],
		["POST", "/api/v1/orders", { route: "place", params: {} }],
		["GET", "/api/v1/orders/a%2Fb%20c", { route: "get", params: { ref: "a/b c" } }],
		["POST", "/api/v1/orders/a/cancel", { route: "cancel", params: { ref: "a" } }],
		["GET", "/api/v1/orders/latest", { route: "latest", params: {} }],
		["PUT", "/api/v1/orders", { allowed: ["GET", "HEAD", "POST"] }],
		["GET", "/api/v1/orders/", { allowed: [] }],
		["GET", "/api/v1/Orders", { allowed: [] }],
		["GET", `/api/v1/orders/${"x".repeat(1_001)}`, { allowed: [] }],
		["GET", "/api/v1/orders/%ff", { malformed: true }],
	] as const)("%s %s", ([method, path, expected]) => {
		expect(find(MOUNTS, path, method)).toEqual(expected);
	});
});
