import { expect, it } from "vitest";
import { cancelStep, combineStep, type LabelPush, type PushState } from "./push-state.ts";

const push = (state: PushState): LabelPush => ({ orderId: "o", generation: 1, state, platformId: "se-1" });

it.for<[PushState, string]>([
	["wanted", "withdraw"],
	["under_way", "wait"],
	["taken", "ask"],
	["address_refused", "free"],
	["refused", "free"],
	["withdrawn", "free"],
])("to cancel an order whose push is %s: %s", ([state, step]) => {
	expect(cancelStep(push(state))).toBe(step);
});

it("an order that was never to be handed over is cancelled freely", () => {
	expect(cancelStep(null)).toBe("free");
});

it.for<[(PushState | null)[], string]>([
	[["wanted", "wanted"], "free"],
	[[null, null], "free"],
	[["taken", "taken", "taken"], "ask"],
	[["taken", "wanted"], "wait"],
	[["under_way", "wanted"], "wait"],
	[["taken", "withdrawn"], "wait"],
	[["address_refused", "wanted"], "wait"],
])("to combine orders whose pushes are %j: %s", ([states, step]) => {
	expect(combineStep(states.map((state) => (state === null ? null : push(state))))).toBe(step);
});
