import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

/* Every state of an order x every move (settlements, section 6), and what each move does to units, boxes and events. */

const PLACED = `
	L = 3 F0 arrive in ACME
	H = acme reserves 3 one
	O = acme orders H as k1`;
const COMES_TO: { readonly [state: string]: string } = {
	placed: PLACED,
	held: `${PLACED}
		hold O`,
	"held for a recall": `${PLACED}
		quarantine 1 of L -> 1 moved, 0 replaced, 1 lost`,
	"held after a part left": `${PLACED}
		S = ship 1 one of O
		quarantine 1 of L -> 1 moved, 0 replaced, 1 lost`,
	picked: `${PLACED}
		pick O`,
	partially_shipped: `${PLACED}
		S = ship 1 one of O`,
	shipped: `${PLACED}
		S = ship O`,
	cancelled: `${PLACED}
		cancel O`,
};

const TABLE: readonly (readonly [
	state: string,
	hold: string,
	release: string,
	cancel: string,
	pick: string,
	ship: string,
	shipOne: string,
])[] = [
	["placed", "held", "wrong_state", "cancelled", "picked", "3 one (3 of L)", "1 one (1 of L)"],
	["held", "wrong_state", "released", "cancelled", "wrong_state", "wrong_state", "wrong_state"],
	["held for a recall", "wrong_state", "wrong_state", "cancelled", "wrong_state", "wrong_state", "wrong_state"],
	[
		"held after a part left",
		"wrong_state",
		"wrong_state",
		"order_not_cancellable",
		"wrong_state",
		"wrong_state",
		"wrong_state",
	],
	["picked", "wrong_state", "wrong_state", "order_not_cancellable", "wrong_state", "3 one (3 of L)", "1 one (1 of L)"],
	[
		"partially_shipped",
		"wrong_state",
		"wrong_state",
		"order_not_cancellable",
		"wrong_state",
		"2 one (2 of L)",
		"1 one (1 of L)",
	],
	["shipped", "wrong_state", "wrong_state", "order_not_cancellable", "wrong_state", "wrong_state", "wrong_state"],
	["cancelled", "wrong_state", "wrong_state", "cancelled, again", "wrong_state", "wrong_state", "wrong_state"],
];

describe.each(TABLE)("an order that is %s", (state, hold, release, cancel, pick, ship, shipOne) => {
	it.each([
		["hold O", hold],
		["release O", release],
		["cancel O", cancel],
		["pick O", pick],
		["ship O", ship],
		["ship 1 one of O", shipOne],
	])("%s", (move, answer) => {
		const script = `${COMES_TO[state]}
			${move} -> ${answer}`;
		expect(play(script)).toBe(asWritten(script));
	});
});

const rules = (title: string, script: string): void =>
	it(title, () => {
		expect(play(script)).toBe(asWritten(script));
	});

describe("cancelling", () => {
	rules(
		"gives back to the lots what was taken from them, and the hold is spent",
		`L = 2 F0 arrive in ACME
		 M = 5 F0 arrive in shared
		 H = acme reserves 3 one
		 O = acme orders H as k1 -> O has 2 of L, 1 of M
		 cancel O -> cancelled
		 L has -> 2 available
		 M has -> 5 available
		 H is -> placed
		 boxes of O -> cancelled
		 told of O -> cancelled`,
	);
	rules(
		"gives back what is left after a recall",
		`L = 3 F0 arrive in ACME
		 H = acme reserves 3 one
		 O = acme orders H as k1
		 quarantine 2 of L -> 2 moved, 0 replaced, 2 lost
		 cancel O -> cancelled
		 L has -> 1 available, 2 quarantined`,
	);
});

describe("picking", () => {
	rules(
		"takes other lots for those past their date, and the order is picked",
		`L = 2 F0 arrive in ACME, good for 0 days
		 M = 2 F0 arrive in ACME
		 H = acme reserves 2 one
		 O = acme orders H as k1 -> O has 2 of L
		 1 day pass
		 pick O -> picked
		 order O is -> picked
		 version of O -> 2
		 order O has -> 2 of M`,
	);
	rules(
		"holds the order where there are no others",
		`L = 2 F0 arrive in ACME, good for 0 days
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 1 day pass
		 pick O -> held instead
		 order O is -> held, out_of_stock
		 told of O -> held for out_of_stock`,
	);
	rules(
		"comes before the rest of an order leaves, if nobody has picked it and its lot passed its date",
		`L = 2 F0 arrive in ACME, good for 0 days
		 M = 1 F0 arrive in ACME
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 ship 1 one of O -> 1 one (1 of L)
		 pick O -> wrong_state
		 1 day pass
		 ship O -> wrong_state
		 pick O -> picked
		 order O is -> partially_shipped
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"holds the rest of an order that nobody has picked, where there are no others for a lot past its date",
		`L = 2 F0 arrive in ACME, good for 0 days
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 ship 1 one of O -> 1 one (1 of L)
		 1 day pass
		 pick O -> held instead
		 order O is -> held, out_of_stock
		 M = 1 F0 arrive in ACME
		 release O -> released
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
});

describe("shipping", () => {
	rules(
		"a part leaves in a box of its own, the rest in the one that waits",
		`L = 3 F0 arrive in ACME
		 H = acme reserves 3 one
		 O = acme orders H as k1
		 ship 4 one of O -> invalid_input
		 ship 0 one of O -> invalid_input
		 ship 1 pair of O -> invalid_input
		 ship 2 one of O -> 2 one (2 of L)
		 order O is -> partially_shipped
		 boxes of O -> awaiting_shipment, shipped
		 ship 2 one of O -> invalid_input
		 ship 1 one of O -> 1 one (1 of L)
		 order O is -> shipped
		 boxes of O -> shipped, shipped
		 L has -> 3 shipped
		 told of O -> shipped in part, shipped`,
	);
	rules(
		"kits leave whole, from the lots in picking order",
		`K = 3 F0 arrive in ACME
		 L = 3 F1 arrive in ACME
		 M = 3 F1 arrive in shared
		 H = acme reserves 3 kit
		 O = acme orders H as k1 -> O has 3 of K, 3 of L, 3 of M
		 ship 1 kit of O -> 1 kit (1 of K, 2 of L)
		 ship 1 kit of O -> 1 kit (1 of K, 1 of L, 1 of M)
		 ship O -> 1 kit (1 of K, 2 of M)`,
	);
});

describe("voiding", () => {
	rules(
		"gives a whole shipment back to its order, which waits in another box",
		`L = 3 F0 arrive in ACME
		 H = acme reserves 3 one
		 O = acme orders H as k1
		 pick O -> picked
		 S = ship O -> 3 one (3 of L)
		 void S -> voided
		 order O is -> picked
		 L has -> 3 allocated
		 boxes of O -> voided, awaiting_shipment
		 void S -> wrong_state
		 ship O -> 3 one (3 of L)
		 order O is -> shipped`,
	);
	rules(
		"gives back the part that it had, and no other",
		`L = 3 F0 arrive in ACME
		 H = acme reserves 3 one
		 O = acme orders H as k1
		 S = ship 1 one of O -> 1 one (1 of L)
		 T = ship 2 one of O -> 2 one (2 of L)
		 void S -> voided
		 order O is -> partially_shipped
		 L has -> 1 allocated, 2 shipped
		 void T -> voided
		 order O is -> placed
		 L has -> 3 allocated`,
	);
	rules(
		"forgets a label",
		`L = 3 F0 arrive in ACME
		 H = acme reserves 3 one
		 O = acme orders H as k1
		 label O -> labelled
		 boxes of O -> label_created
		 void its_box -> retry
		 hold O -> held
		 label O -> wrong_state`,
	);
});

describe("combining", () => {
	const TWO = `
		L = 9 F0 arrive in ACME
		H = acme reserves 2 one
		I = acme reserves 3 one
		O = acme orders H as k1
		P = acme orders I as k2`;
	rules(
		"puts orders into the box of the first, once, and ships them together",
		`${TWO}
		 combine O + P -> in one box
		 boxes of P -> awaiting_shipment with O + P
		 combine P + O -> in one box, again
		 ship O -> retry
		 S = ship P + O -> 3 one (3 of L), 2 one (2 of L)
		 order O is -> shipped
		 order P is -> shipped
		 told of P -> shipped
		 combine O + P -> in one box, again
		 void S -> voided
		 boxes of O -> voided with O + P, awaiting_shipment
		 boxes of P -> voided with O + P, awaiting_shipment`,
	);
	rules(
		"waits as long as one of them is held",
		`${TWO}
		 combine O + P -> in one box
		 hold P -> held
		 boxes of O -> on_hold with O + P
		 ship O + P -> wrong_state
		 release P -> released
		 boxes of O -> awaiting_shipment with O + P`,
	);
	rules(
		"goes on without one that is cancelled",
		`${TWO}
		 combine O + P -> in one box
		 hold P -> held
		 cancel P -> cancelled
		 boxes of O -> awaiting_shipment
		 boxes of P -> none
		 ship O -> 2 one (2 of L)`,
	);
	rules(
		"is unpacked before it leaves without one that may be in it: the others are picked again",
		`${TWO}
		 combine O + P -> in one box
		 label O -> labelled
		 cancel P -> cancelled
		 boxes of O -> label_created
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 2 one (2 of L)`,
	);
	rules(
		"is unpacked before it leaves without one that was packed before",
		`${TWO}
		 label P -> labelled
		 void the label of P -> voided
		 combine O + P -> in one box
		 cancel P -> cancelled
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 2 one (2 of L)`,
	);
	rules(
		"is unpacked before it leaves without one whose lot was recalled after it was packed",
		`${TWO}
		 R = 2 F0 arrive in ACME, good for 9 days
		 J = acme reserves 2 one
		 Q = acme orders J as k3
		 combine O + Q -> in one box
		 pick O -> picked
		 pick Q -> picked
		 recall R -> 2 moved, 2 replaced, 0 lost
		 cancel Q -> cancelled
		 order O is -> placed
		 version of O -> 4
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 2 one (2 of L)`,
	);
	rules(
		"that left and was voided is unpacked after one of its orders is cancelled",
		`${TWO}
		 combine O + P -> in one box
		 S = ship O + P -> 2 one (2 of L), 3 one (3 of L)
		 void S -> voided
		 cancel P -> cancelled
		 version of O -> 5
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 2 one (2 of L)`,
	);
	rules(
		"is for orders that are placed, alone, without a label, going to one place at one level",
		`${TWO}
		 J = acme reserves 1 one
		 Q = acme orders J as k3 to Salem
		 K = acme reserves 1 one
		 R = acme orders K as k4 by expedited
		 M = acme reserves 1 one
		 T = acme orders M as k5
		 combine O + Q -> invalid_input
		 combine O + R -> invalid_input
		 combine O + Nobody -> order_not_found
		 label T -> labelled
		 combine O + T -> wrong_state
		 combine O + P -> in one box
		 pick O -> picked
		 combine O + Q -> wrong_state`,
	);
});
