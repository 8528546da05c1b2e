import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

const RULES: { readonly [rule: string]: string } = {
	"a batch that is known receives more, one that is not becomes a lot": `
		L1 = 3 F0 arrive in ACME as batch b          -> 3 received in all
		X = 2 F0 arrive in ACME as batch b           -> 5 received in all
		L1 has                                       -> 5 available
		L2 = 2 F0 arrive in shared as batch b        -> 2 received in all
		L3 = 2 F1 arrive in ACME as batch b          -> 2 received in all`,
	"a batch keeps the expiry it came with": `
		L = 1 F0 arrive in ACME as batch b, good for 5 days  -> 1 received in all
		L = 1 F0 arrive in ACME as batch b, good for 6 days  -> invalid_input
		L = 1 F0 arrive in ACME as batch b                   -> invalid_input
		L = 1 F0 arrive in ACME as batch b, good for 5 days  -> 2 received in all`,
	"a lot takes a thousand million units at most": `
		L = 999999999 F0 arrive in ACME  -> 999999999 received in all
		L = 2 F0 arrive in ACME          -> invalid_input
		L = 1 F0 arrive in ACME          -> 1000000000 received in all
		correct L by 1                   -> invalid_input`,
	"up to so many in all are as many as the lot lacks now, whoever brought the others": `
		L = up to 3 F0 arrive in ACME as batch b  -> 3 received in all
		L = 2 F0 arrive in ACME as batch b        -> 5 received in all
		L = up to 4 F0 arrive in ACME as batch b  -> 5 received in all
		L = up to 5 F0 arrive in ACME as batch b  -> 5 received in all
		L = up to 7 F0 arrive in ACME as batch b  -> 7 received in all
		correct L by -6                           -> 6 moved, 0 replaced, 0 lost
		L = up to 7 F0 arrive in ACME as batch b  -> 7 received in all
		L has                                     -> 1 available`,
	"a formula nobody knows is not received": `
		L = 1 F9 arrive in ACME  -> not_found`,
	"units of a batch number of which a lot is recalled come into quarantine, in every pool": `
		L = 3 F0 arrive in ACME as batch b
		K = 2 F0 arrive in shared as batch b
		recall L                                     -> 3 moved, 0 replaced, 0 lost
		L = 1 F0 arrive in ACME as batch b           -> 4 received in all, into quarantine
		K = 1 F0 arrive in shared as batch b         -> 3 received in all, into quarantine
		M = 4 F0 arrive in BOLT as batch b           -> 4 received in all, into quarantine
		K has                                        -> 2 available, 1 quarantined
		M has                                        -> 4 quarantined
		N = 5 F1 arrive in ACME as batch b           -> 5 received in all
		P = 5 F0 arrive in ACME as batch c           -> 5 received in all
		up to 4 F0 arrive in BOLT as batch b         -> 4 received in all
		correct K by 2                               -> 2 moved, 0 replaced, 0 lost
		K has                                        -> 2 available, 3 quarantined
		correct K by -1                              -> 1 moved, 0 replaced, 0 lost
		K has                                        -> 1 available, 3 quarantined`,
	"they come in free when a person accepts them, but not into a lot that is recalled itself": `
		L = 3 F0 arrive in ACME as batch b
		recall L                                         -> 3 moved, 0 replaced, 0 lost
		M = 4 F0 arrive in BOLT as batch b, accepted     -> 4 received in all
		M has                                            -> 4 available
		L = 1 F0 arrive in ACME as batch b, accepted     -> invalid_input
		L has                                            -> 3 quarantined
		N = 2 F0 arrive in ACME as batch c, accepted     -> 2 received in all`,
	"they come in free again when no lot of the batch is recalled any more": `
		L = 3 F0 arrive in ACME as batch b
		K = 3 F0 arrive in BOLT as batch b
		recall L and K                               -> 6 moved, 0 replaced, 0 lost
		restore all of L                             -> 3 moved, 0 replaced, 0 lost
		M = 1 F0 arrive in shared as batch b         -> 1 received in all, into quarantine
		restore all of K                             -> 3 moved, 0 replaced, 0 lost
		M = 1 F0 arrive in shared as batch b         -> 2 received in all
		M has                                        -> 1 available, 1 quarantined`,
	"a correction changes free units only": `
		L = 5 F0 arrive in ACME
		H = acme reserves 3 one
		correct L by -3  -> invalid_input
		correct L by -2  -> 2 moved, 0 replaced, 0 lost
		correct L by 4   -> 4 moved, 0 replaced, 0 lost
		L has            -> 4 available, 3 held
		correct L by 0   -> invalid_input
		correct X by 1   -> not_found`,
	"restore gives quarantined units back, no more than there are": `
		L = 5 F0 arrive in ACME
		quarantine 3 of L   -> 3 moved, 0 replaced, 0 lost
		restore 4 of L      -> invalid_input
		restore 2 of L      -> 2 moved, 0 replaced, 0 lost
		L has               -> 4 available, 1 quarantined
		restore all of L    -> 1 moved, 0 replaced, 0 lost
		restore all of L    -> 0 moved, 0 replaced, 0 lost
		restore 1 of X      -> not_found`,
};

describe("receive, correct and restore", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
