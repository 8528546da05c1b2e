import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

/**
 * Keys: acme and acme2 are bound to ACME with shared access, acme2 may hold 9 units; open is unbound with shared
 * access, closed without; bolt is bound to BOLT, alone, and may hold 6.
 */
const RULES: { readonly [rule: string]: string } = {
	"the brand pool first, then the shared pool; inside a pool first expired, first out": `
		A2 = 2 F0 arrive in ACME, good for 9 days
		A1 = 2 F0 arrive in ACME, good for 3 days
		A0 = 2 F0 arrive in ACME
		S1 = 2 F0 arrive in shared, good for 1 day
		acme reserves 3 one  -> H holds 2 of A1, 1 of A2
		acme reserves 4 one  -> H holds 1 of A2, 2 of A0, 1 of S1`,
	"what is out of date is not there": `
		L1 = 2 F0 arrive in ACME, good for -1 days
		L2 = 2 F0 arrive in ACME, good for 0 days
		acme reserves 3 one  -> no_inventory
		acme reserves 2 one  -> H holds 2 of L2`,
	"a hold longer than a day needs lots that are good on the day it ends": `
		L1 = 1 F0 arrive in ACME, good for 0 days
		L2 = 1 F0 arrive in ACME, good for 1 day
		acme reserves 1 one for 1441 min  -> H holds 1 of L2
		acme reserves 1 one for 1441 min  -> no_inventory
		acme reserves 1 one for 1440 min  -> H holds 1 of L1`,
	"all lines are granted or none, and demand is summed over them": `
		L = 5 F0 arrive in ACME
		acme reserves 3 one + 3 one  -> no_inventory
		L has                        -> 5 available
		acme reserves 3 one + 2 one  -> H holds 3 of L, 2 of L`,
	"a kit is held whole or not at all, beside lines that want the same formula": `
		L0 = 3 F0 arrive in ACME
		L1 = 5 F1 arrive in ACME
		acme reserves 3 kit          -> no_inventory
		acme reserves 2 kit + 2 one  -> no_inventory
		acme reserves 2 kit + 1 one  -> H holds 2 of L0, 4 of L1, 1 of L0`,
	"what is promised is left alone, counted over the pools together": `
		A = 2 F0 arrive in ACME
		S = 4 F0 arrive in shared
		3 F0 of ACME are promised
		acme reserves 4 one  -> no_inventory
		acme reserves 3 one  -> H holds 2 of A, 1 of S
		open reserves 3 one  -> H holds 3 of S`,
	"the brand gate comes before the replay, the replay before every other look": `
		L = 4 F0 arrive in ACME
		H = acme reserves 4 one as r1     -> H holds 4 of L
		X = acme reserves 4 one as r1     -> H holds 4 of L, again
		X = acme reserves 9 one as r1     -> H holds 4 of L, again, items differ
		X = acme reserves 1 nothing as r1 -> H holds 4 of L, again, items differ
		X = acme reserves 4 one@ACME as r1 -> H holds 4 of L, again
		X = acme reserves 4 one@BOLT as r1 -> brand_mismatch`,
	"a replay without a brand is of other items, if the key is bound to none and the hold is of a brand": `
		L = 1 F0 arrive in ACME
		H = open reserves 1 one@ACME as r1   -> H holds 1 of L
		X = open reserves 1 one@ACME as r1   -> H holds 1 of L, again
		X = open reserves 1 one as r1        -> H holds 1 of L, again, items differ
		X = open reserves 1 one@NOBODY as r1 -> H holds 1 of L, again, items differ`,
	"a reference is one key's own, and free again when its hold is over": `
		L = 4 F0 arrive in ACME
		H = acme reserves 1 one as r1   -> H holds 1 of L
		J = acme2 reserves 1 one as r1  -> J holds 1 of L
		acme releases H                 -> ok
		K = acme reserves 2 one as r1   -> K holds 2 of L
		30 min pass
		M = acme reserves 4 one as r1   -> M holds 4 of L`,
	"a replay shows the hold as it is now": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 1 F0 arrive in ACME
		H = acme reserves 4 one as r1  -> H holds 4 of L1
		quarantine 3 of L1             -> 3 moved, 1 replaced, 2 lost
		X = acme reserves 4 one as r1  -> H holds 1 of L1, 1 of L2, again, impaired`,
	"what cannot be sold is refused before stock is looked at": `
		acme reserves 1 nothing      -> invalid_item
		acme reserves 1 fee          -> invalid_item
		acme reserves 1 old          -> invalid_item
		acme reserves 1 bare         -> invalid_item
		acme reserves 1 one + 1 fee  -> invalid_item
		acme reserves 1 one          -> no_inventory`,
	"a key draws on its own pools alone": `
		A = 1 F0 arrive in ACME
		B = 1 F0 arrive in BOLT
		S = 1 F0 arrive in shared
		bolt reserves 2 one          -> no_inventory
		bolt reserves 1 one          -> H holds 1 of B
		closed reserves 2 one@ACME   -> no_inventory
		closed reserves 1 one        -> invalid_input
		open reserves 2 one          -> no_inventory
		open reserves 2 one@ACME     -> H holds 1 of A, 1 of S
		open reserves 1 one@NOBODY   -> invalid_item
		open reserves 1 one@SANDBOX  -> brand_mismatch
		bolt reserves 1 one@ACME     -> brand_mismatch
		bolt reserves 1 one@NOBODY   -> brand_mismatch
		closed reserves 1 one + 1 one@SANDBOX -> brand_mismatch`,
	"a cap counts the units of the key's active holds, after the items and before the stock": `
		L = 20 F0 arrive in BOLT
		H = bolt reserves 4 one  -> H holds 4 of L
		bolt reserves 3 one      -> rate_limited
		bolt reserves 3 fee      -> invalid_item
		J = bolt reserves 2 one  -> J holds 2 of L
		bolt reserves 6 one      -> rate_limited
		bolt consumes H as c1    -> 4 consumed
		K = bolt reserves 4 one  -> K holds 4 of L
		30 min pass
		bolt reserves 6 one      -> H holds 6 of L`,
	"what alone exceeds the key's cap is wrong input, whatever it holds: waiting would not help": `
		L = 20 F0 arrive in BOLT
		bolt reserves 7 one            -> invalid_input
		bolt reserves 5 one + 2 one    -> invalid_input
		bolt reserves 7 fee            -> invalid_item
		H = bolt reserves 6 one as r1  -> H holds 6 of L
		bolt reserves 7 one as r1      -> H holds 6 of L, again, items differ
		bolt reserves 7 one            -> invalid_input`,
	"more units than the database counts in one hold are wrong input before they are granted": `
		acme reserves 2147483647 one                  -> no_inventory
		acme reserves 2147483648 one                  -> invalid_input
		acme reserves 1073741824 pair                 -> invalid_input
		acme reserves 1073741824 one + 1073741824 one -> invalid_input`,
	"a hold past its end counts as free at once": `
		L = 1 F0 arrive in ACME
		H = acme reserves 1 one for 1 min  -> H holds 1 of L
		acme reserves 1 one                -> no_inventory
		1 min pass
		J = acme reserves 1 one            -> J holds 1 of L
		H is                               -> expired`,
};

describe("reserve", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
