/** Readers that follow the list of boxes must see every change of a box in the end. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import type { Probe } from "../room.ts";
import type { BoxReply, PageAttempt, PageReply } from "./attempts.ts";
import type { BoxFact, OrderFacts } from "./look-up-sql.ts";

/** One reader: a key, and the brand whose boxes it follows. */
interface Reader {
	readonly actor: string;
	readonly brand: string | null;
	/** Whether requests name the brand. */
	readonly named: boolean;
	readonly pages: readonly (PageAttempt & { readonly page: PageReply })[];
}

const ALWAYS = [401, 429];

function readersIn(on: Case, pages: readonly PageAttempt[]): Reader[] {
	const told = pages.flatMap((attempt) => (attempt.page === null ? [] : [{ ...attempt, page: attempt.page }]));
	return [...Map.groupBy(told, ({ actor, brand }) => `${actor} ${brand}`).values()].map((own) => {
		const { actor = "", brand = null } = own[0] ?? {};
		return { actor, brand: brand ?? on.actor(actor).brand, named: brand !== null, pages: own };
	});
}

export function judgePages(on: Case, pages: readonly PageAttempt[], facts: OrderFacts | null): Finding[] {
	const refused = pages
		.filter(({ outcome, status }) => outcome === "refused" && !ALWAYS.includes(status ?? 0))
		.map(({ actor, status, code, end }) =>
			finding("unexpected", `list of shipments by ${actor} answers ${status} ${code}`, end, "shipments"),
		);
	const readers = readersIn(on, pages);
	return [
		...refused,
		...readers.flatMap(judgeBrand),
		...readers.flatMap(judgeOlder),
		...(facts ? readers.flatMap((reader) => judgeMissed(reader, facts)) : []),
	];
}

const judgeBrand = ({ actor, brand, pages }: Reader): Finding[] =>
	pages.flatMap(({ page, end }) =>
		page.items
			.filter(({ brand_code: of }) => of !== brand)
			.map(({ shipment_id: id, brand_code: of }) =>
				finding("leak", `list of shipments of ${brand} by ${actor} shows ${id} of ${of}`, end, "shipments"),
			),
	);

/** A box never appears in an older version than before. */
function judgeOlder({ actor, pages }: Reader): Finding[] {
	const newest = new Map<string, { version: number; end: number }>();
	return pages
		.toSorted((a, b) => a.end - b.end)
		.flatMap(({ page, cursor, start, end }) =>
			page.items.flatMap(({ shipment_id: id, version }) => {
				const before = newest.get(id);
				if (!before || version >= before.version) newest.set(id, { version, end });
				// a page requested again from the same cursor may contain less, but nothing older
				return before && version < before.version && before.end < start
					? [
							finding(
								"wrong read",
								`box ${id} was shown to ${actor} in version ${version} after ${before.version} (cursor ${cursor})`,
								end,
								"shipments",
							),
						]
					: [];
			}),
		);
}

/** Final versions that a reader has seen, and how far it has read: boxes change in the order of their numbers. */
function seenBy({ pages, brand }: Reader, { boxes }: OrderFacts) {
	const versions = new Map<string, number>();
	const see = ({ shipment_id: id, version }: BoxReply): unknown =>
		versions.set(id, Math.max(version, versions.get(id) ?? 0));
	for (const { page } of pages) page.items.forEach(see);
	const own = boxes.filter((box) => box.brand === brand);
	const isSeen = ({ shipmentId, version }: BoxFact): boolean => versions.get(shipmentId) === version;
	return { own, isSeen, reached: Math.max(0, ...own.filter(isSeen).map(({ seq }) => seq)) };
}

function judgeMissed(reader: Reader, facts: OrderFacts): Finding[] {
	const { own, isSeen, reached } = seenBy(reader, facts);
	return own
		.filter((box) => box.seq < reached && !isSeen(box))
		.map(({ shipmentId, version, seq }) =>
			finding(
				"lost",
				`${reader.actor} followed the boxes of ${reader.brand} to number ${reached} but never saw version ${version} of ${shipmentId}, number ${seq}`,
				null,
				"shipments",
			),
		);
}

/** Maximum number of boxes per page. */
const MOST_ITEMS = 500;

/** Reads the rest of each list: then a reader has seen the final version of every box. */
export function followUps(on: Case, pages: readonly PageAttempt[], facts: OrderFacts | null): Probe[] {
	if (facts === null) return [];
	return readersIn(on, pages).map((reader): Probe => {
		const { actor, brand, named } = reader;
		const last = reader.pages.reduce((latest, page) => (page.end > latest.end ? page : latest));
		const query = new URLSearchParams({ limit: String(MOST_ITEMS), cursor: last.page.next_cursor });
		if (named) query.set("brand_code", brand ?? "");
		return {
			actor,
			method: "GET",
			path: `/api/v1/shipments?${query.toString()}`,
			urgent: true,
			judge: (status, reply) => {
				if (status !== 200)
					return finding("unexpected", `list of shipments by ${actor} answers ${status} at the end`, null, "shipments");
				const { items, has_more: more } = (reply as { data: PageReply }).data;
				const { own, isSeen } = seenBy(reader, facts);
				const missed = own.find(
					(box) =>
						!isSeen(box) && !items.some((item) => item.shipment_id === box.shipmentId && item.version === box.version),
				);
				if (missed === undefined || more) return null;
				return finding(
					"lost",
					`${actor} followed the boxes of ${brand} to their end, but never saw version ${missed.version} of ${missed.shipmentId}`,
					null,
					"shipments",
				);
			},
		};
	});
}
