import { describe, expect, it } from "vitest";
import { asWritten, play } from "../../../test/model/script.ts";

/* What a recall does to orders, and what must be done before these leave. */

const rules = (title: string, script: string): void =>
	it(title, () => {
		expect(play(script)).toBe(asWritten(script));
	});

describe("a recall", () => {
	rules(
		"picks other units, and what was picked has to be picked again",
		`L = 2 F0 arrive in ACME
		 M = 2 F0 arrive in shared
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 pick O -> picked
		 quarantine all of L -> 2 moved, 2 replaced, 0 lost
		 order O is -> placed
		 order O has -> 2 of M
		 told of O -> nothing`,
	);
	rules(
		"holds the order where there are none, and whoever releases it picks what has come since",
		`L = 2 F0 arrive in ACME
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 pick O -> picked
		 quarantine all of L -> 2 moved, 0 replaced, 2 lost
		 order O is -> held, lot_recalled
		 boxes of O -> on_hold
		 told of O -> held for lot_recalled
		 release O -> wrong_state
		 M = 1 F0 arrive in ACME
		 release O -> wrong_state
		 order O has -> nothing
		 N = 1 F0 arrive in shared
		 release O -> released
		 order O is -> placed
		 order O has -> 1 of M, 1 of N
		 version of O -> 4
		 boxes of O -> awaiting_shipment`,
	);
	rules(
		"of what a part was shipped of has the rest picked again before any of it leaves",
		`L = 3 F0 arrive in ACME
		 M = 3 F0 arrive in shared
		 H = acme reserves 3 one
		 O = acme orders H as k1
		 pick O -> picked
		 S = ship 1 one of O -> 1 one (1 of L)
		 recall L -> 2 moved, 2 replaced, 0 lost
		 order O is -> partially_shipped
		 order O has -> 1 of L shipped, 2 of M
		 ship O -> wrong_state
		 ship 1 one of O -> wrong_state
		 pick O -> picked
		 order O is -> partially_shipped
		 pick O -> wrong_state
		 ship 1 one of O -> 1 one (1 of M)
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"of what a part was shipped of unpicked has the rest picked too: somebody has been at the shelf",
		`L = 2 F0 arrive in ACME
		 M = 2 F0 arrive in shared
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 S = ship 1 one of O
		 recall L -> 1 moved, 1 replaced, 0 lost
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"whose box had a label, though nobody had picked it, does not leave before it is picked",
		`L = 2 F0 arrive in ACME
		 M = 1 F0 arrive in shared
		 H = acme reserves 1 one
		 G = acme reserves 1 one
		 O = acme orders H as k1
		 P = acme orders G as k2
		 label O
		 recall L -> 2 moved, 1 replaced, 1 lost
		 order O is -> placed
		 order P is -> held, lot_recalled
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)
		 N = 1 F0 arrive in shared
		 release P -> released
		 ship P -> 1 one (1 of N)`,
	);
	rules(
		"whose box had a label that was voided, though nobody had picked it, is picked before it leaves: it is packed",
		`L = 1 F0 arrive in ACME
		 M = 1 F0 arrive in shared
		 H = acme reserves 1 one
		 O = acme orders H as k1
		 label O
		 void the label of O -> voided
		 recall L -> 1 moved, 1 replaced, 0 lost
		 order O is -> placed
		 label O -> labelled
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"whose shipment was voided, though nobody had picked it, is picked before it leaves: its parcel is packed",
		`L = 1 F0 arrive in ACME
		 M = 1 F0 arrive in shared
		 H = acme reserves 1 one
		 O = acme orders H as k1
		 S = ship O -> 1 one (1 of L)
		 void S -> voided
		 recall L -> 1 moved, 1 replaced, 0 lost
		 order O is -> placed
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"whose shipment was voided after the recall is picked before it leaves, too",
		`L = 1 F0 arrive in ACME
		 H = acme reserves 1 one
		 O = acme orders H as k1
		 S = ship O -> 1 one (1 of L)
		 recall L -> 0 moved, 0 replaced, 0 lost
		 void S -> voided
		 order O is -> held, lot_recalled
		 M = 1 F0 arrive in shared
		 release O -> released
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"of an order in a voided parcel has the other order of this parcel picked again",
		`L = 1 F0 arrive in ACME
		 M = 3 F0 arrive in shared
		 H = acme reserves 1 one
		 G = acme reserves 1 one
		 O = acme orders H as k1
		 P = acme orders G as k2
		 combine O + P -> in one box
		 S = ship O + P -> 1 one (1 of L), 1 one (1 of M)
		 void S -> voided
		 1 min pass
		 recall L -> 1 moved, 1 replaced, 0 lost
		 ship P -> wrong_state
		 pick P -> picked
		 ship P -> 1 one (1 of M)
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"before the void of a parcel has all its orders picked again: one of them lacks its recalled units",
		`L = 1 F0 arrive in ACME
		 M = 1 F0 arrive in shared
		 H = acme reserves 1 one
		 G = acme reserves 1 one
		 O = acme orders H as k1
		 P = acme orders G as k2
		 combine O + P -> in one box
		 S = ship O + P -> 1 one (1 of L), 1 one (1 of M)
		 recall L -> 0 moved, 0 replaced, 0 lost
		 void S -> voided
		 order O is -> held, lot_recalled
		 ship P -> wrong_state
		 pick P -> picked
		 ship P -> 1 one (1 of M)`,
	);
	rules(
		"of an order in a voided parcel leaves the other order alone, if it was picked since",
		`L = 1 F0 arrive in ACME
		 M = 3 F0 arrive in shared
		 H = acme reserves 1 one
		 G = acme reserves 1 one
		 O = acme orders H as k1
		 P = acme orders G as k2
		 combine O + P -> in one box
		 S = ship O + P -> 1 one (1 of L), 1 one (1 of M)
		 void S -> voided
		 1 min pass
		 pick P -> picked
		 recall L -> 1 moved, 1 replaced, 0 lost
		 order P is -> picked
		 ship P -> 1 one (1 of M)`,
	);
	rules(
		"whose shipment was voided leaves as it is, if its lots stay the same",
		`L = 1 F0 arrive in ACME
		 H = acme reserves 1 one
		 O = acme orders H as k1
		 S = ship O -> 1 one (1 of L)
		 void S -> voided
		 ship O -> 1 one (1 of L)`,
	);
	rules(
		"whose box had a label is picked before it leaves after a quarantine, too",
		`L = 1 F0 arrive in ACME
		 M = 1 F0 arrive in shared
		 H = acme reserves 1 one
		 O = acme orders H as k1
		 label O
		 quarantine 1 of L -> 1 moved, 1 replaced, 0 lost
		 ship O -> wrong_state
		 void the label of O
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"whose box had a label is picked before it leaves, also after a hold for want of other units and a new label",
		`L = 1 F0 arrive in ACME
		 H = acme reserves 1 one
		 O = acme orders H as k1
		 label O
		 recall L -> 1 moved, 0 replaced, 1 lost
		 order O is -> held, lot_recalled
		 M = 1 F0 arrive in shared
		 release O -> released
		 label O
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"that held what a part was shipped of has it picked again after its release",
		`L = 2 F0 arrive in ACME
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 pick O -> picked
		 S = ship 1 one of O
		 recall L -> 1 moved, 0 replaced, 1 lost
		 order O is -> held, lot_recalled
		 M = 1 F0 arrive in shared
		 release O -> released
		 order O is -> partially_shipped
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 1 one (1 of M)`,
	);
	rules(
		"is not forgotten when the part that left is voided",
		`L = 1 F0 arrive in ACME, good for 9 days
		 K = 1 F0 arrive in ACME
		 M = 1 F0 arrive in shared
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 pick O -> picked
		 S = ship 1 one of O -> 1 one (1 of L)
		 recall K -> 1 moved, 1 replaced, 0 lost
		 void S -> voided
		 order O is -> placed
		 ship O -> wrong_state
		 pick O -> picked
		 ship O -> 2 one (1 of L, 1 of M)`,
	);
	rules(
		"leaves an order on hold that an operator held for it, though it replaced what it took",
		`L = 2 F0 arrive in ACME
		 M = 2 F0 arrive in shared
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 hold O for lot_recalled -> held
		 quarantine all of L -> 2 moved, 2 replaced, 0 lost
		 order O is -> held, lot_recalled
		 order O has -> 2 of M
		 boxes of O -> on_hold
		 told of O -> held for lot_recalled
		 release O -> released
		 order O is -> placed`,
	);
	rules(
		"takes from holds before it takes from orders, and leaves what was shipped",
		`L = 6 F0 arrive in ACME
		 H = acme reserves 2 one
		 I = acme reserves 2 one
		 J = acme reserves 2 one
		 O = acme orders I as k1
		 P = acme orders J as k2
		 ship P
		 quarantine 3 of L -> 3 moved, 0 replaced, 3 lost
		 H holds -> nothing
		 order O is -> held, lot_recalled
		 order P is -> shipped
		 L has -> 1 allocated, 2 shipped, 3 quarantined`,
	);
	rules(
		"is not what an order waits for whose replacement passed its date",
		`L = 1 F0 arrive in ACME, good for 5 days
		 M = 1 F0 arrive in ACME, good for 9 days
		 H = acme reserves 1 one
		 O = acme orders H as k1
		 recall L -> 1 moved, 1 replaced, 0 lost
		 10 days pass -> so be it
		 pick O -> held instead
		 order O is -> held, out_of_stock
		 told of O -> held for out_of_stock`,
	);
	rules(
		"keeps what an order waits for as it was said first",
		`L = 2 F0 arrive in ACME
		 H = acme reserves 2 one
		 O = acme orders H as k1
		 hold O
		 quarantine 1 of L -> 1 moved, 0 replaced, 1 lost
		 order O is -> held, operator
		 told of O -> held for operator`,
	);
});
