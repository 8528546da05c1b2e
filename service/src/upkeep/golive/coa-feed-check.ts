import { isDone, listAt, memberAt, queryOf, textAt } from "./content.ts";
import type { Check, CheckVerdict, FactRequest, Fault, GoLiveFacts, Retirement } from "./facts.ts";
import { duration, failed, moment, passed, plural, toReview, waiting } from "./verdicts.ts";
import { TAKEN_DOWN_MS } from "./windows.ts";

/** Values of the parameter `status` with which the feed contains tombstones (settlements, section 8). */
const WITH_TOMBSTONES: ReadonlySet<string | null> = new Set(["all", "retired"]);
const FOLLOW =
	"Read the feed with status=all, keep next_cursor, and next time start with cursor=… and continue until has_more is false.";

/**
 * After the retirement, the feed was followed by `cursor` or `updated_since` to its end, and the tombstone was in it. A
 * partner that reads the feed, but has not fetched the tombstone ten minutes after the retirement, has failed; fetching
 * it later clears the fault. Replies that the log did not keep whole, and CSV, can only be judged by a person.
 */
export const coaFeedCheck: Check = {
	name: "coa_feed",
	title: "Withdrawn certificates are fetched",
	passedWhen:
		"After a retirement the feed is followed to its end by cursor or updated_since, and the tombstone is fetched.",
	optional: false,
	concerns: () => true,
	judge,
	faults: (facts) => (facts.retirement === null ? [] : missed(facts, facts.retirement)),
};

interface FeedPage {
	readonly request: FactRequest;
	/** The cursor or time after which it was read; null: from the beginning. */
	readonly after: string | null;
	/** Null: the reply was not kept, or is not JSON. */
	readonly hasMore: boolean | null;
	readonly next: string | null;
	readonly hasTombstones: boolean;
	readonly hasTombstone: boolean;
}

/** The pages that were read since the retirement. */
const pagesSince = ({ requests }: GoLiveFacts, retirement: Retirement): FeedPage[] =>
	requests
		.filter((request) => request.operation === "coaFeed" && isDone(request) && request.at >= retirement.at)
		.map((request) => {
			const query = queryOf(request);
			const hasMore = memberAt(request.reply, "data", "has_more");
			return {
				request,
				after: query.get("cursor") ?? query.get("updated_since"),
				hasMore: typeof hasMore === "boolean" ? hasMore : null,
				next: textAt(request.reply, "data", "next_cursor"),
				hasTombstones: WITH_TOMBSTONES.has(query.get("status")),
				hasTombstone: listAt(request.reply, "data", "items").some((item) => isTombstone(item, retirement)),
			};
		});

const isTombstone = (item: unknown, { slug, batchNumber }: Retirement): boolean =>
	textAt(item, "product", "slug") === slug &&
	textAt(item, "batch_number") === batchNumber &&
	textAt(item, "status") === "retired";

const isUnreadable = ({ hasMore, hasTombstones }: FeedPage): boolean => hasMore === null && hasTombstones;

/** The feed was read after the retirement, ten minutes have passed, and none of the pages had the tombstone. */
function missed(facts: GoLiveFacts, retirement: Retirement): Fault[] {
	const { at, batchNumber, slug } = retirement;
	const pages = pagesSince(facts, retirement);
	const mayHave = pages.some((page) => page.hasTombstone || isUnreadable(page));
	if (pages.length === 0 || mayHave || facts.now <= at + TAKEN_DOWN_MS) return [];
	const how = pages.some(({ hasTombstones }) => hasTombstones) ? "" : " with a status that leaves tombstones out";
	return [
		{
			at: at + TAKEN_DOWN_MS,
			evidence: pages.map(({ request }) => request.requestId),
			says: `Batch ${batchNumber} of ${slug} was retired at ${moment(at)}. The feed was read ${plural(pages.length, "time")} since${how}, and its tombstone was not fetched.`,
			cure: FOLLOW,
		},
	];
}

function judge(facts: GoLiveFacts): CheckVerdict {
	const { retirement } = facts;
	if (retirement === null) {
		return waiting(
			"No certificate was retired for the run yet.",
			"Ask the operator to retire a sandbox certificate for it.",
		);
	}
	const [fault] = missed(facts, retirement);
	if (fault !== undefined) return failed(fault);
	const { at, batchNumber } = retirement;
	const pages = pagesSince(facts, retirement);
	const found = pages.findLast(({ hasTombstone }) => hasTombstone);
	if (found === undefined) {
		const unread = pages.filter(isUnreadable).map(({ request }) => request);
		const last = unread.at(-1);
		if (last === undefined)
			return waiting(
				`The tombstone of batch ${batchNumber}, retired at ${moment(at)}, was not fetched yet.`,
				FOLLOW,
				at,
			);
		return toReview(
			`${plural(unread.length, "page")} of the feed may have the tombstone of batch ${batchNumber}, but the log has only JSON of up to 16 KiB.`,
			"Read the feed as JSON, with a limit of 20, until the check has seen the tombstone; or show the operator that you have it.",
			last.at,
			unread.map(({ requestId }) => requestId),
		);
	}
	const chains = pages.filter(({ hasTombstone }) => hasTombstone).map((page) => chainFrom(page, pages));
	const whole = chains.find((chain) => chain.some(isEnd) && chain.some(({ after }) => after !== null));
	if (whole !== undefined) {
		const end = whole.findIndex(
			(page, index) => isEnd(page) && whole.slice(0, index + 1).some(({ after }) => after !== null),
		);
		const read = whole.slice(0, end + 1);
		return passed(
			`The feed was followed to its end in ${plural(read.length, "page")}, and the tombstone of batch ${batchNumber} was fetched ${duration((read[0] ?? found).request.at - at)} after it was retired.`,
			(read.at(-1) ?? found).request.at,
			read.map(({ request }) => request.requestId),
		);
	}
	const what = chains.some((chain) => chain.some(isEnd))
		? "read from its beginning, not followed"
		: "not read to its end";
	return waiting(
		`The tombstone of batch ${batchNumber} was fetched, but the feed was ${what}.`,
		FOLLOW,
		found.request.at,
		[found.request.requestId],
	);
}

const isEnd = ({ hasMore }: FeedPage): boolean => hasMore === false;

/** A page and the pages that continue it, each read from where the previous one ended. */
function chainFrom(first: FeedPage, pages: readonly FeedPage[]): FeedPage[] {
	const chain = [first];
	for (const page of pages.slice(pages.indexOf(first) + 1)) {
		const last = chain.at(-1);
		if (last !== undefined && last.next !== null && page.after === last.next) chain.push(page);
	}
	return chain;
}
