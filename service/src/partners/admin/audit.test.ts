import { expect, it } from "vitest";
import { newSk } from "../keys/token.ts";
import { isRecorded, masked } from "./audit.ts";

it("a secret never reaches the audit log, however deep it stands", () => {
	const body = { name: "ci", password: "hunter2", nested: [{ token: "t", code: 1 }, "plain"], units: 3 };
	expect(masked(body)).toEqual({
		name: "ci",
		password: "***",
		nested: [{ token: "***", code: 1 }, "plain"],
		units: 3,
	});
	expect(masked(null)).toBe(null);
});

it("nor does the secret of a key in a field that is for something else", () => {
	const token = `pk_hf_live_x:${newSk("live")}`;
	expect(masked({ key: token, keys: [{ name: token }] })).toEqual({
		key: "pk_hf_live_x:sk_hf_live_***",
		keys: [{ name: "pk_hf_live_x:sk_hf_live_***" }],
	});
});

it.each([
	["forbidden", true],
	["not_possible_now", true],
	["idempotency_conflict", true],
	["changed_meanwhile", true],
	["unauthorized", true],
	["not_found", false],
	["invalid_input", false],
	["rate_limited", false],
] as const)("a write refused with %s leaves a row: %s", (code, recorded) => expect(isRecorded(code)).toBe(recorded));
