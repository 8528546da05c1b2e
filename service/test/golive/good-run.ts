import type { FactRequest, GoLiveFacts, Unkindness } from "../../src/upkeep/golive/facts.ts";
import { equalLook, factsWith, look, RETIREMENT, shownItem, TOMBSTONE } from "./example-facts.ts";
import {
	type CountsBySku,
	cancel,
	consume,
	feed,
	getOrder,
	minute,
	place,
	products,
	refused,
	release,
	reserve,
	reverse,
} from "./example-requests.ts";

/*
 * A run of 200 minutes in which a partner does everything right, for the tests of checks.
 */

/** The counts of the run: two of SBX-LOW are taken in its 20th minute. */
export const countsAt = (minutes: number): CountsBySku => ({ "SBX-LOW": minutes < 20 ? 3 : 1, "SBX-OUT": 0 });

/** A partner that does everything right. */
export function goodRun(): GoLiveFacts {
	const refusedKey = { status: 401, code: "unauthorized", reply: null };
	const isDrilled = (minutes: number): boolean => minutes >= 100 && minutes < 110;
	const times = Array.from({ length: 100 }, (_none, index) => index * 2);
	const reads = times.map((minutes) =>
		products(`read-${minutes}`, minute(minutes), countsAt(minutes), isDrilled(minutes) ? refusedKey : {}),
	);
	const looks = times.map((minutes) => {
		const at = minute(minutes, 30_000);
		const counts = countsAt(minutes);
		return isDrilled(minutes)
			? look(
					`look-${minutes}`,
					at,
					counts,
					Object.keys(counts).map((sku) => shownItem(sku, null, { hidden: true })),
				)
			: equalLook(`look-${minutes}`, at, counts);
	});
	return factsWith({
		requests: [...reads, ...goodFlows(), ...goodUnkindness()],
		looks,
		retirement: RETIREMENT,
		probes: [
			{ at: minute(70), deliveryId: "p1", kind: "good", repeats: null, status: 200 },
			{ at: minute(71), deliveryId: "p2", kind: "repeated_id", repeats: "p1", status: 200 },
			{ at: minute(72), deliveryId: "p3", kind: "bad_signature", repeats: null, status: 401 },
			{ at: minute(73), deliveryId: "p4", kind: "old_timestamp", repeats: null, status: 400 },
			{ at: minute(74), deliveryId: "p5", kind: "double_signature", repeats: null, status: 204 },
		],
		deliveries: [152, 153].map((minutes, index) => ({
			at: minute(minutes),
			deliveryId: `d${index}`,
			eventId: "evt_1",
			type: "order.shipped",
			orderId: "o1",
			trackingNumber: "T1",
			status: 200,
		})),
		drills: [{ from: minute(100), to: minute(110) }],
		unkind: { from: minute(120), to: minute(180), acts: ACTS },
	});
}

const ACTS: readonly Unkindness[] = [
	{ at: minute(130), id: "u1", kind: "retry" },
	{ at: minute(141), id: "u3", kind: "rate_limited" },
	{ at: minute(145), id: "u5", kind: "new_field" },
	{ at: minute(152), id: "d0", kind: "event_late" },
	{ at: minute(153), id: "d1", kind: "event_twice" },
];

/** The feed, holds, orders, a consume, and refusals. */
const goodFlows = (): FactRequest[] => [
	feed("feed-1", minute(10), "status=all", [], "c1"),
	feed("feed-2", minute(33), "status=all&cursor=c1", [TOMBSTONE], "c2"),
	reserve("r1", minute(40), "cart-1", "h1"),
	reserve("r2", minute(40, 9_000), "cart-1", "h1", true),
	release("r3", minute(41), { reservation_token: "h1" }),
	reserve("r4", minute(42), "cart-2", "h2"),
	refused("r5", minute(43), "no_inventory", "cart-3"),
	refused("r6", minute(44), "retry", "cart-4"),
	refused("r7", minute(44, 2_000), "retry", "cart-4"),
	reserve("r8", minute(50), "cart-5", "h5"),
	place("o-1", minute(50, 9_000), "cart-5", "h5", "o1"),
	reserve("r9", minute(51), "cart-6", "h6"),
	place("o-2", minute(51, 9_000), "cart-6", "h6", "o2"),
	cancel("o-3", minute(51, 15_000), "o2"),
	getOrder("o-4", minute(53), "o1", "T1"),
	reserve("r10", minute(60), "cart-7", "h7"),
	consume("c-1", minute(60, 9_000), { reservation_token: "h7", external_ref: "sale-7" }),
	reverse("c-2", minute(61), { external_ref: "sale-7" }),
];

/** What the partner sends in the unkind hour beside its reads. */
const goodUnkindness = (): FactRequest[] => [
	{ ...reserve("u1", minute(130), "cart-8", "h8"), status: 409, code: "retry", reply: null },
	reserve("u2", minute(130, 2_000), "cart-8", "h8"),
	products("u3", minute(141), {}, { status: 429, code: "rate_limited", retryAfter: 5 }),
	products("u4", minute(141, 6_000), countsAt(141)),
	reserve("u5", minute(145), "cart-9", "h9"),
];
