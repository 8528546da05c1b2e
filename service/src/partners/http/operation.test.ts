import Type from "typebox";
import { expect, test } from "vitest";
import { refuse } from "../../ground/lib/refusal.ts";
import { type Gate, mount } from "./mount.ts";
import { type Operation, operation } from "./operation.ts";

const Thing = Type.Object({ units: Type.Integer(), refs: Type.Array(Type.String()) });
const Take = operation({
	id: "take",
	method: "POST",
	path: "/api/v1/take",
	scope: "atp.reserve",
	summary: "Take",
	description: "Takes.",
	body: Type.Object({ sku: Type.String(), qty: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
	replies: { 201: Thing },
	replyHeaders: { "Idempotent-Replayed": "true on a replay" },
	examples: {
		replies: { 201: { units: 1, refs: [] } },
		errors: { no_inventory: "Not enough stock.", retry: "Send the request again." },
	},
});
const Look = operation({
	id: "look",
	method: "GET",
	path: "/api/look",
	scope: null,
	summary: "Look",
	description: "Looks.",
	replies: { 200: Thing },
	examples: { replies: { 200: { units: 1, refs: [] } } },
});

const mounted: Operation[] = [];
const gate = { operations: mounted, add: (op: Operation) => mounted.push(op) } as unknown as Gate;
const thing = { units: 1, refs: ["a"] as readonly string[] };

test("answering an undeclared status, shape, header or code does not compile", () => {
	mount(gate, Take, ({ body, caller }) => {
		const sku: string = body.sku;
		const qty: number | undefined = body.qty;
		const pk: string = caller.pk;
		return sku === pk && qty === 1
			? refuse("no_inventory", "none left")
			: { status: 201, data: thing, headers: { "Idempotent-Replayed": "true" } };
	});
	mount(gate, Take, async () => refuse("invalid_input", "every operation may answer it"));
	mount(gate, Look, ({ caller, body }) => {
		const none: null = caller;
		const nothing: undefined = body;
		return { status: 200, data: { ...thing, units: none ?? nothing ?? 2 } };
	});
	// @ts-expect-error 200 is not declared
	mount(gate, Take, () => ({ status: 200, data: thing }));
	// @ts-expect-error gone is not declared
	mount(gate, Take, () => refuse("gone", "gone"));
	// @ts-expect-error nor when awaited
	mount(gate, Take, async () => refuse("gone", "gone"));
	// @ts-expect-error a field is missing
	mount(gate, Take, () => ({ status: 201, data: { units: 1 } }));
	// @ts-expect-error a field has another type
	mount(gate, Take, () => ({ status: 201, data: { units: "1", refs: [] } }));
	// @ts-expect-error the header is not declared
	mount(gate, Take, () => ({ status: 201, data: thing, headers: { "X-Other": "1" } }));
	// @ts-expect-error no header is declared
	mount(gate, Look, () => ({ status: 200, data: thing, headers: { "X-Other": "1" } }));
	// @ts-expect-error the body has no such field
	mount(gate, Take, ({ body }) => ({ status: 201, data: { ...thing, units: body.price } }));
	// @ts-expect-error an operation without a key has no caller
	mount(gate, Look, ({ caller }) => ({ status: 200, data: { ...thing, units: caller.requestsPerMinute } }));
	expect(mounted.map((op) => op.id)).toContain("take");
});
