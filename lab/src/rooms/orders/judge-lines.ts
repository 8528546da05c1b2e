/** Line and lot of shipped units, and the events that partners got about them. */
import type { Case } from "../../check/case.ts";
import { type Finding, finding } from "../../check/findings.ts";
import { isRecallable } from "../holds/lives.ts";
import type { Career, Careers } from "./careers.ts";
import type { BoxFact, EventFact, OrderFacts, PackedFact, ToldItem } from "./look-up-sql.ts";

export function judgeOrderLines(on: Case, { byId }: Careers, { boxes, events }: OrderFacts): Finding[] {
	const packed = Map.groupBy(
		boxes.filter(({ status }) => status === "shipped").flatMap(({ items }) => items),
		({ orderId }) => orderId,
	);
	const byBox = new Map(boxes.map((box) => [box.shipmentId, box]));
	// events without a body, after their retention, cannot be compared
	const shipped = events.filter(({ type, items }) => type === "order.shipped" && items !== null);
	return [
		...[...byId.values()].flatMap((career) => judgeShippedLots(on, career, packed.get(career.orderId) ?? [])),
		...shipped.flatMap((event) => judgeTold(event, byBox.get(event.shipmentId ?? ""))),
		...[...Map.groupBy(shipped, ({ orderId }) => orderId)].flatMap(([orderId, own]) =>
			judgeFinal(on, byId.get(orderId ?? ""), own, byBox),
		),
	];
}

/** Units by line and lot. */
const summed = (rows: readonly (readonly [number, string, number])[]): string => {
	const sums = new Map<string, number>();
	for (const [line, fgId, units] of rows) sums.set(`${line} ${fgId}`, (sums.get(`${line} ${fgId}`) ?? 0) + units);
	return [...sums]
		.map(([name, units]) => `${name}: ${units}`)
		.sort()
		.join(", ");
};

/** The shipped units of each line, by lot, are those in the boxes that left. */
function judgeShippedLots(on: Case, { orderId, life }: Career, packed: readonly PackedFact[]): Finding[] {
	if (!life?.fact || isRecallable(on, life)) return [];
	const bound = life.fact.rows.flatMap(([line, , , fgId, units, state]) =>
		state === "shipped" ? [[line, fgId, units] as const] : [],
	);
	const inBoxes = packed.flatMap(({ line, lots }) => lots.map(([fgId, , units]) => [line, fgId, units] as const));
	const [is, expected] = [summed(bound), summed(inBoxes)];
	if (is === expected) return [];
	return [
		finding(
			"changed",
			`order ${orderId} has shipped ${is || "nothing"} by line and lot, but its boxes have ${expected || "nothing"}`,
			null,
			"orders",
		),
	];
}

/** Kits and units by SKU and batch: lines of one SKU may be reported as one or as several. */
function contents(items: readonly ToldItem[]): string {
	const sums = new Map<string, number>();
	const add = (name: string, units: number): unknown => sums.set(name, (sums.get(name) ?? 0) + units);
	for (const { sku, qty, lots } of items) {
		add(`${sku} kits`, qty);
		for (const { batch_number: batch, units } of lots) add(`${sku} ${batch}`, units);
	}
	return [...sums]
		.map(([name, units]) => `${name}: ${units}`)
		.sort()
		.join(", ");
}

/** An event reports the content of its box. */
function judgeTold({ eventId, orderId, items }: EventFact, box: BoxFact | undefined): Finding[] {
	if (!box || items === null) return [];
	const own = box.items
		.filter((item) => item.orderId === orderId)
		.map(({ sku, qty, lots }) => ({
			sku,
			qty,
			lots: lots.map(([, batch_number, units]) => ({ batch_number, units })),
		}));
	const [told, packed] = [contents(items), contents(own)];
	return told === packed
		? []
		: [
				finding(
					"changed",
					`event ${eventId} reports ${told}, but box ${box.shipmentId} contains ${packed}`,
					null,
					"events",
				),
			];
}

/**
 * `final` is true exactly when nothing was left: if no box of the order was voided, in the event with its last kits.
 */
function judgeFinal(
	on: Case,
	career: Career | undefined,
	events: readonly EventFact[],
	boxes: ReadonlyMap<string, BoxFact>,
): Finding[] {
	const { life = null } = career ?? {};
	if (!life?.fact || isRecallable(on, life)) return [];
	if (events.some(({ shipmentId }) => boxes.get(shipmentId ?? "")?.status !== "shipped")) return [];
	const total = life.fact.rows.reduce((sum, [, , , , units]) => sum + units, 0);
	let gone = 0;
	return events
		.toSorted((a, b) => a.version - b.version)
		.flatMap(({ eventId, final, items }) => {
			gone += (items ?? []).flatMap(({ lots }) => lots).reduce((sum, { units }) => sum + units, 0);
			const expected = gone >= total;
			return final === expected
				? []
				: [
						finding(
							"changed",
							`event ${eventId} says final: ${final}, but ${gone} of ${total} units had left`,
							null,
							"events",
						),
					];
		});
}
