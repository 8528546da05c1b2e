import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

const RULES: { readonly [rule: string]: string } = {
	"free units go first, then held ones, which are picked again elsewhere": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 9 F0 arrive in ACME
		H = acme reserves 3 one
		quarantine 1 of L1  -> 1 moved, 0 replaced, 0 lost
		H holds             -> 3 of L1
		quarantine 2 of L1  -> 2 moved, 2 replaced, 0 lost
		H holds             -> 1 of L1, 2 of L2
		L1 has              -> 1 held, 3 quarantined`,
	"what cannot be picked again is lost to the hold": `
		L1 = 4 F0 arrive in ACME, good for 5 days
		L2 = 1 F0 arrive in ACME
		H = acme reserves 4 one
		quarantine all of L1 -> 4 moved, 1 replaced, 3 lost
		H holds              -> 1 of L2`,
	"the youngest hold loses first, its last line first": `
		L1 = 6 F0 arrive in ACME
		H = acme reserves 2 one
		1 min pass
		J = acme reserves 2 one + 2 one
		quarantine 3 of L1   -> 3 moved, 0 replaced, 3 lost
		H holds              -> 2 of L1
		J holds              -> 1 of L1`,
	"units are picked again from the pools the line draws on, and no others": `
		L1 = 2 F0 arrive in BOLT
		L2 = 2 F0 arrive in shared
		L3 = 2 F0 arrive in ACME
		H = bolt reserves 2 one
		quarantine all of L1 -> 2 moved, 0 replaced, 2 lost`,
	"units already granted are picked again whatever is promised": `
		L1 = 2 F0 arrive in ACME, good for 1 day
		L2 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		9 F0 of ACME are promised
		quarantine all of L1 -> 2 moved, 2 replaced, 0 lost`,
	"a hold longer than a day is given lots that are good on the day it ends": `
		L1 = 1 F0 arrive in ACME, good for 5 days
		H = acme reserves 1 one for 2880 min
		L2 = 1 F0 arrive in ACME, good for 1 day
		L3 = 1 F0 arrive in ACME, good for 9 days
		quarantine all of L1 -> 1 moved, 1 replaced, 0 lost
		H holds              -> 1 of L3`,
	"destroy takes quarantined units first, then as quarantine does": `
		L1 = 5 F0 arrive in ACME
		H = acme reserves 2 one
		quarantine 1 of L1   -> 1 moved, 0 replaced, 0 lost
		destroy 1 of L1      -> 1 moved, 0 replaced, 0 lost
		L1 has               -> 2 available, 2 held, 1 destroyed
		destroy 3 of L1      -> 3 moved, 0 replaced, 1 lost
		L1 has               -> 1 held, 4 destroyed`,
	"more than there is: nothing moves": `
		L1 = 2 F0 arrive in ACME
		quarantine 3 of L1   -> invalid_input
		quarantine 1 of L9   -> not_found
		quarantine all of L1 -> 2 moved, 0 replaced, 0 lost
		quarantine 1 of L1   -> invalid_input
		quarantine all of L1 -> 0 moved, 0 replaced, 0 lost
		destroy 2 of L1      -> 2 moved, 0 replaced, 0 lost`,
	"consumed units are not there to be taken": `
		L1 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		acme consumes H as c1
		quarantine 1 of L1   -> invalid_input`,
	"units a hold past its end binds are free when a lot is taken out": `
		L1 = 2 F0 arrive in ACME
		H = acme reserves 2 one
		30 min pass
		quarantine all of L1 -> 2 moved, 0 replaced, 0 lost
		H is                 -> expired`,
};

describe("quarantine and destroy", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
