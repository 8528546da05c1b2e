import { expect, it } from "vitest";
import { refuse } from "../ground/lib/refusal.ts";
import type { Answer, Command } from "./commands.ts";
import { holdOutcome, keyOf } from "./hold-outcome.ts";

it.each([
	["reserve", { idempotent: false }, "made"],
	["reserve", { idempotent: true }, "replayed"],
	["reserve", refuse("no_inventory", "None."), null],
	["release", { ok: true, idempotent: false }, "released"],
	["release", { ok: true, idempotent: true }, null],
	["release", refuse("gone", "It expired."), null],
	["consume", { consumedUnits: 1, idempotent: false }, "consumed"],
	["consume", { consumedUnits: 1, idempotent: true }, null],
	["reverse", { returnedUnits: 1, idempotent: false }, "reversed"],
	["reverse", { returnedUnits: 1, idempotent: true }, null],
	["place", { orderId: "o", record: {} }, "placed"],
	["place", { orderId: "o", record: null }, null],
	["expire", { expired: true, endedFor: "k" }, "expired"],
	["expire", { expired: true, endedFor: null }, null],
	["expire", { expired: false, endedFor: null }, null],
	["receive", { fgId: "l" }, null],
])("%s answered %j counts as %s", (kind, answer, outcome) => {
	expect(holdOutcome({ kind } as Command, answer as unknown as Answer)).toBe(outcome);
});

it.each([
	[{ kind: "reserve", caller: { keyId: "k" } }, { idempotent: false }, "k"],
	[{ kind: "release", caller: null }, { ok: true }, null],
	[{ kind: "expire" }, { expired: true, endedFor: "k" }, "k"],
	[{ kind: "receive" }, { fgId: "l" }, null],
])("%j answered %j concerns a hold of %s", (command, answer, keyId) => {
	expect(keyOf(command as unknown as Command, answer as unknown as Answer)).toBe(keyId);
});
