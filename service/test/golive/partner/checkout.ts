import { setTimeout as sleep } from "node:timers/promises";
import type { Ask, Client, Reply } from "./client.ts";
import type { Wrong } from "./wrong.ts";

/** A hold; or why there is none. */
export type Reserved = { readonly token: string } | { readonly token: null; readonly code: string | null };

interface Reserve {
	readonly minutes?: number;
	readonly own429?: boolean;
}

/** What a shop does with a cart. Each is safe to repeat. */
export interface Checkout {
	reserve(ref: string, sku: string, qty: number, more?: Reserve): Promise<Reserved>;
	release(token: string): Promise<void>;
	/** Reserves, and ends the checkout if there are not enough. */
	reserveOrEnd(ref: string, sku: string): Promise<void>;
	order(ref: string, token: string): Promise<void>;
	/** Follows an order until it has a tracking number. */
	follow(ref: string): Promise<void>;
	cancel(ref: string): Promise<void>;
	consume(ref: string, token: string): Promise<void>;
	reverse(ref: string): Promise<void>;
	/** Makes a cart that is larger than the key may hold, until there is room for it. */
	fill(ref: string): Promise<void>;
}

/** More than half of the units that the key may hold at a time. */
const MOST = 60;
/** Milliseconds between two reads of an order, and the reads until it must have left. */
const FOLLOW_EVERY_MS = 15_000;
const MOST_READS = 12;
/**
 * Number of attempts of a shop that repeats what it must not repeat, and of one that takes a new reference for each
 * attempt.
 */
const WRONG_TRIES = 4;
/** The fields that a shop which breaks on a new field knows in the replies to its writes. */
const KNOWN: ReadonlySet<string> = new Set(["reservation_token", "expires_at", "idempotent", "items", "ok"]);
/** A hold that nobody has made. */
const NO_HOLD = "0199f0a0-1111-7000-8000-00000000dead";
const CUSTOMER = {
	name: "Ada Example",
	ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
};

export function createCheckout(client: Client, wrong: Wrong | null): Checkout {
	const post = async (url: string, body: object, more: Partial<Ask> = {}): Promise<Reply> => {
		const ask: Ask = { method: "POST", url, body, ...more };
		const reply = await client.ask(ask);
		const isNew = reply.status < 300 && Object.keys(reply.data ?? {}).some((member) => !KNOWN.has(member));
		if (wrong !== "breaks-on-a-new-field" || !isNew || !/\/(reserve|release)$/.test(url)) return reply;
		return await client.ask(ask); // as if it had failed
	};

	const reserve = async (ref: string, sku: string, qty: number, more: Reserve = {}): Promise<Reserved> => {
		const { minutes = 30, own429 = false } = more;
		const once = (reference: string): Promise<Reply> => {
			const body = { items: [{ sku, qty }], external_ref: reference, ttl_minutes: minutes };
			const url = "/api/v1/reserve";
			return wrong === "takes-a-new-reference"
				? client.send({ method: "POST", url, body })
				: post(url, body, { own429 });
		};
		let reply = await once(ref);
		for (let tries = 1; tries < WRONG_TRIES; tries++) {
			if (wrong === "takes-a-new-reference" && reply.code === "retry") {
				await sleep(reply.retryAfterMs);
				reply = await once(`${ref}-${tries}`);
			} else if (wrong === "repeats-no-inventory" && reply.code === "no_inventory") reply = await once(ref);
		}
		return reply.status === 201 ? { token: reply.data.reservation_token } : { token: null, code: reply.code };
	};

	const checkout: Checkout = {
		reserve,
		async release(token) {
			await post("/api/v1/release", { reservation_token: token });
		},
		async reserveOrEnd(ref, sku) {
			const reserved = await reserve(ref, sku, 1);
			if (reserved.token !== null) return await checkout.release(reserved.token);
			if (wrong === "orders-after-no-inventory" && reserved.code === "no_inventory") await checkout.order(ref, NO_HOLD);
		},
		async order(ref, token) {
			const body = { reservation_token: token, external_order_id: `shop-${ref}`, customer: CUSTOMER };
			await post("/api/v1/orders", body, { idempotencyKey: ref });
		},
		async follow(ref) {
			for (let reads = 0; reads < MOST_READS; reads++) {
				const { data } = await client.ask({ method: "GET", url: `/api/v1/orders/${ref}` });
				const boxes: readonly { readonly tracking_number: string | null }[] = data?.shipments ?? [];
				if (boxes.some(({ tracking_number }) => tracking_number !== null)) return;
				await sleep(FOLLOW_EVERY_MS);
			}
		},
		async cancel(ref) {
			await post(`/api/v1/orders/${ref}/cancel`, {});
		},
		async consume(ref, token) {
			await post("/api/v1/consume", { reservation_token: token, external_ref: ref });
		},
		async reverse(ref) {
			await post("/api/v1/consume/reverse", { external_ref: ref });
		},
		async fill(ref) {
			const first = await reserve(`${ref}-a`, "SBX-HELD", MOST);
			let second = await reserve(`${ref}-b`, "SBX-HELD", MOST, { own429: true });
			// the client sends nothing more until it may; then there is room
			if (first.token !== null) await checkout.release(first.token);
			if (second.token === null) second = await reserve(`${ref}-b`, "SBX-HELD", MOST);
			if (second.token !== null) await checkout.release(second.token);
		},
	};
	return checkout;
}
