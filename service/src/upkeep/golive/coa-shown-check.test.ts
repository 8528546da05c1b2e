import { describe, expect, it } from "vitest";
import {
	type CheckCase,
	factsWith,
	judged,
	look,
	PDF,
	RETIRED_PDF,
	RETIREMENT,
	shownItem,
} from "../../../test/golive/example-facts.ts";
import { type CountsBySku, minute } from "../../../test/golive/example-requests.ts";
import { coaShownCheck } from "./coa-shown-check.ts";
import type { GoLiveFacts, Look } from "./facts.ts";
import { inOrder } from "./windows.ts";

const ONE: CountsBySku = { "SBX-LOW": 1, "SBX-OUT": 0 };
const OUT = shownItem("SBX-OUT", 0);
/** A look that shows links to these documents. */
const links = (id: string, at: number, low: string | null, out: string | null = PDF["SBX-OUT"] ?? null): Look =>
	look(id, at, ONE, [shownItem("SBX-LOW", 1, { coaUrl: low }), { ...OUT, coaUrl: out }]);
const LOW = PDF["SBX-LOW"] ?? null;
const OTHER = "https://coa/other.pdf";
/** Looks of a run whose certificate is retired in minute 30. */
const retiring = (...looks: readonly Look[]): Partial<GoLiveFacts> => ({ retirement: RETIREMENT, looks });
const BEFORE = links("a", minute(29), RETIRED_PDF);

const COA_SHOWN: readonly CheckCase[] = [
	["nothing was seen", {}, "waiting", []],
	["there is nothing to look at", { hasStatusAddress: false }, "review", []],
	["nothing was retired", { looks: [BEFORE] }, "waiting", ["a"]],
	[
		"a retired document is gone within ten minutes",
		retiring(BEFORE, links("b", minute(40), LOW)),
		"passed",
		["a", "b"],
	],
	["no look shows that it was within them", retiring(BEFORE, links("b", minute(40, 1), LOW)), "waiting", ["b"]],
	[
		"it may be linked for ten minutes",
		{ ...retiring(BEFORE, links("b", minute(40), RETIRED_PDF)), now: minute(40) },
		"waiting",
		["a"],
	],
	["not a millisecond more", retiring(BEFORE, links("b", minute(40, 1), RETIRED_PDF)), "failed", ["b"]],
	[
		"a document that was gone comes back",
		retiring(BEFORE, links("b", minute(35), LOW), links("c", minute(50), RETIRED_PDF)),
		"failed",
		["c"],
	],
	[
		"one that was kept too long needs another retirement",
		retiring(BEFORE, links("b", minute(41), RETIRED_PDF), links("c", minute(42), LOW)),
		"waiting",
		["b"],
	],
	["no look before it lists the product", retiring(links("b", minute(35), LOW)), "waiting", ["b"]],
	["a product links no document", retiring(BEFORE, links("b", minute(35), LOW, null)), "failed", ["b"]],
	["a product links another's", retiring(BEFORE, links("b", minute(35), PDF["SBX-OUT"] ?? null)), "failed", ["b"]],
	["a product links what is not current", retiring(BEFORE, links("b", minute(35), OTHER)), "failed", ["b"]],
	[
		"a right look mends it",
		retiring(BEFORE, links("b", minute(35), OTHER), links("c", minute(36), LOW)),
		"passed",
		["a", "c"],
	],
	[
		"what the look before had as current may be linked",
		retiring(BEFORE, {
			...links("b", minute(34), LOW),
			documents: new Map([
				["SBX-LOW", [OTHER]],
				["SBX-OUT", [OTHER]],
			]),
		}),
		"passed",
		["a", "b"],
	],
	[
		"what was current before the run may be linked for its first ten minutes",
		{ looks: [links("a", minute(5), OTHER), links("b", minute(10), LOW, null)] },
		"waiting",
		["b"],
	],
	["not a millisecond more", { looks: [links("a", minute(10, 1), OTHER)] }, "failed", ["a"]],
	[
		"a hidden product needs no link",
		retiring(BEFORE, look("b", minute(35), ONE, [shownItem("SBX-LOW", 1), { ...OUT, coaUrl: null, hidden: true }])),
		"passed",
		["a", "b"],
	],
];

describe("coa_shown", () => {
	it.each(COA_SHOWN)("%s", (_name, some, verdict, evidence) => {
		expect(judged(coaShownCheck, some)).toEqual([verdict, evidence]);
	});

	it("says how long a document was kept", () => {
		const { says } = coaShownCheck.judge(inOrder(factsWith(retiring(BEFORE, links("b", minute(41), RETIRED_PDF)))));
		expect(says).toBe(
			"The certificate of batch RUN-1 was retired at 2026-12-01T08:30:00.000Z, and was still linked 11 min later.",
		);
	});
});
