import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

/** The events that a hold's partner is sent about units that it loses. */
const RULES: { readonly [rule: string]: string } = {
	"how many of its kits are whole": `
		L1 = 2 F0 arrive in ACME, good for 5 days
		L2 = 1 F0 arrive in ACME
		H = acme reserves 3 one
		recall L1 -> 2 moved, 0 replaced, 2 lost
		told of H -> 1 of 3 left`,
	"nothing, if everything was replaced": `
		L1 = 2 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		recall L1 -> 2 moved, 2 replaced, 0 lost
		told of H -> nothing`,
	"of every line, also of those that lost nothing": `
		L1 = 1 F0 arrive in ACME
		L2 = 9 F1 arrive in ACME
		H = acme reserves 2 pair + 1 kit
		recall L1 -> 1 moved, 0 replaced, 1 lost
		told of H -> 2 of 2 left and 0 of 1 left`,
	"again, when it loses more": `
		L1 = 2 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 4 one
		recall L1         -> 2 moved, 0 replaced, 2 lost
		quarantine 1 of L2 -> 1 moved, 0 replaced, 1 lost
		told of H         -> 2 of 4 left, 1 of 4 left`,
	"nothing more, if what it loses later is replaced": `
		L1 = 1 F0 arrive in ACME, good for 5 days
		L2 = 1 F0 arrive in ACME, good for 6 days
		H = acme reserves 2 one
		recall L1 -> 1 moved, 0 replaced, 1 lost
		L3 = 1 F0 arrive in ACME
		recall L2 -> 1 moved, 1 replaced, 0 lost
		told of H -> 1 of 2 left`,
	"nothing of what it is given back": `
		L1 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		quarantine all of L1 -> 2 moved, 0 replaced, 2 lost
		restore 1 of L1      -> 1 moved, 0 replaced, 0 lost
		told of H            -> 0 of 2 left`,
	"when it is used after one of its lots has expired": `
		L1 = 2 F0 arrive in ACME, good for 0 days
		H = acme reserves 2 one for 1440 min
		midnight strikes
		told of H              -> nothing
		acme consumes H as c   -> wrong_state
		acme consumes H as c   -> wrong_state
		told of H              -> 0 of 2 left`,
	"once each, if several holds lose at once": `
		L1 = 4 F0 arrive in ACME
		H = acme reserves 2 one
		I = acme reserves 2 one
		recall L1 -> 4 moved, 0 replaced, 4 lost
		told of H -> 0 of 2 left
		told of I -> 0 of 2 left`,
	"nothing of a hold that is over": `
		L1 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		acme releases H -> ok
		recall L1       -> 2 moved, 0 replaced, 0 lost
		told of H       -> nothing`,
	"nothing of a hold that is past its end": `
		L1 = 2 F0 arrive in ACME
		H = acme reserves 2 one for 30 min
		31 min pass
		recall L1 -> 2 moved, 0 replaced, 0 lost
		told of H -> nothing`,
};

describe("The partner of a hold is told", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
