import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStockEngine, type StockEngine } from "../../src/assembly/engine.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { createCatalogCache } from "../../src/inventory/catalog/cache.ts";
import { Consume, Release, Reserve } from "../../src/inventory/holds/contract.ts";
import { CancelOrder, CombineShipments, PlaceOrder } from "../../src/inventory/orders/contract.ts";
import type { OrderReply } from "../../src/inventory/orders/order-reply.ts";
import { type Answer, type Client, createClient } from "../contract/client.ts";
import { CUSTOMER } from "../contract/order-world.ts";
import { type House, openHouse } from "../house.ts";
import { LINKS } from "../links.ts";
import { audit } from "../model/audit.ts";
import { killAll } from "../processes/child.ts";
import { takeOutInSteps } from "../recall-steps.ts";
import { sizeOr } from "../sizes.ts";

/*
 * The pairs of order-pairs.test.ts as requests: two at the same moment, each to a service process of its own, with the
 * operator's commands through a third node. Each pair has one winner, and the loser gets the exact reason.
 */

const ROUNDS = sizeOr(300, 20);
const AT_ONCE = 12;
const KITS = 2;

let house: House;
let nodes: Client[];
let operator: StockEngine;
let token: string;

beforeAll(async () => {
	house = await openHouse({ nodes: 2, processes: true });
	nodes = house.nodes.map(({ api }) => createClient(Number(new URL(api).port)));
	operator = openStockEngine(house.url, { catalog: createCatalogCache(), timeZone: "UTC", links: LINKS });
	({ token } = await house.mint({
		scopes: ["atp.reserve", "atp.release", "atp.consume", "atp.orders", "atp.shipments.combine"],
	}));
	await house.stock(Object.fromEntries(RACES.flatMap((_, n) => rounds.map((round) => [skuOf(n, round), 3 * KITS]))));
});
afterAll(async () => {
	for (const node of nodes) node.close();
	await operator.close();
	await house.close();
	await killAll();
});

const rounds = Array.from({ length: ROUNDS }, (_, n) => n);
const skuOf = (race: number, round: number): string => `PAIR-${race}-${round}`;
const origin = { actor: "operator:test", requestId: null };

/** One round of a race: separate stock, and the two nodes in this round's order. */
class Round {
	readonly #sku: string;
	readonly #nodes: readonly [Client, Client];
	constructor(race: number, round: number) {
		this.#sku = skuOf(race, round);
		const [one, other] = [must(nodes[round % 2], "a node"), must(nodes[(round + 1) % 2], "a node")];
		this.#nodes = [one, other];
	}
	async reserve(): Promise<string> {
		const { data } = await this.#nodes[0].call(Reserve, token, { items: [{ sku: this.#sku, qty: KITS }] });
		return data.reservation_token;
	}
	place(side: 0 | 1, reservation_token: string, ref = "cart"): Promise<Answer<OrderReply>> {
		const headers = { "idempotency-key": `${this.#sku}-${ref}` };
		return this.#nodes[side].call(PlaceOrder, token, { reservation_token, customer: CUSTOMER }, { headers });
	}
	async ordered(ref: string): Promise<OrderReply> {
		return (await this.place(0, await this.reserve(), ref)).data;
	}
	release = (reservation_token: string) => this.#nodes[1].call(Release, token, { reservation_token });
	consume = (reservation_token: string) =>
		this.#nodes[1].call(Consume, token, { reservation_token, external_ref: this.#sku });
	cancel = (side: 0 | 1, { order_id }: OrderReply) =>
		this.#nodes[side].call(CancelOrder, token, {}, { path: `/api/v1/orders/${order_id}/cancel` });
	combine = (side: 0 | 1, ...orders: readonly OrderReply[]) =>
		this.#nodes[side].call(CombineShipments, token, { order_refs: orders.map(({ order_id }) => order_id) });

	/** The operator's actions, with their results as verdicts. */
	async #tell(answer: Promise<unknown>): Promise<{ readonly verdict: string }> {
		const came = await answer;
		return { verdict: isRefusal(came) ? came.refusal : "done" };
	}
	pick = ({ order_id: orderId, reservation_token }: OrderReply) =>
		this.#tell(operator.execute({ kind: "pick", orderId, token: reservation_token }));
	ship = ({ order_id: orderId, reservation_token }: OrderReply) =>
		this.#tell(
			operator.execute({
				kind: "ship",
				origin,
				orders: [
					{
						orderId,
						token: reservation_token,
					},
				],
				items: null,
				carrierCode: "ups",
				serviceCode: null,
				trackingNumber: "1Z",
				newShipmentId: newId(),
			}),
		);
	async recall(): Promise<{ readonly verdict: string }> {
		const { rows } = await house.db.query<{ id: string }>(
			"select fg_id as id from lot join formula using (formula_id) where code = $1",
			[`F-${this.#sku}`],
		);
		const fgId = must(rows[0], "a lot").id;
		const command = { kind: "quarantine", origin, fgId, units: "all", reason: "recall" } as const;
		return this.#tell(takeOutInSteps(house.db, command));
	}
	async lapse(reservationToken: string): Promise<{ readonly verdict: string }> {
		await house.db.query("update hold set expires_at = now() where reservation_token = $1 and status = 'active'", [
			reservationToken,
		]);
		return { verdict: "over" };
	}
}

type Both = readonly [Promise<{ readonly verdict: string }>, Promise<{ readonly verdict: string }>];
interface Race {
	readonly name: string;
	/** The possible answers to the two, in this order. */
	readonly allowed: readonly string[];
	readonly run: (round: Round) => Promise<Both>;
}

const RACES: readonly Race[] = [
	{
		name: "placing a hold twice under one Idempotency-Key",
		allowed: ["201 and 200", "200 and 201"],
		run: async (round) => {
			const hold = await round.reserve();
			return [round.place(0, hold), round.place(1, hold)];
		},
	},
	{
		name: "placing a hold under two Idempotency-Keys",
		allowed: ["201 and 409 reservation_used", "409 reservation_used and 201"],
		run: async (round) => {
			const hold = await round.reserve();
			return [round.place(0, hold, "a"), round.place(1, hold, "b")];
		},
	},
	{
		name: "placing two holds under one Idempotency-Key",
		allowed: ["201 and 422 idempotency_mismatch", "422 idempotency_mismatch and 201"],
		run: async (round) => {
			const [one, other] = [await round.reserve(), await round.reserve()];
			return [round.place(0, one), round.place(1, other)];
		},
	},
	{
		name: "placing and consuming a hold",
		allowed: ["201 and 410 wrong_state", "409 reservation_used and 200"],
		run: async (round) => {
			const hold = await round.reserve();
			return [round.place(0, hold), round.consume(hold)];
		},
	},
	{
		name: "placing and releasing a hold",
		allowed: ["201 and 410 gone", "410 reservation_gone and 200"],
		run: async (round) => {
			const hold = await round.reserve();
			return [round.place(0, hold), round.release(hold)];
		},
	},
	{
		name: "placing a hold as its time ends",
		allowed: ["201 and over", "410 reservation_expired and over"],
		run: async (round) => {
			const hold = await round.reserve();
			return [round.place(0, hold), round.lapse(hold)];
		},
	},
	{
		name: "placing a hold of a lot that is recalled",
		allowed: ["201 and done", "409 reservation_empty and done"],
		run: async (round) => {
			const hold = await round.reserve();
			return [round.place(0, hold), round.recall()];
		},
	},
	{
		name: "cancelling an order twice",
		allowed: ["200 and 200"],
		run: async (round) => {
			const order = await round.ordered("a");
			return [round.cancel(0, order), round.cancel(1, order)];
		},
	},
	{
		name: "cancelling and picking an order",
		allowed: ["200 and wrong_state", "409 order_not_cancellable and done"],
		run: async (round) => {
			const order = await round.ordered("a");
			return [round.cancel(0, order), round.pick(order)];
		},
	},
	{
		name: "cancelling and shipping an order",
		allowed: ["200 and wrong_state", "409 order_not_cancellable and done"],
		run: async (round) => {
			const order = await round.ordered("a");
			return [round.cancel(0, order), round.ship(order)];
		},
	},
	{
		name: "combining two orders, each way round",
		allowed: ["200 and 200"],
		run: async (round) => {
			const [a, b] = [await round.ordered("a"), await round.ordered("b")];
			return [round.combine(0, a, b), round.combine(1, b, a)];
		},
	},
	{
		name: "combining an order with one and with another",
		allowed: ["200 and 409 wrong_state", "409 wrong_state and 200"],
		run: async (round) => {
			const [a, b, c] = [await round.ordered("a"), await round.ordered("b"), await round.ordered("c")];
			return [round.combine(0, a, b), round.combine(1, b, c)];
		},
	},
	{
		name: "combining two orders and cancelling one",
		allowed: ["200 and 200", "409 wrong_state and 200"],
		run: async (round) => {
			const [a, b] = [await round.ordered("a"), await round.ordered("b")];
			return [round.combine(0, a, b), round.cancel(1, b)];
		},
	},
	{
		name: "combining two orders and shipping one",
		allowed: ["200 and retry", "409 wrong_state and done"],
		run: async (round) => {
			const [a, b] = [await round.ordered("a"), await round.ordered("b")];
			return [round.combine(0, a, b), round.ship(a)];
		},
	},
];

describe("two requests at the same moment, at two service processes", () => {
	it.each(RACES.map((race, index) => [race.name, race, index] as const))("%s", async (_name, race, index) => {
		const came = new Map<string, number>();
		const left = [...rounds];
		await Promise.all(
			Array.from({ length: AT_ONCE }, async () => {
				for (let round = left.pop(); round !== undefined; round = left.pop()) {
					const [one, other] = await Promise.all(await race.run(new Round(index, round)));
					const words = `${one.verdict} and ${other.verdict}`;
					came.set(words, (came.get(words) ?? 0) + 1);
				}
			}),
		);
		expect([...came.keys()].filter((words) => !race.allowed.includes(words))).toEqual([]);
		expect([...came.values()].reduce((sum, n) => sum + n, 0)).toBe(ROUNDS);
		expect(await audit(house.db)).toEqual([]);
	});
});
