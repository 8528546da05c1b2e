import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

/** How the hold reaches the state of each row. The hold is H, made by acme for 4 units under r1. */
const HOLD = `
	L1 = 4 F0 arrive in ACME, good for 0 days
	L2 = 2 F0 arrive in ACME as batch other
	H = acme reserves 4 one as r1`;
const BECOMES: { readonly [state: string]: string } = {
	unknown: "",
	active: HOLD,
	"active, a lot replaced": `${HOLD}
		quarantine 2 of L1 -> 2 moved, 2 replaced, 0 lost`,
	"active, impaired, some kits whole": `${HOLD}
		quarantine 3 of L1 -> 3 moved, 2 replaced, 1 lost`,
	"active, no units left": `${HOLD}
		destroy all of L2 -> 2 moved, 0 replaced, 0 lost
		destroy all of L1 -> 4 moved, 0 replaced, 4 lost`,
	"active, a lot past its date, replaceable": `${HOLD}
		L3 = 9 F0 arrive in shared
		midnight strikes`,
	"active, a lot past its date, not replaceable": `${HOLD}
		midnight strikes`,
	expired: `${HOLD}
		30 min pass`,
	released: `${HOLD}
		acme releases H`,
	"consumed under c1": `${HOLD}
		acme consumes H as c1`,
	"consumed under another ref": `${HOLD}
		acme consumes H as c9`,
	"consumed under c1 and reversed": `${HOLD}
		acme consumes H as c1
		acme reverses c1`,
	placed: `${HOLD}
		H becomes an order`,
};

/** settlements, section 5, "Token x operation"; consume is under c1. */
const TABLE: readonly (readonly [hold: keyof typeof BECOMES, release: string, consume: string])[] = [
	["unknown", "not_found", "not_found"],
	["active", "ok", "4 consumed"],
	["active, a lot replaced", "ok", "4 consumed"],
	["active, impaired, some kits whole", "ok", "wrong_state"],
	["active, no units left", "ok", "wrong_state"],
	["active, a lot past its date, replaceable", "ok", "4 consumed"],
	["active, a lot past its date, not replaceable", "ok", "wrong_state"],
	["expired", "gone", "wrong_state"],
	["released", "ok", "wrong_state"],
	["consumed under c1", "gone", "4 consumed, again"],
	["consumed under another ref", "gone", "wrong_state"],
	["consumed under c1 and reversed", "gone", "wrong_state"],
	["placed", "gone", "wrong_state"],
];

describe.each(TABLE)("a hold that is %s", (state, release, consume) => {
	it.each([
		["release", "acme releases H", release],
		["consume", "acme consumes H as c1", consume],
		["release by another key of the partner", "acme2 releases H", "not_found"],
		["consume by another key of the partner", "acme2 consumes H as c1", "not_found"],
		["release by another partner", "bolt releases H", "not_found"],
		["consume by another partner", "bolt consumes H as c1", "not_found"],
	])("answers %s as the table says", (_operation, event, answer) => {
		const script = `${BECOMES[state]}
			${event} -> ${answer}`;
		expect(play(script)).toBe(asWritten(script));
	});
});

const RULES: { readonly [rule: string]: string } = {
	"release frees the units, once": `${HOLD}
		acme releases H -> ok
		L1 has          -> 4 available
		acme releases H -> ok
		L1 has          -> 4 available`,
	"release of an impaired hold frees what is left": `${HOLD}
		quarantine 3 of L1 -> 3 moved, 2 replaced, 1 lost
		acme releases H    -> ok
		L1 has             -> 1 available, 3 quarantined
		L2 has             -> 2 available`,
	"a consumed unit leaves the lot's stock; a repeat moves nothing": `${HOLD}
		acme consumes H as c1 -> 4 consumed
		L1 has                -> 4 consumed
		acme consumes H as c1 -> 4 consumed, again
		L1 has                -> 4 consumed`,
	"consume judges the token first, then a reference used for another hold": `${HOLD}
		J = acme reserves 2 one
		acme consumes H as c1 -> 4 consumed
		acme consumes J as c1 -> invalid_input
		L2 has                -> 2 held
		acme releases J       -> ok
		acme consumes J as c1 -> wrong_state`,
	"a reference is used up for good, also when its consume was reversed": `${HOLD}
		J = acme reserves 2 one
		acme consumes H as c1 -> 4 consumed
		acme reverses c1      -> 4 returned
		acme consumes J as c1 -> invalid_input
		acme consumes J as c2 -> 2 consumed`,
	"two keys may consume under the same reference": `${HOLD}
		J = acme2 reserves 2 one
		acme consumes H as c1  -> 4 consumed
		acme2 consumes J as c1 -> 2 consumed
		acme2 reverses c1      -> 2 returned
		L1 has                 -> 4 consumed`,
	"a replaced unit is consumed from where it was picked again": `${HOLD}
		quarantine 1 of L1    -> 1 moved, 1 replaced, 0 lost
		acme consumes H as c1 -> 4 consumed
		L1 has                -> 3 consumed, 1 quarantined
		L2 has                -> 1 available, 1 consumed`,
	"a lot past its date is picked again when the hold is used, whatever is promised": `${HOLD}
		L3 = 3 F0 arrive in shared
		3 F0 of shared are promised
		midnight strikes
		acme consumes H as c1 -> 4 consumed
		L1 has                -> 4 available
		L2 has                -> 2 consumed
		L3 has                -> 1 available, 2 consumed`,
	"reverse gives units back to the lots they came from, out of date or not, and answers a repeat alike": `${HOLD}
		acme consumes H as c1 -> 4 consumed
		1 day pass
		acme reverses c1      -> 4 returned
		L1 has                -> 4 available
		acme counts one       -> available 2, atp 2, promised 0, backorder 0
		acme reverses c1      -> 4 returned, again
		L1 has                -> 4 available
		H is                  -> reversed`,
	"reverse knows the references of consumes alone, and its own key's": `${HOLD}
		acme reverses r1      -> not_consumed
		acme reverses c1      -> not_found
		acme consumes H as c1 -> 4 consumed
		acme reverses r1      -> not_consumed
		acme2 reverses c1     -> not_found
		acme2 reverses r1     -> not_found`,
	"reverse of a hold that became an order is refused": `${HOLD}
		H becomes an order
		acme reverses r1 -> not_reversible`,
	"a hold lapses at its end, not before": `${HOLD}
		29 min pass
		H is swept -> not expired
		1 min pass
		H is swept -> expired
		L1 has     -> 4 available`,
	"a hold of which a part was freed at its end is over, also when the clock steps back: its units are not sold twice": `
		L1 = 2 F0 arrive in ACME, good for 0 days
		L2 = 3 F0 arrive in ACME as batch other
		H = acme reserves 4 one as r1
		a part of H lapses and the clock steps back
		acme consumes H as c1 -> wrong_state
		L1 has                -> 2 available
		L2 has                -> 3 available
		H is                  -> expired`,
	"nor is one of which every part was freed consumed with nothing in it": `
		L1 = 4 F0 arrive in ACME
		H = acme reserves 4 one as r1
		a part of H lapses and the clock steps back
		J = bolt reserves 4 one@ACME -> brand_mismatch
		K = acme2 reserves 4 one
		acme consumes H as c1  -> wrong_state
		acme releases H        -> gone
		acme2 consumes K as c1 -> 4 consumed
		L1 has                 -> 4 consumed`,
	"the reference of a hold that ended so is free again": `
		L1 = 4 F0 arrive in ACME
		H = acme reserves 4 one as r1
		a part of H lapses and the clock steps back
		J = acme reserves 4 one as r1
		acme consumes J as c1  -> 4 consumed`,
	"the sweep leaves what is over alone": `${HOLD}
		acme consumes H as c1 -> 4 consumed
		30 min pass
		H is swept            -> not expired
		L1 has                -> 4 consumed`,
};

describe("release, consume, reverse and time", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
