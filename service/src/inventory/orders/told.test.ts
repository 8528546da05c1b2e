import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

const TWO = `
	L = 9 F0 arrive in ACME
	H = acme reserves 2 one
	I = acme reserves 3 one
	O = acme orders H as k1
	P = acme orders I as k2`;

/** The events that an order's partner is sent about it, in the order of the changes. */
const RULES: { readonly [rule: string]: string } = {
	"of a cancel, once": `${TWO}
		cancel O  -> cancelled
		cancel O  -> cancelled, again
		told of O -> cancelled
		told of P -> nothing`,
	"of a cancel while it is on hold, and of no release": `${TWO}
		hold O    -> held
		cancel O  -> cancelled
		told of O -> held for operator, cancelled`,
	"of no cancel that is refused": `${TWO}
		pick O    -> picked
		cancel O  -> order_not_cancellable
		told of O -> nothing`,
	"of a release": `${TWO}
		hold O     -> held
		release O  -> released
		release O  -> wrong_state
		told of O  -> held for operator, released`,
	"of a release by what comes back": `
		L = 2 F0 arrive in ACME
		H = acme reserves 2 one
		O = acme orders H as k1
		quarantine all of L -> 2 moved, 0 replaced, 2 lost
		restore all of L    -> 2 moved, 0 replaced, 0 lost
		order O is          -> placed
		told of O           -> held for lot_recalled, released`,
	"of no release as long as it lacks units": `
		L = 2 F0 arrive in ACME
		H = acme reserves 2 one
		O = acme orders H as k1
		quarantine all of L -> 2 moved, 0 replaced, 2 lost
		restore 1 of L      -> 1 moved, 0 replaced, 0 lost
		release O           -> wrong_state
		told of O           -> held for lot_recalled`,
	"of a label, and not again of the same label": `${TWO}
		label O   -> labelled
		label O   -> labelled
		told of O -> labelled`,
	"of a label that is voided, and of the next one": `${TWO}
		label O             -> labelled
		void the label of O -> voided
		void the label of O -> wrong_state
		label O             -> labelled
		told of O           -> labelled, voided, labelled`,
	"of a label by its shipment, if it comes with it": `${TWO}
		ship O    -> 2 one (2 of L)
		told of O -> shipped`,
	"of a shipment that is voided, and of the next one": `${TWO}
		S = ship O -> 2 one (2 of L)
		void S     -> voided
		void S     -> wrong_state
		ship O     -> 2 one (2 of L)
		told of O  -> shipped, voided, shipped`,
	"of the part that is voided alone": `${TWO}
		S = ship 1 one of P -> 1 one (1 of L)
		T = ship 2 one of P -> 2 one (2 of L)
		void S              -> voided
		told of P           -> shipped in part, shipped, voided`,
	"of a box with others, each order for itself": `${TWO}
		combine O + P -> in one box
		label P       -> labelled
		void the label of O -> voided
		label O       -> labelled
		S = ship O + P -> 2 one (2 of L), 3 one (3 of L)
		void S        -> voided
		told of O     -> labelled, voided, labelled, shipped, voided
		told of P     -> labelled, voided, labelled, shipped, voided`,
	"of a cancel in a box with others, which goes on without it": `${TWO}
		combine O + P -> in one box
		cancel O      -> cancelled
		label P       -> labelled
		told of O     -> cancelled
		told of P     -> labelled`,
	"of a hold that follows a void, because a lot was recalled meanwhile": `
		L = 2 F0 arrive in ACME
		H = acme reserves 2 one
		O = acme orders H as k1
		S = ship O -> 2 one (2 of L)
		recall L   -> 0 moved, 0 replaced, 0 lost
		void S     -> voided
		told of O  -> shipped, voided, held for lot_recalled`,
	"of what an order loses, and not of its hold": `
		L = 4 F0 arrive in ACME
		H = acme reserves 2 one
		O = acme orders H as k1
		quarantine all of L -> 4 moved, 0 replaced, 2 lost
		told of O           -> held for lot_recalled
		told of H           -> nothing`,
};

describe("A partner is told", () => {
	it.each(Object.entries(RULES))("%s", (_rule, script) => {
		expect(play(script)).toBe(asWritten(script));
	});
});
