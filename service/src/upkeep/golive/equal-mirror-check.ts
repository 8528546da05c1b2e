import type { Check, CheckVerdict, Fault, GoLiveFacts, Look } from "./facts.ts";
import { type ComparedLook, compareLooks, readableLooks } from "./shown-counts.ts";
import { duration, failed, moment, passed, plural, toReview, waiting } from "./verdicts.ts";
import { drillStretches, FRESH_MS } from "./windows.ts";

/** Looks that have to be equal (operator contract, section 6). */
const ENOUGH_LOOKS = 3;
/** Maximum number of differences that a fault names. */
const MOST_TOLD = 3;
const CHANGE =
	"Change a count between two looks, for example by a reserve of SBX-LOW, and let the run look again, or post what you show to /api/v1/sandbox/shown.";
const CURE = `Show what the service answered last, not older than ${duration(FRESH_MS)}, for each mapped SKU: an item with its number in shown_qty, and hidden: false.`;

/**
 * What the partner shows equals the counts of that instant for every mapped SKU, in three looks with a change between
 * two of them. A look that differs only as much as a mirror of at most 5 min 10 s may is left out. Looks in a drill and
 * in the six minutes after it are left out. A difference is cleared by the next look in which all is equal; then three
 * looks are needed again. Without looks, a person has to compare.
 */
export const equalMirrorCheck: Check = {
	name: "mirror_equal",
	title: "Shown counts are the service's",
	passedWhen: `In ${ENOUGH_LOOKS} looks, with a change of a count between two of them, every mapped SKU shows the number that inventory had at that instant.`,
	optional: false,
	concerns: () => true,
	judge,
	faults: (facts) => compared(facts).filter(isWrong).map(faultOf),
};

const compared = (facts: GoLiveFacts): ComparedLook[] =>
	compareLooks(facts, readableLooks(facts, drillStretches(facts)));

const isWrong = ({ kind }: ComparedLook): boolean => kind === "wrong";

function faultOf({ look, differences }: ComparedLook): Fault {
	const left = differences.length - MOST_TOLD;
	const told = differences.slice(0, MOST_TOLD).join("; ") + (left > 0 ? `; and ${left} more` : "");
	return { at: look.at, evidence: [look.id], says: `In the look at ${moment(look.at)}, ${told}.`, cure: CURE };
}

function judge(facts: GoLiveFacts): CheckVerdict {
	if (!facts.hasStatusAddress && facts.looks.length === 0) {
		return toReview(
			"The run has no status address, and nothing was posted: it cannot see what you show.",
			"Give the run a status address, post what you show to /api/v1/sandbox/shown, or let the operator compare your pages with the counts.",
		);
	}
	const looks = compared(facts);
	if (looks.length === 0) return unseen(facts);
	const wrong = looks.findLastIndex(isWrong);
	const good = looks.slice(wrong + 1).filter(({ kind }) => kind === "equal");
	const last = looks[wrong];
	if (last !== undefined && good.length === 0) {
		const mended = looks.findLastIndex(({ kind }) => kind === "equal");
		return failed(
			faultOf(last),
			looks
				.slice(mended + 1)
				.filter(isWrong)
				.map(faultOf),
		);
	}
	const equal = good.map(({ look }) => look);
	const ids = equal.map(({ id }) => id);
	const seen = `Every one of ${plural(facts.mapped.length, "mapped SKU")} was equal in ${plural(equal.length, "look")}`;
	const changed = equal.findIndex((look, index) => index > 0 && isChanged(facts, equal[index - 1] as Look, look));
	const since = equal[0]?.at ?? null;
	if (equal.length < ENOUGH_LOOKS) return waiting(`${seen}; ${ENOUGH_LOOKS} are needed.`, CHANGE, since, ids);
	if (changed < 0) return waiting(`${seen}, but no count changed between them.`, CHANGE, since, ids);
	const third = changed >= 2 ? equal[changed - 2] : equal[changed + 1];
	const shown = equal.filter((look) => [equal[changed - 1], equal[changed], third].includes(look));
	const at = Math.max(...shown.map((look) => look.at));
	return passed(
		`${seen}, with a change of a count between two of them.`,
		at,
		shown.map(({ id }) => id),
	);
}

const isChanged = ({ mapped }: GoLiveFacts, before: Look, after: Look): boolean =>
	mapped.some((sku) => before.counts.get(sku) !== after.counts.get(sku));

function unseen(facts: GoLiveFacts): CheckVerdict {
	if (facts.mapped.length === 0) {
		return waiting("No SKU is mapped yet.", "List every SKU that you sell in the document at your status address.");
	}
	const problem = facts.looks.findLast((look) => look.problem !== null);
	return problem === undefined
		? waiting("What you show was not looked at yet.", CHANGE)
		: waiting(
				`What you show could not be read at ${moment(problem.at)}: ${problem.problem}.`,
				"Answer at your status address with {items: [{sku, shown_qty, hidden, coa_url}]} as JSON.",
				problem.at,
				[problem.id],
			);
}
