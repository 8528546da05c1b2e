import type {
	Check,
	CheckVerdict,
	FactRequest,
	GoLiveFacts,
	Look,
	ShownItem,
	VerdictWord,
} from "../../src/upkeep/golive/facts.ts";
import { inOrder } from "../../src/upkeep/golive/windows.ts";
import { type CountsBySku, minute } from "./example-requests.ts";

/*
 * Facts for the tests of checks, and their table of cases.
 */

/** Some requests, the verdict on them, what it names, and other facts. */
export type Case = readonly [
	name: string,
	requests: readonly FactRequest[],
	verdict: VerdictWord,
	evidence: readonly string[],
	some?: Partial<GoLiveFacts>,
];

/** A run in which nothing has happened, of a key that may do everything. */
export const NOTHING: GoLiveFacts = {
	now: minute(200),
	startedAt: minute(0),
	mayReserve: true,
	mayOrder: true,
	mayConsume: true,
	hasEndpoint: true,
	hasStatusAddress: true,
	mapped: ["SBX-LOW", "SBX-OUT"],
	requests: [],
	looks: [],
	retirement: null,
	probes: [],
	deliveries: [],
	drills: [],
	unkind: null,
	reviews: [],
};
export const factsWith = (some: Partial<GoLiveFacts>): GoLiveFacts => ({ ...NOTHING, ...some });

/** The addresses of the documents of the two products. */
export const PDF: { readonly [sku: string]: string } = {
	"SBX-LOW": "https://coa/low.pdf",
	"SBX-OUT": "https://coa/out.pdf",
};
export const RETIRED_PDF = "https://coa/retired.pdf";
export const RETIREMENT = {
	at: minute(30),
	skus: ["SBX-LOW"],
	slug: "sbx-low",
	batchNumber: "RUN-1",
	document: RETIRED_PDF,
};
export const TOMBSTONE = {
	product: { slug: "sbx-low" },
	batch_number: "RUN-1",
	status: "retired",
	certificate_url: "",
};

export const shownItem = (sku: string, shownQty: number | null, some: Partial<ShownItem> = {}): ShownItem => ({
	sku,
	shownQty,
	hidden: false,
	coaUrl: PDF[sku] ?? null,
	...some,
});
/**
 * A look at a site. Each product has its own document as current; before the retirement, SBX-LOW also has the one that
 * is retired.
 */
export const look = (
	id: string,
	at: number,
	counts: CountsBySku,
	items: readonly ShownItem[],
	some: Partial<Look> = {},
): Look => ({
	at,
	id,
	source: "address",
	problem: null,
	items,
	counts: new Map(Object.entries(counts)),
	documents: new Map(
		Object.entries(PDF).map(([sku, pdf]) => [
			sku,
			sku === "SBX-LOW" && at < RETIREMENT.at ? [pdf, RETIRED_PDF] : [pdf],
		]),
	),
	...some,
});
/** A look at a site that shows the counts. */
export const equalLook = (id: string, at: number, counts: CountsBySku): Look =>
	look(
		id,
		at,
		counts,
		Object.entries(counts).map(([sku, qty]) => shownItem(sku, qty)),
	);

/** Some facts, the verdict of a check on them, and the ids that it names. */
export type CheckCase = readonly [
	name: string,
	some: Partial<GoLiveFacts>,
	verdict: VerdictWord,
	evidence: readonly string[],
];

export const verdictOn = (check: Check, some: Partial<GoLiveFacts>): CheckVerdict =>
	check.judge(inOrder(factsWith(some)));

/** The word and the evidence of a verdict. */
export const judged = (check: Check, some: Partial<GoLiveFacts>): [VerdictWord, readonly string[]] => {
	const { verdict, evidence } = verdictOn(check, some);
	return [verdict, evidence];
};
