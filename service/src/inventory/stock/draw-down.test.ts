import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

const RULES: { readonly [rule: string]: string } = {
	"units go first expired first out, from the brand's own stock and then from the shared stock": `
		S = 5 F0 arrive in shared, good for 1 days
		L1 = 3 F0 arrive in ACME
		L2 = 2 F0 arrive in ACME, good for 9 days
		4 F0 of ACME, then shared ship elsewhere  -> 2 of L2, 2 of L1
		4 F0 of ACME, then shared ship elsewhere  -> 1 of L1, 3 of S
		L1 has                                    -> 3 shipped
		S has                                     -> 2 available, 3 shipped`,
	"without access the shared stock stays, and what is not there is missing": `
		S = 5 F0 arrive in shared
		L = 3 F0 arrive in ACME
		7 F0 of ACME ship elsewhere  -> 3 of L, 4 missing
		2 F0 of ACME ship elsewhere  -> 2 missing
		L has                        -> 3 shipped
		S has                        -> 5 available`,
	"units out of date, in quarantine or in a hold stay where they are": `
		OLD = 2 F0 arrive in ACME, good for 1 days
		3 days pass
		HELD = 4 F0 arrive in ACME, good for 5 days
		H = acme reserves 3 one
		BAD = 6 F0 arrive in ACME, good for 9 days
		quarantine all of BAD                       -> 6 moved, 0 replaced, 0 lost
		9 F0 of ACME ship elsewhere                 -> 1 of HELD, 8 missing
		HELD has                                    -> 3 held, 1 shipped
		BAD has                                     -> 6 quarantined
		OLD has                                     -> 2 available`,
	"a hold past its end keeps nothing": `
		L = 4 F0 arrive in ACME
		H = acme reserves 3 one for 30 min
		31 min pass
		4 F0 of ACME ship elsewhere  -> 4 of L
		H is                         -> expired`,
	"what is promised stands in nobody's way: the goods are gone": `
		L = 4 F0 arrive in ACME
		4 F0 of ACME are promised
		acme counts one              -> available 4, atp 0, promised 4, backorder 0
		3 F0 of ACME ship elsewhere  -> 3 of L`,
};

describe("Units that were shipped without a hold are drawn down", () => {
	it.for(Object.entries(RULES))("%s", ([, script]) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
