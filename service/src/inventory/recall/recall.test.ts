import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

const RULES: { readonly [rule: string]: string } = {
	"free units go into quarantine, and what a hold has is picked again elsewhere": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 9 F0 arrive in ACME
		H = acme reserves 3 one
		recall L1   -> 4 moved, 3 replaced, 0 lost
		H holds     -> 3 of L2
		L1 has      -> 4 quarantined`,
	"no unit goes from one lot of the recall to another": `
		L1 = 3 F0 arrive in ACME, good for 5 days
		L2 = 9 F0 arrive in ACME, good for 6 days
		L3 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		1 min pass
		J = acme reserves 1 one
		recall L1 and L2 -> 12 moved, 2 replaced, 1 lost
		H holds          -> 2 of L3
		J holds          -> nothing`,
	"before it has come to a hold nothing of its lots can be promised any more, of none of them": `
		L1 = 3 F0 arrive in ACME, good for 5 days
		L2 = 9 F0 arrive in shared, good for 6 days
		H = acme reserves 2 one
		recall L1 and L2 from nobody yet -> 10 moved, 0 replaced, 0 lost, 2 left
		acme counts one                  -> available 0, atp 0, promised 0, backorder 0
		recall L1 and L2                 -> 2 moved, 0 replaced, 2 lost`,
	"a hold that is used before the recall has come to it is picked again then": `
		L1 = 3 F0 arrive in ACME, good for 5 days
		L2 = 4 F0 arrive in ACME
		H = acme reserves 2 one
		J = acme reserves 1 one + 1 one
		recall L1 from nobody yet -> 0 moved, 0 replaced, 0 lost, 3 left
		acme consumes H as c1     -> 2 consumed
		L1 has                    -> 1 held, 2 quarantined
		recall L1                 -> 1 moved, 1 replaced, 0 lost
		J holds                   -> 1 of L2, 1 of L2`,
	"what comes back to a recalled lot goes into quarantine: released, expired, reversed, received, found": `
		L1 = 9 F0 arrive in ACME
		H = acme reserves 1 one
		J = acme reserves 2 one
		K = acme reserves 3 one
		acme consumes K as c1
		recall L1 from nobody yet -> 3 moved, 0 replaced, 0 lost, 3 left
		acme releases H
		L1 has                    -> 2 held, 3 consumed, 4 quarantined
		30 min pass
		acme counts one           -> available 0, atp 0, promised 0, backorder 0
		J is swept
		L1 has                    -> 3 consumed, 6 quarantined
		acme reverses c1
		L1 has                    -> 9 quarantined
		4 F0 arrive in ACME as batch L1
		correct L1 by 2
		L1 has                    -> 15 quarantined`,
	"once more it takes nothing, and gives nothing": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		1 min pass
		J = acme reserves 2 one
		recall L1   -> 4 moved, 2 replaced, 2 lost
		H holds     -> 2 of L2
		J holds     -> nothing
		2 F0 arrive in ACME as batch L2
		recall L1   -> 0 moved, 0 replaced, 0 lost`,
	"a lot that there is not: nothing is recalled": `
		L1 = 4 F0 arrive in ACME
		recall L1 and L9 -> not_found
		acme counts one  -> available 4, atp 4, promised 0, backorder 0`,
	"a recalled lot is restored as a whole, to those first who lost units to it, and then counts again": `
		L1 = 5 F0 arrive in ACME
		H = acme reserves 2 one
		1 min pass
		J = acme reserves 1 one
		recall L1         -> 5 moved, 0 replaced, 3 lost
		restore 4 of L1   -> invalid_input
		destroy 3 of L1   -> 3 moved, 0 replaced, 0 lost
		restore all of L1 -> 2 moved, 0 replaced, 0 lost
		H holds           -> 2 of L1
		J holds           -> nothing
		1 F0 arrive in ACME as batch L1
		acme counts one   -> available 1, atp 1, promised 0, backorder 0`,
	"a hold is given back what it lost to this lot and still lacks, no more, and none of it when it is over": `
		L1 = 5 F0 arrive in ACME, good for 5 days
		L2 = 4 F0 arrive in ACME, good for 6 days
		H = acme reserves 4 one
		1 min pass
		J = acme reserves 1 one
		recall L1          -> 5 moved, 4 replaced, 1 lost
		quarantine 3 of L2 -> 3 moved, 0 replaced, 3 lost
		acme releases J
		H holds            -> 1 of L2
		restore 1 of L2    -> 1 moved, 0 replaced, 0 lost
		H holds            -> 1 of L2, 1 of L2
		restore all of L1  -> 5 moved, 0 replaced, 0 lost
		H holds            -> 1 of L2, 1 of L2, 2 of L1
		L1 has             -> 3 available, 2 held`,
};

describe("recall and restore", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
