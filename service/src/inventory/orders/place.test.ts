import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

/** How the hold reaches the state of each row. The hold is H, made by acme: 2 kits of 1 F0 and 2 F1 each. */
const HOLD = `
	L1 = 2 F0 arrive in ACME, good for 0 days
	L2 = 4 F1 arrive in ACME
	H = acme reserves 2 kit as r1`;
const BECOMES: { readonly [state: string]: string } = {
	unknown: "",
	active: HOLD,
	"active, a lot replaced": `${HOLD}
		L3 = 1 F0 arrive in shared
		quarantine 1 of L1 -> 1 moved, 1 replaced, 0 lost`,
	"active, a lot past its date, replaceable": `${HOLD}
		L3 = 9 F0 arrive in shared
		midnight strikes`,
	"active, impaired, some kits whole": `${HOLD}
		quarantine 1 of L1 -> 1 moved, 0 replaced, 1 lost`,
	"active, impaired, no kit whole and some units left": `${HOLD}
		quarantine 3 of L2 -> 3 moved, 0 replaced, 3 lost`,
	"active, a lot past its date, not replaceable": `${HOLD}
		midnight strikes`,
	"active, no units left": `${HOLD}
		destroy all of L2
		destroy all of L1`,
	expired: `${HOLD}
		30 min pass`,
	released: `${HOLD}
		acme releases H`,
	consumed: `${HOLD}
		acme consumes H as c1`,
	reversed: `${HOLD}
		acme consumes H as c1
		acme reverses c1`,
	"placed under this Idempotency-Key": `${HOLD}
		O = acme orders H as k1`,
	"placed under another one": `${HOLD}
		O = acme orders H as k9`,
	"placed under another one and cancelled": `${HOLD}
		O = acme orders H as k9
		cancel O`,
};

/** settlements, section 5, "Token x operation", the column of orders and confirm; the Idempotency-Key is k1. */
const TABLE: readonly (readonly [hold: string, answer: string])[] = [
	["unknown", "reservation_not_found"],
	["active", "P has 2 of L1, 4 of L2"],
	["active, a lot replaced", "P has 1 of L1, 4 of L2, 1 of L3"],
	["active, a lot past its date, replaceable", "P has 4 of L2, 2 of L3"],
	["active, impaired, some kits whole", "kit_incomplete"],
	["active, impaired, no kit whole and some units left", "reservation_empty"],
	["active, a lot past its date, not replaceable", "reservation_empty"],
	["active, no units left", "reservation_empty"],
	["expired", "reservation_expired"],
	["released", "reservation_gone"],
	["consumed", "reservation_used"],
	["reversed", "reservation_used"],
	["placed under this Idempotency-Key", "O, again"],
	["placed under another one", "reservation_used"],
	["placed under another one and cancelled", "reservation_used"],
];

describe.each(TABLE)("a hold that is %s", (state, answer) => {
	const known = state !== "unknown";
	it.each([
		["its key", "acme", answer],
		["another key of the partner", "acme2", known ? "reservation_forbidden" : "reservation_not_found"],
		["another partner", "bolt", "reservation_not_found"],
	])("is answered when %s places it", (_who, key, expected) => {
		const script = `${BECOMES[state]}
			P = ${key} orders H as k1 -> ${expected}`;
		expect(play(script)).toBe(asWritten(script));
	});
});

const rules = (title: string, script: string): void =>
	it(title, () => {
		expect(play(script)).toBe(asWritten(script));
	});

describe("an Idempotency-Key", () => {
	rules(
		"names one order of one key, whatever became of it",
		`L = 9 F0 arrive in ACME
		 H = acme reserves 1 one
		 I = acme reserves 1 one
		 J = acme2 reserves 1 one
		 O = acme orders H as k1 -> O has 1 of L
		 acme orders I as k1 -> idempotency_mismatch
		 acme orders Nothing as k1 -> idempotency_mismatch
		 P = acme2 orders J as k1 -> P has 1 of L
		 cancel O -> cancelled
		 acme orders I as k1 -> idempotency_mismatch
		 acme orders H as k1 -> O, again
		 acme orders I as k2 -> O has 1 of L`,
	);
	rules(
		"is bound by a success alone",
		`L = 2 F0 arrive in ACME
		 H = acme reserves 1 one
		 I = acme reserves 1 one
		 30 min pass
		 acme orders H as k1 -> reservation_expired
		 J = acme reserves 1 one
		 O = acme orders J as k1 -> O has 1 of L`,
	);
});

describe("an order that was placed", () => {
	rules(
		"has its units allocated and waits in a box of its own, of which nobody is told",
		`L = 5 F0 arrive in ACME
		 H = acme reserves 3 one
		 O = acme orders H as k1 -> O has 3 of L
		 L has -> 2 available, 3 allocated
		 H is -> placed
		 order O is -> placed
		 boxes of O -> awaiting_shipment
		 told of O -> nothing`,
	);
	rules(
		"outlives the end of its hold",
		`L = 5 F0 arrive in ACME
		 H = acme reserves 3 one
		 O = acme orders H as k1
		 31 min pass
		 H is swept -> not expired
		 L has -> 2 available, 3 allocated`,
	);
	rules(
		"is as it was answered, also where a lot past its date was replaced in placing it",
		`L = 2 F0 arrive in ACME, good for 0 days
		 M = 2 F0 arrive in shared
		 H = acme reserves 2 one
		 midnight strikes
		 O = acme orders H as k1 -> O has 2 of M
		 version of O -> 1
		 boxes of O -> awaiting_shipment`,
	);
});
