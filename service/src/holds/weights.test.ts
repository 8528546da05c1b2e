import { describe, expect, it } from "vitest";
import { makeTown } from "../../test/model/town.ts";
import type { Answer, Command } from "./commands.ts";
import { createWeights } from "./weights.ts";

const town = makeTown("weights");
const caller = town.callers.acme;
const origin = { actor: "operator:test", requestId: null };

const consume = (token: string, externalRef: string): Command => ({
	kind: "consume",
	origin,
	caller,
	token,
	externalRef,
});
const reverse = (externalRef: string): Command => ({ kind: "reverse", origin, caller, externalRef });
const release = (token: string): Command => ({ kind: "release", origin, caller, token });
const reserve = (lines: number): Command => ({
	kind: "reserve",
	origin,
	caller,
	newToken: "unused",
	lines: Array.from({ length: lines }, () => ({ sku: "weights-one", qty: 1, brandCode: undefined })),
	ttlMinutes: 30,
	externalRef: null,
});
const held = (token: string, parts: number): Answer =>
	({ hold: { token, expiresAt: 0, lines: [], parts: Array.from({ length: parts }, () => ({})) } }) as unknown as Answer;

describe("the weight of a command", () => {
	it("is its lines for a reserve, and the parts of its hold for whatever ends a large one", () => {
		const weights = createWeights();
		expect(weights.weigh(reserve(100))).toBe(100);
		weights.note(reserve(100), held("large", 130));
		weights.note(reserve(1), held("small", 1));
		const ends = [release("large"), consume("large", "r"), release("small"), release("of another node")];
		expect(ends.map(weights.weigh)).toEqual([130, 130, 2, 2]);
	});

	it("of a reverse is that of the hold that was consumed under its reference", () => {
		const weights = createWeights();
		weights.note(reserve(100), held("large", 100));
		expect(weights.weigh(reverse("sale"))).toBe(2);
		weights.note(consume("large", "sale"), { consumedUnits: 100, idempotent: false });
		expect(weights.weigh(reverse("sale"))).toBe(100);
	});

	it("is remembered for a bounded number of holds, the latest", () => {
		const weights = createWeights();
		for (let n = 0; n <= 50_000; n++) weights.note(reserve(9), held(`hold ${n}`, 9));
		expect([weights.weigh(release("hold 0")), weights.weigh(release("hold 50000"))]).toEqual([2, 9]);
	});
});
