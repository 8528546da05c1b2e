import { assert, must } from "../../src/ground/lib/assert.ts";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { CancelOrder, GetOrder, PlaceOrder } from "../../src/inventory/orders/contract.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { Introspect } from "../../src/partners/keys/contract.ts";
import type { Answer } from "./client.ts";
import { CUSTOMER } from "./order-world.ts";
import { type Player, playerOf } from "./sandbox-world.ts";
import { neverIssued, unique, type World } from "./world.ts";

/** A refusal, as it was answered. */
export type Played = Pick<Answer, "verdict" | "headers">;

/** A sandbox key with its commands, and another key of the same partner. */
export type Stage = ReturnType<typeof stageOf>;

/** `key`: the token of a sandbox key. `other`: who plays with another key of the same partner. */
export function stageOf(world: World, key: string, other: Player) {
	const player = playerOf(world, key);
	const reserve = (sku: string, more: { qty?: number; external_ref?: string } = {}, token = key) => {
		const { qty = 1, ...rest } = more;
		return world.call(Reserve, token, { items: [{ sku, qty }], ...rest });
	};
	const release = (reservation_token: string) => world.call(Release, key, { reservation_token });
	return {
		world,
		key,
		player,
		other,
		reserve,
		release,
		consume: (reservation_token: string, external_ref = unique("sale")) =>
			world.call(Consume, key, { reservation_token, external_ref }),
		reverse: (external_ref: string) => world.call(ReverseConsume, key, { external_ref }),
		/** A hold that has expired; its token. */
		expired: async () => {
			const token = await player.hold();
			await player.expire(token);
			return token;
		},
		/** A hold that was released; its token. */
		released: async () => {
			const token = await player.hold();
			await release(token);
			return token;
		},
		/** Places a hold that a recall took these units of. */
		afterRecall: async (units: number | "all"): Promise<Played> => {
			const { data } = await reserve("SBX-LOW", { qty: 3 });
			await world.quarantine(must(data.items[0]?.fg_ids[0], "the lot of the hold"), units);
			return await player.place(data.reservation_token);
		},
	};
}

/** What a sandbox key does to be answered each status and code that it can be answered. */
export const PLAYS: { readonly [answer: string]: (on: Stage) => Promise<Played> } = {
	"400 bad_request": (on) => on.world.send(Reserve, on.key, undefined, { raw: "{" }),
	"405 bad_request": (on) => on.world.send(Reserve, on.key, undefined, { method: "GET" }),
	"400 invalid_input": (on) => on.reserve("SBX-PLENTY", { qty: 0 }),
	"400 idempotency_required": async (on) =>
		await on.world.call(PlaceOrder, on.key, { reservation_token: await on.player.hold(), customer: CUSTOMER }),
	"400 unsupported_version": (on) =>
		on.world.send(
			Check,
			on.key,
			{ items: [{ sku: "SBX-LOW", qty: 1 }] },
			{ headers: { "x-partner-version": "2999-01-01" } },
		),
	"401 unauthorized": (on) =>
		on.world.send(Check, on.key.slice(0, -1) + (on.key.endsWith("a") ? "b" : "a"), {
			items: [{ sku: "SBX-LOW", qty: 1 }],
		}),
	"403 forbidden": (on) => on.world.call(Introspect, on.key, { token: on.key }),
	"403 brand_mismatch": (on) =>
		on.world.call(Check, on.key, { items: [{ sku: "SBX-LOW", qty: 1, brand_code: "ACME" }] }),
	"403 order_forbidden": async (on) => await on.player.get((await on.other.placed()).orderId),
	"403 reservation_forbidden": async (on) => await on.player.place(await on.other.hold()),
	"404 not_found": (on) => on.release(neverIssued()),
	"404 order_not_found": (on) => on.world.call(GetOrder, on.key, undefined, { path: "/api/v1/orders/nothing" }),
	"404 reservation_not_found": (on) => on.player.place(neverIssued()),
	"409 no_inventory": (on) => on.reserve("SBX-OUT"),
	"409 retry": (on) => on.reserve("SBX-RETRY"),
	"409 not_consumed": async (on) => {
		const external_ref = unique("cart");
		await on.reserve("SBX-PLENTY", { external_ref });
		return await on.reverse(external_ref);
	},
	"409 not_reversible": async (on) => {
		const external_ref = unique("cart");
		await on.player.place((await on.reserve("SBX-PLENTY", { external_ref })).data.reservation_token);
		return await on.reverse(external_ref);
	},
	"409 order_not_cancellable": async (on) => {
		const { ref } = await on.player.placed();
		await on.player.advance(ref, "picked");
		return await on.world.call(CancelOrder, on.key, {}, { path: `/api/v1/orders/${ref}/cancel` });
	},
	"409 reservation_used": async (on) => {
		const token = await on.player.hold();
		await on.consume(token);
		return await on.player.place(token);
	},
	"409 wrong_state": async (on) => {
		const { ref } = await on.player.placed();
		await on.player.advance(ref, "picked");
		return await on.player.advance(ref, "picked");
	},
	"409 kit_incomplete": (on) => on.afterRecall(1),
	"409 reservation_empty": (on) => on.afterRecall("all"),
	"410 gone": async (on) => await on.release(await on.expired()),
	"410 wrong_state": async (on) => await on.consume(await on.released()),
	"410 reservation_expired": async (on) => await on.player.place(await on.expired()),
	"410 reservation_gone": async (on) => await on.player.place(await on.released()),
	"422 idempotency_mismatch": async (on) => {
		const { ref } = await on.player.placed();
		return await on.player.place(await on.player.hold(), ref);
	},
	"422 invalid_customer": async (on) =>
		await on.world.call(
			PlaceOrder,
			on.key,
			{
				reservation_token: await on.player.hold(),
				customer: { ...CUSTOMER, ship_to: { ...CUSTOMER.ship_to, country: "XX" } },
			},
			{ headers: { "idempotency-key": unique("cart") } },
		),
	"422 invalid_item": (on) => on.reserve("SBX-ARCHIVED"),
	"429 rate_limited": async (on) => {
		const { token } = await on.world.key({ brand: "SANDBOX", requestsPerMinute: 60 });
		for (let n = 0; n < 60; n++) assert((await on.reserve("SBX-OUT", {}, token)).status === 409, "out of stock");
		return await on.reserve("SBX-OUT", {}, token);
	},
};
