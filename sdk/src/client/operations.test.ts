import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { API_DATE } from "../wire/__generated__/codes.ts";
import { API_PATH, envelopeOf, inputOf, OPERATIONS, type Operation, referenceOf } from "./operations.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
/** The deprecated form of an order, and a certificate's PDF, which is a link and needs no client. */
const LEFT_OUT = ["POST /api/v1/confirm", "GET /coa/file/{certificate_id}/{digest}"];

const operation = (name: string): Operation => {
	const found = OPERATIONS.find((one) => one.name === name);
	if (found === undefined) throw new Error(`There is no operation ${name}.`);
	return found;
};
const envelope = (name: string, ...given: unknown[]) => envelopeOf(operation(name), inputOf(operation(name), given)[0]);

const shapeOf = (place: string): string => place.replaceAll(/\{\w+\}/g, "{}");

async function documented(): Promise<string[]> {
	const all = await Promise.all(
		["partner", "coa"].map(async (surface) => {
			const text = await readFile(path.join(ROOT, "openapi", surface, `${API_DATE}.json`), "utf8");
			const { paths } = JSON.parse(text) as { readonly paths: Readonly<Record<string, object>> };
			return Object.entries(paths).flatMap(([at, methods]) =>
				Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`),
			);
		}),
	);
	return all.flat();
}

describe("The table of operations", () => {
	it("has every operation of the documents, and no other", async () => {
		const rows = new Set(
			OPERATIONS.map(({ method, path: at }) => {
				const whole = at.startsWith("coa:") || at.startsWith("/api/") ? at.replace("coa:", "") : API_PATH + at;
				return `${method} ${shapeOf(whole)}`;
			}),
		);
		const all = await documented();
		expect(all.filter((one) => !rows.has(shapeOf(one)) && !LEFT_OUT.includes(one))).toEqual([]);
		const shapes = new Set(all.map(shapeOf));
		expect([...rows].filter((row) => !shapes.has(row))).toEqual([]);
	});

	it("names each operation once, and repeats no command that it may do twice", () => {
		expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
		expect(OPERATIONS.filter(({ method, repeat }) => method === "GET" && repeat !== "read")).toEqual([]);
		const same = OPERATIONS.filter(({ repeat }) => repeat === "same").map(({ name }) => name);
		expect(same.toSorted()).toEqual([
			"consume",
			"orders.cancel",
			"orders.place",
			"prepaid.push",
			"release",
			"reserve",
			"reverse",
			"sandbox.restock",
			"sandbox.shown",
			"webhookEndpoints.update",
		]);
	});
});

describe("Arguments become requests", () => {
	const since = new Date("2026-09-06T12:00:00.000Z");
	it.for([
		[
			"check",
			[[{ sku: "A", qty: 1, brandCode: "B" }]],
			"/api/v1/check",
			{ items: [{ sku: "A", qty: 1, brand_code: "B" }] },
		],
		["release", ["t-1"], "/api/v1/release", { reservation_token: "t-1" }],
		[
			"consume",
			[{ token: "t-1", externalRef: "r" }],
			"/api/v1/consume",
			{ reservation_token: "t-1", external_ref: "r" },
		],
		["reverse", [{ externalRef: "r" }], "/api/v1/consume/reverse", { external_ref: "r" }],
		["holds.get", ["t-1"], "/api/v1/holds/t-1", undefined],
		["holds.find", [{ externalRef: "a b" }], "/api/v1/holds?external_ref=a+b", undefined],
		["orders.get", ["cart/1?&#"], "/api/v1/orders/cart%2F1%3F%26%23", undefined],
		["orders.cancel", ["cart-1"], "/api/v1/orders/cart-1/cancel", {}],
		["orders.cancel", ["cart-1", { reason: "x" }], "/api/v1/orders/cart-1/cancel", { reason: "x" }],
		[
			"shipments.list",
			[{ modifiedSince: since, limit: 5 }],
			"/api/v1/shipments?modified_since=2026-09-06T12%3A00%3A00.000Z&limit=5",
			undefined,
		],
		[
			"shipments.combine",
			[["a", "b"], { primaryRef: "b" }],
			"/api/v1/shipments/combine",
			{ order_refs: ["a", "b"], primary_ref: "b" },
		],
		["products.list", [], "/api/v1/products", undefined],
		["versions.list", [], "/api/versions", undefined],
		["keys.introspect", ["pk:sk"], "/api/v1/keys/introspect", { token: "pk:sk" }],
		[
			"coa.list",
			[{ status: "all", product: ["a", "b"] }],
			"/api/partner/v1/coa?status=all&product=a&product=b",
			undefined,
		],
		["coa.csv", [{ status: "all" }], "/api/partner/v1/coa?status=all&format=csv", undefined],
		["coa.lot", ["C-2611"], "/api/partner/v1/coa/lot/C-2611", undefined],
		["coa.lookup", ["C 2611"], "/coa/lookup?lot=C+2611", undefined],
		[
			"webhookEndpoints.rotateSecret",
			["e-1", { overlapHours: 1 }],
			"/api/v1/webhook-endpoints/e-1/rotate-secret",
			{ overlap_hours: 1 },
		],
		["webhookEndpoints.test", ["e-1"], "/api/v1/webhook-endpoints/e-1/test", undefined],
		[
			"webhookEndpoints.deliveries",
			["e-1", { status: "pending" }],
			"/api/v1/webhook-endpoints/e-1/deliveries?status=pending",
			undefined,
		],
		[
			"sandbox.advance",
			[{ token: "t-1", to: "expired" }],
			"/api/v1/sandbox/advance",
			{ reservation_token: "t-1", to: "expired" },
		],
		["sandbox.restock", [], "/api/v1/sandbox/restock", undefined],
		["sandbox.drill", ["messages"], "/api/v1/sandbox/golive/drill", { what: "messages" }],
	] as const)("%s(%j) asks for %s", ([name, given, at, body]) => {
		const { body: sent, ...rest } = envelope(name, ...given);
		expect(rest).toEqual({ at, idempotencyKey: undefined });
		expect(sent === undefined ? undefined : JSON.parse(sent)).toEqual(body);
	});

	it("an order's key travels as a header, and the rest in the contract's names", () => {
		const customer = { name: "Ada", shipTo: { line1: "1 Main", postalCode: "97201", city: "P", country: "US" } };
		const { at, body, idempotencyKey } = envelope("orders.place", { token: "t-1", idempotencyKey: "cart-1", customer });
		expect([at, idempotencyKey]).toEqual(["/api/v1/orders", "cart-1"]);
		expect(JSON.parse(body ?? "")).toEqual({
			reservation_token: "t-1",
			customer: { name: "Ada", ship_to: { line1: "1 Main", postal_code: "97201", city: "P", country: "US" } },
		});
	});

	it("a reserve without a reference and an order without a key get one of their own", () => {
		const [first] = inputOf(operation("reserve"), [{ items: [] }]);
		const [second] = inputOf(operation("reserve"), [{ items: [] }]);
		expect(first.externalRef).toMatch(/^kit-[0-9a-f-]{36}$/);
		expect(second.externalRef).not.toBe(first.externalRef);
		expect(inputOf(operation("reserve"), [{ externalRef: "mine" }])[0].externalRef).toBe("mine");
		expect(inputOf(operation("orders.place"), [{ token: "t" }])[0].idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
	});

	it.for(["", ".", "..", undefined])("%j cannot stand in a path", (ref) => {
		expect(() => envelope("orders.cancel", ref)).toThrow(TypeError);
	});

	it("the options of a request come after its arguments", () => {
		const signal = AbortSignal.abort();
		expect(inputOf(operation("versions.list"), [{ signal }])[1]).toEqual({ signal });
		expect(inputOf(operation("orders.cancel"), ["r", {}, { signal }])[1]).toEqual({ signal });
		expect(inputOf(operation("products.list"), [])[1]).toEqual({});
	});

	it.for([
		["reserve", [{ externalRef: "cart-1" }], "cart-1"],
		["orders.place", [{ token: "t-1", idempotencyKey: "cart-1" }], "cart-1"],
		["consume", [{ token: "t-1", externalRef: "cart-1" }], "t-1"],
		["reverse", [{ externalRef: "cart-1" }], "cart-1"],
		["release", ["t-1"], "t-1"],
		["orders.cancel", ["cart-1"], "cart-1"],
		["sandbox.advance", [{ orderRef: "cart-1", to: "picked" }], "cart-1"],
		["webhookEndpoints.delete", ["e-1"], "e-1"],
		["sandbox.restock", [], null],
	] as const)("whoever does not know what became of %s(%j) asks for %s", ([name, given, reference]) => {
		expect(referenceOf(inputOf(operation(name), given)[0])).toBe(reference);
	});
});
