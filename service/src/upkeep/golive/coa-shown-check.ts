import type { Check, CheckVerdict, Fault, GoLiveFacts, Look, Retirement } from "./facts.ts";
import { readableLooks } from "./shown-counts.ts";
import { duration, failed, inTime, moment, passed, toReview, waiting } from "./verdicts.ts";
import { between, drillStretches, TAKEN_DOWN_MS } from "./windows.ts";

const LINK =
	"Put the certificate_url of a current certificate of the SKU's product into coa_url, and null where the feed has none.";
const TAKE_DOWN = `Follow the feed with status=all at least every 5 min, and take a certificate down when its record is retired, within ${duration(TAKEN_DOWN_MS)}.`;
const RETIRE = "Ask the operator to retire a sandbox certificate for the run";

/**
 * Each listed product links to the PDF of one of its current certificates, or to none if it has none; and the site
 * stops linking to the document that was retired for the run within ten minutes. A link may still lead to a document
 * that was current in a look within the last ten minutes, or in the last look before them. In the first ten minutes of
 * a run no link is wrong, because it is not known what was current before. A wrong link is cleared by the next look in
 * which all links are right. A link that was kept too long is cleared only by another retirement after which a look
 * within ten minutes shows that the link is gone.
 */
export const coaShownCheck: Check = {
	name: "coa_shown",
	title: "Current certificates are shown",
	passedWhen: `Every listed product links to the PDF of its current certificate, and no longer links to one ${duration(TAKEN_DOWN_MS)} after it was retired.`,
	optional: false,
	concerns: () => true,
	judge,
	faults: (facts) => inTime([...wrongLinks(facts), ...kept(facts)]),
};

const looksOf = (facts: GoLiveFacts): Look[] => readableLooks(facts, drillStretches(facts));

/** The SKUs whose links are wrong. */
function wrongSkus(facts: GoLiveFacts, look: Look, index: number, looks: readonly Look[]): string[] {
	const { retirement, startedAt } = facts;
	if (look.at <= startedAt + TAKEN_DOWN_MS) return [];
	const isRetired = (coaUrl: string | null): boolean =>
		retirement !== null && look.at >= retirement.at && coaUrl === retirement.document;
	const wrong = look.items.filter(
		({ hidden, coaUrl, sku }) => !hidden && !isRetired(coaUrl) && !isRight(coaUrl, look.documents.get(sku)),
	);
	if (wrong.length === 0) return [];
	const before = [...between(looks, look.at - TAKEN_DOWN_MS, look.at), ...looks.slice(Math.max(0, index - 1), index)];
	return wrong
		.filter(({ coaUrl, sku }) => !before.some(({ documents }) => isRight(coaUrl, documents.get(sku))))
		.map(({ sku }) => sku);
}

const isRight = (coaUrl: string | null, documents: readonly string[] = []): boolean =>
	coaUrl === null ? documents.length === 0 : documents.includes(coaUrl);

function wrongLinks(facts: GoLiveFacts): Fault[] {
	return looksOf(facts).flatMap((look, index, looks) => {
		const skus = wrongSkus(facts, look, index, looks);
		if (skus.length === 0) return [];
		const told = skus.slice(0, 3).map((sku) => {
			const linked = look.items.find((item) => item.sku === sku)?.coaUrl ?? "no document";
			return `${sku} links to ${linked}, and its current certificate is ${look.documents.get(sku)?.join(" or ") || "none"}`;
		});
		return {
			at: look.at,
			evidence: [look.id],
			says: `In the look at ${moment(look.at)}, ${told.join("; ")}.`,
			cure: LINK,
		};
	});
}

const linksRetired = ({ items }: Look, { document }: Retirement): boolean =>
	items.some(({ hidden, coaUrl }) => !hidden && coaUrl === document);

/** Looks in which the retired document is still linked after the ten minutes. */
function kept(facts: GoLiveFacts): Fault[] {
	const { retirement } = facts;
	if (retirement === null) return [];
	return looksOf(facts)
		.filter((look) => look.at > retirement.at + TAKEN_DOWN_MS && linksRetired(look, retirement))
		.map((look) => ({
			at: look.at,
			evidence: [look.id],
			says: `The certificate of batch ${retirement.batchNumber} was retired at ${moment(retirement.at)}, and was still linked ${duration(look.at - retirement.at)} later.`,
			cure: TAKE_DOWN,
		}));
}

function judge(facts: GoLiveFacts): CheckVerdict {
	if (!facts.hasStatusAddress && facts.looks.length === 0) {
		return toReview(
			"The run has no status address, and nothing was posted: it cannot see which documents you link.",
			"Give the run a status address, post what you show to /api/v1/sandbox/shown, or let the operator look at your pages.",
		);
	}
	const looks = looksOf(facts).filter(({ items }) => items.some(({ hidden }) => !hidden));
	const last = looks.at(-1);
	if (last === undefined) return waiting("No look has shown a listed product yet.", LINK);
	const faults = coaShownCheck.faults(facts);
	const wrong = new Set(faults.map(({ at }) => at));
	const right = looks.filter(({ at }) => !wrong.has(at));
	const lastFault = faults.at(-1);
	if (lastFault === undefined || lastFault.at !== last.at) return judgeTakenDown(facts, right, last);
	const since = right.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
	return failed(
		lastFault,
		faults.filter(({ at }) => at > since),
	);
}

/**
 * The verdict when the links are right now: it depends on whether these looks show that the retired document was taken
 * down.
 */
function judgeTakenDown(facts: GoLiveFacts, looks: readonly Look[], last: Look): CheckVerdict {
	const { retirement } = facts;
	const right = `All links are right in the look at ${moment(last.at)}`;
	if (retirement === null) {
		return waiting(`${right}; no certificate was retired for the run yet.`, `${RETIRE}.`, last.at, [last.id]);
	}
	const { at, skus, batchNumber } = retirement;
	const tooLate = kept(facts)[0];
	if (tooLate !== undefined) {
		return waiting(
			`${right}, but the certificate of batch ${batchNumber} was taken down too late.`,
			`${TAKE_DOWN} ${RETIRE} once more.`,
			tooLate.at,
			tooLate.evidence,
		);
	}
	const lists = (look: Look): boolean => look.items.some(({ sku, hidden }) => !hidden && skus.includes(sku));
	const before = looks.findLast((look) => look.at <= at && lists(look));
	const after = looks.find(
		(look) => look.at > at && look.at <= at + TAKEN_DOWN_MS && lists(look) && !linksRetired(look, retirement),
	);
	if (before !== undefined && after !== undefined) {
		return passed(
			`${right}, and the certificate of batch ${batchNumber} was no longer linked ${duration(after.at - at)} after it was retired.`,
			after.at,
			[before.id, after.id],
		);
	}
	if (facts.now <= at + TAKEN_DOWN_MS && before !== undefined) {
		return waiting(`${right}; batch ${batchNumber} was retired at ${moment(at)}.`, TAKE_DOWN, at, [before.id]);
	}
	const lacks =
		before === undefined
			? `no look before the retirement of batch ${batchNumber} lists ${skus.join(" or ")}`
			: `no look in the ${duration(TAKEN_DOWN_MS)} after the retirement of batch ${batchNumber} shows ${skus.join(" or ")} without its document`;
	return waiting(
		`${right}, but ${lacks}.`,
		`List ${skus.join(", ")}, and let the run look or post what you show at least every 5 min. ${RETIRE} once more.`,
		last.at,
		[last.id],
	);
}
