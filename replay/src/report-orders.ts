import type { OrdersReport } from "./fulfil.ts";
import type { OrderTally } from "./tally.ts";

export type OrdersResult = ReturnType<typeof toOrdersResult>;

/** The results of orders, as data. */
export function toOrdersResult(tally: OrderTally, report: OrdersReport) {
	const status = (word: string): number => report.by_status[word] ?? 0;
	return {
		placed: tally.placed,
		replayed: tally.replayed,
		holds_made_again: tally.placedAnew,
		holds_that_lost_units: tally.holdsLost,
		cancelled: tally.cancelled,
		not_cancellable: tally.notCancellable,
		shipped_whole: status("shipped") - report.shipped_in_parts_and_done,
		shipped_in_parts: report.shipped_in_parts_and_done,
		at_the_end: report.by_status,
		boxes: { left: tally.boxes, with_a_part: tally.parts, voided: tally.voided, at_the_end: report.boxes },
		combined: tally.combined,
		combined_too_late: tally.combinedLate,
		lots_recalled: tally.lotsRecalled,
		units_recalled: tally.unitsRecalled,
		held_by_operator: tally.heldByOperator,
		held_by_recall: {
			total: tally.heldByRecall,
			restocked_and_released: tally.restocked,
			cancelled_by_their_partner: tally.givenUp,
			still_held: report.held_by_recall_at_the_end,
		},
		events: report.events,
		readers: report.readers,
	};
}

const number = (value: number): string => value.toLocaleString("en-US");
const counts = (words: Readonly<Record<string, number>>): string =>
	Object.entries(words)
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.map(([word, count]) => `${word.replaceAll("_", " ")} ${number(count)}`)
		.join(", ") || "none";

/** The same as rows of a table for people. */
export function orderRows(orders: OrdersResult): [string, string][] {
	const { boxes, held_by_recall: held } = orders;
	return [
		[
			"orders",
			`${number(orders.placed)} placed, ${number(orders.replayed)} places replayed, ${number(orders.holds_made_again)} from a hold made again, ${number(orders.holds_that_lost_units)} holds that had lost units`,
		],
		[
			"orders shipped",
			`${number(orders.shipped_whole)} whole, ${number(orders.shipped_in_parts)} in parts; ${number(orders.cancelled)} cancelled, ${number(orders.not_cancellable)} no longer`,
		],
		["orders at the end", counts(orders.at_the_end)],
		[
			"boxes",
			`${number(boxes.left)} left (${number(boxes.with_a_part)} with a part of an order), ${number(boxes.voided)} voided; ${number(orders.combined)} combined, ${number(orders.combined_too_late)} too late`,
		],
		["boxes at the end", counts(boxes.at_the_end)],
		[
			"recalls",
			`${number(orders.lots_recalled)} lots, ${number(orders.units_recalled)} units out of sale; ${number(held.total)} orders held: ${number(held.restocked_and_released)} restocked and released, ${number(held.cancelled_by_their_partner)} cancelled by their partner, ${number(held.still_held)} still held`,
		],
		["held by the operator", number(orders.held_by_operator)],
		["events", counts(orders.events)],
		...orders.readers.map(({ reader, pages, received, rows, in_tables }): [string, string] => [
			reader,
			`${number(rows)} of ${number(in_tables)} rows, told ${number(received)} times on ${number(pages)} pages`,
		]),
	];
}
