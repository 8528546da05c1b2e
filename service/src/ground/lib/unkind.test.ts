import { describe, expect, it } from "vitest";
import { newRequestId } from "./ids.ts";
import { UNKIND_LIMIT, UNKIND_RETRY, unkindKindOf, wasUnkind } from "./unkind.ts";

const idOf = (digits: number): string => `req_68bc2ac0ffffffff${digits.toString(16).padStart(8, "0")}`;

describe("The unkind answer to a request", () => {
	it.each([
		[0, "retry"],
		[20, "rate_limited"],
		[40, "new_field"],
		[60, "retry"],
		[1, null],
		[19, null],
		[21, null],
		[0xfffffff0, "retry"],
		[0xffffffff, null],
	] as const)("follows from the last digits of its id: %d is %s", (digits, kind) => {
		expect(unkindKindOf(idOf(digits))).toBe(kind);
	});

	it("is the same for the same id, and none for a text that is no id", () => {
		expect(unkindKindOf(idOf(20))).toBe(unkindKindOf(idOf(20)));
		expect([unkindKindOf(""), unkindKindOf("req_without_digits_zz")]).toEqual([null, null]);
	});

	it("is given to one in twenty of 2,000 ids, a third of each kind", () => {
		const kinds = Array.from({ length: 2_000 }, (_none, digits) => unkindKindOf(idOf(digits)));
		const count = (kind: string): number => kinds.filter((one) => one === kind).length;
		expect([count("retry"), count("rate_limited"), count("new_field")]).toEqual([34, 33, 33]);
	});

	it("is given to about as many of the ids that the gate makes", () => {
		const unkind = Array.from({ length: 20_000 }, () => unkindKindOf(newRequestId())).filter((one) => one !== null);
		expect(unkind.length).toBeGreaterThan(700); // 1,000 are to be expected, give or take 31
		expect(unkind.length).toBeLessThan(1_300);
	});
});

describe("A refusal in the log", () => {
	it.each([
		["with its message, of such an id", idOf(0), UNKIND_RETRY.message, true],
		["with the other message, of such an id", idOf(20), UNKIND_LIMIT.message, true],
		["with its message, of another id", idOf(1), UNKIND_RETRY.message, false],
		["with another message", idOf(0), "Again.", false],
		["without a message", idOf(0), null, false],
	] as const)("%s was an act of the hour, or not", (_name, id, message, was) => {
		expect(wasUnkind(id, message)).toBe(was);
	});
});
