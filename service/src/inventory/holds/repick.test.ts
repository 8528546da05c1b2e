import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

/* Who gets spare units: L1 is the bad lot, and the spare units are in L2. */
const RULES: { readonly [rule: string]: string } = {
	"an order before a hold, although the hold is older": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		1 min pass
		J = acme reserves 2 one
		O = acme orders J as j
		recall L1   -> 4 moved, 2 replaced, 2 lost
		order O is  -> placed
		order O has -> 2 of L2
		H holds     -> nothing`,
	"of two orders the one whose units were reserved first, whichever was placed first": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		1 min pass
		J = acme reserves 2 one
		P = acme orders J as j
		1 min pass
		O = acme orders H as h
		recall L1  -> 4 moved, 2 replaced, 2 lost
		order O is -> placed
		order P is -> held, lot_recalled
		told of P  -> held for lot_recalled`,
	"of two holds the older, and the other one what is left": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 3 F0 arrive in ACME
		H = acme reserves 2 one
		1 min pass
		J = acme reserves 2 one
		recall L1 -> 4 moved, 3 replaced, 1 lost
		H holds   -> 2 of L2
		J holds   -> 1 of L2
		L2 has    -> 3 held`,
	"of two holds the one that is whole by it, although the other is older": `
		L1 = 5 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 3 one
		1 min pass
		J = acme reserves 2 one
		recall L1 -> 5 moved, 2 replaced, 3 lost
		H holds   -> nothing
		J holds   -> 2 of L2`,
	"no order that is not whole by it: the next one is given what an older order could not use": `
		L1 = 7 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 3 one
		O = acme orders H as h
		1 min pass
		J = acme reserves 2 one
		P = acme orders J as j
		1 min pass
		K = acme reserves 2 one
		recall L1  -> 7 moved, 2 replaced, 5 lost
		order O is -> held, lot_recalled
		order P is -> placed
		K holds    -> nothing`,
	"what no order could use stays free, and an order on hold takes it when the rest has come and it is released": `
		L1 = 3 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 3 one
		O = acme orders H as h
		recall L1       -> 3 moved, 0 replaced, 3 lost
		acme counts one -> available 2, atp 2, promised 0, backorder 0
		release O       -> wrong_state
		1 F0 arrive in ACME as batch L2
		release O       -> released
		order O has -> 3 of L2`,
	"a hold as far as it goes, its first line first": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 3 F0 arrive in ACME
		H = acme reserves 2 one + 2 one
		recall L1 -> 4 moved, 3 replaced, 1 lost
		H holds   -> 2 of L2, 1 of L2
		L2 has    -> 3 held`,
	"a hold keeps what it has of other lots, and of its kits those are whole": `
		L1 = 3 F0 arrive in ACME, good for 5 days
		L2 = 3 F0 arrive in ACME, good for 6 days
		L3 = 2 F0 arrive in ACME
		H = acme reserves 6 one
		recall L1                  -> 3 moved, 2 replaced, 1 lost
		H holds                    -> 3 of L2, 2 of L3
		acme orders H as h         -> kit_incomplete
		acme consumes H as c       -> wrong_state
		acme releases H            -> ok
		acme counts one            -> available 5, atp 5, promised 0, backorder 0`,
	"a hold that lacked something before: what was taken from it now, when nobody else is whole by it": `
		L1 = 2 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME, good for 6 days
		H = acme reserves 4 one
		1 min pass
		recall L1 -> 2 moved, 0 replaced, 2 lost
		L3 = 9 F0 arrive in ACME
		recall L2 -> 2 moved, 2 replaced, 0 lost
		H holds   -> 2 of L3
		L3 has    -> 7 available, 2 held`,
	"a line of a hold from the pools of that line, whatever an earlier line lacks": `
		L1 = 1 F0 arrive in ACME
		L2 = 1 F0 arrive in BOLT
		H = open reserves 1 one@ACME + 1 one@BOLT
		recall L1 -> 1 moved, 0 replaced, 1 lost
		L3 = 1 F0 arrive in BOLT
		recall L2 -> 1 moved, 1 replaced, 0 lost
		H holds   -> 1 of L3`,
	"a line of an order from the pools of that line, though an earlier line lacks something": `
		L1 = 1 F0 arrive in ACME
		L2 = 1 F0 arrive in BOLT
		H = open reserves 1 one@ACME + 1 one@BOLT
		O = open orders H as h
		recall L1   -> 1 moved, 0 replaced, 1 lost
		L3 = 1 F0 arrive in BOLT
		recall L2   -> 1 moved, 1 replaced, 0 lost
		order O has -> 1 of L3`,
	"no order that lacked something before a part of what was taken from it now": `
		L1 = 1 F0 arrive in ACME, good for 5 days
		L2 = 2 F1 arrive in ACME, good for 5 days
		H = acme reserves 1 kit
		O = acme orders H as h
		recall L1   -> 1 moved, 0 replaced, 1 lost
		L3 = 1 F1 arrive in ACME
		recall L2   -> 2 moved, 0 replaced, 2 lost
		L3 has      -> 1 available`,
	"an order that lacked something before all that was taken from it now, when there is enough": `
		L1 = 1 F0 arrive in ACME, good for 5 days
		L2 = 2 F1 arrive in ACME, good for 5 days
		H = acme reserves 1 kit
		O = acme orders H as h
		recall L1   -> 1 moved, 0 replaced, 1 lost
		L3 = 2 F1 arrive in ACME
		recall L2   -> 2 moved, 2 replaced, 0 lost
		order O has -> 2 of L3`,
	"both parts of a kit, when both are bad": `
		L1 = 1 F0 arrive in ACME, good for 5 days
		L2 = 2 F1 arrive in ACME, good for 5 days
		L3 = 1 F0 arrive in ACME
		L4 = 1 F1 arrive in ACME
		H = acme reserves 1 kit
		recall L1 and L2 -> 3 moved, 2 replaced, 1 lost
		H holds          -> 1 of L3, 1 of L4
		L3 has           -> 1 held`,
	"of its own pools alone: an older order that may not draw on a pool leaves it to a hold that may": `
		L1 = 2 F0 arrive in BOLT, good for 5 days
		L2 = 2 F0 arrive in ACME, good for 5 days
		L3 = 2 F0 arrive in shared
		H = bolt reserves 2 one
		1 min pass
		J = acme reserves 2 one
		recall L1 and L2 -> 4 moved, 2 replaced, 2 lost
		H holds          -> nothing
		J holds          -> 2 of L3`,
	"by a quarantine of some units: the youngest lose, and of these the oldest is given first": `
		L1 = 6 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		1 min pass
		J = acme reserves 2 one
		1 min pass
		K = acme reserves 2 one
		quarantine 4 of L1 -> 4 moved, 2 replaced, 2 lost
		H holds            -> 2 of L1
		J holds            -> 2 of L2
		K holds            -> nothing`,
	"in the same way when a hold is used before the recall has come to it": `
		L1 = 3 F0 arrive in ACME, good for 5 days
		L2 = 2 F0 arrive in ACME
		H = acme reserves 3 one
		recall L1 from nobody yet -> 0 moved, 0 replaced, 0 lost, 3 left
		acme consumes H as c      -> wrong_state
		H holds                   -> 2 of L2
		L2 has                    -> 2 held`,
	"in the same way when a lot passed its date": `
		L1 = 3 F0 arrive in ACME, good for 0 days
		L2 = 2 F0 arrive in ACME, good for 9 days
		H = acme reserves 3 one as r1
		midnight strikes
		X = acme reserves 3 one as r1 -> H holds 2 of L2, again, impaired
		L2 has                        -> 2 held`,
	"the same whatever the steps that a recall goes in: the first step of it here comes to one hold": `
		L1 = 6 F0 arrive in ACME, good for 5 days
		L2 = 3 F0 arrive in ACME
		H = acme reserves 4 one
		O = acme orders H as h
		1 min pass
		J = acme reserves 2 one
		recall L1 from H -> 4 moved, 0 replaced, 4 lost, 2 left
		recall L1        -> 2 moved, 2 replaced, 0 lost
		J holds          -> 2 of L2`,
};

describe("spare units", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
