/** Partners that place orders for a label platform and cancel some, repeating each request until it is answered. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type Outgoing } from "../client.ts";
import type { Ground } from "../ground/types.ts";
import { startLoop } from "./loop.ts";

/** One order in this many is cancelled soon after it was placed. */
const CANCELLED_EVERY = 4;
/** Maximum milliseconds between an order and its cancellation. */
const MOST_THOUGHT_MS = 3_000;
const PAUSE_MS = 300;
const MOST_ATTEMPTS = 30;
const RETRY_MS = 500;
/** The platform did not answer, or refused: nothing was changed in Holdfast. */
const PLATFORM_FAILED = 502;

export interface Buyers {
	/** Ids of acknowledged orders. */
	readonly placed: ReadonlySet<string>;
	/** Ids of orders whose cancellation was acknowledged. */
	readonly cancelled: ReadonlySet<string>;
	stop(): Promise<void>;
}

export function startBuyers(ground: Ground, token: string, clients: number): Buyers {
	const placed = new Set<string>();
	const cancelled = new Set<string>();
	const nodes = ground.nodes.map(({ api }) => new Client(api));
	let asked = 0;
	const ask = async (request: Omit<Outgoing, "token">) => {
		for (let attempt = 1; ; attempt++) {
			const node = nodes[++asked % nodes.length] as Client;
			const answer = await node.send({ ...request, token });
			const known = answer.status !== null && (answer.status < 500 || answer.status === PLATFORM_FAILED);
			if (known || attempt === MOST_ATTEMPTS) return answer;
			await sleep(RETRY_MS);
		}
	};
	const post = (path: string, body: unknown, key?: string) =>
		ask({ method: "POST", path: `/api/v1/${path}`, body, ...(key === undefined ? {} : { key }) });
	const loop = startLoop(
		clients,
		async () => {
			const items = [{ sku: "BOXED", qty: 1 + (asked % 3) }];
			const reserve = await post("reserve", { items, external_ref: randomUUID() });
			const { reservation_token } = dataOf(reserve.reply);
			if (reservation_token === undefined) return;
			const order = dataOf((await post("orders", { reservation_token, customer: CUSTOMER }, randomUUID())).reply);
			if (order.order_id === undefined) return;
			placed.add(order.order_id);
			if (placed.size % CANCELLED_EVERY !== 0) return;
			await sleep((asked * RETRY_MS) % MOST_THOUGHT_MS);
			const answer = await post(`orders/${order.order_id}/cancel`, { reason: "changed my mind" });
			if (answer.status === 200) cancelled.add(order.order_id);
		},
		PAUSE_MS,
	);
	return {
		placed,
		cancelled,
		stop: async () => {
			await loop.stop();
			for (const node of nodes) node.close();
		},
	};
}

const CUSTOMER = {
	name: "A. Customer",
	ship_to: { line1: "1 Dock Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
};

const dataOf = (reply: unknown): { reservation_token?: string; order_id?: string } =>
	(reply as { data?: { reservation_token?: string; order_id?: string } } | null)?.data ?? {};
