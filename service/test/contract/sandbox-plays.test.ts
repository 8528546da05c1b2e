import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ERROR_STATUS } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { SANDBOX_SKUS } from "../../src/inventory/catalog/sandbox-names.ts";
import { Consume, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { CancelOrder, GetOrder, PlaceOrder } from "../../src/inventory/orders/contract.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { Introspect } from "../../src/partners/keys/contract.ts";
import { PRESETS } from "../../src/partners/keys/scopes.ts";
import { restockSandboxes } from "../../src/upkeep/sandbox/restock-sandboxes.ts";
import { executeIn } from "../execute-in.ts";
import { partnerCodes } from "../partner-codes.ts";
import { CUSTOMER, warehouseOf } from "./order-world.ts";
import { openSandboxWorld, type Player, playerOf } from "./sandbox-world.ts";
import { neverIssued, unique, type World } from "./world.ts";

/* docs/partner/sandbox.md has tables of requests and the answers to them. Here each row is carried out. */

let world: World;
let key: string;
let second: string;
let player: Player;
let other: Player;

beforeAll(async () => {
	world = await openSandboxWorld();
	const own = { brand: "SANDBOX", partner: world.partner(), scopes: PRESETS.self_ship };
	key = (await world.key(own)).token;
	second = (await world.key(own)).token;
	player = playerOf(world, key);
	other = playerOf(world, second);
});
afterAll(() => world.stop());
/** Earlier tests may have left fewer units. */
beforeEach(() => restockSandboxes(world.db, { timeZone: "UTC", executeIn }));

const PAGE = readFileSync(path.join(import.meta.dirname, "../../../docs/partner/sandbox.md"), "utf8");
/** Cells of the rows of the only table below a heading. */
function tableBelow(heading: string): string[][] {
	const [, section = ""] = PAGE.split(`## ${heading}\n`);
	const rows = section.split("\n## ")[0]?.match(/^\|.*\|$/gm) ?? [];
	return rows.slice(2).map((row) =>
		row
			.slice(1, -1)
			.split("|")
			.map((cell) => cell.trim()),
	);
}

interface Played {
	readonly verdict: string;
}

const reserve = (sku: string, more: { qty?: number; external_ref?: string } = {}, token = key) => {
	const { qty = 1, ...rest } = more;
	return world.call(Reserve, token, { items: [{ sku, qty }], ...rest });
};
const release = (reservation_token: string) => world.call(Release, key, { reservation_token });
const consume = (reservation_token: string, external_ref = unique("sale")) =>
	world.call(Consume, key, { reservation_token, external_ref });
const reverse = (external_ref: string) => world.call(ReverseConsume, key, { external_ref });
const expired = async () => {
	const token = await player.hold();
	await player.expire(token);
	return token;
};
const released = async () => {
	const token = await player.hold();
	await release(token);
	return token;
};
const afterRecall = async (units: number | "all"): Promise<Played> => {
	const { data } = await reserve("SBX-LOW", { qty: 3 });
	await world.quarantine(must(data.items[0]?.fg_ids[0], "the lot of the hold"), units);
	return await player.place(data.reservation_token);
};

const PLAYS: { readonly [answer: string]: () => Promise<Played> } = {
	"400 bad_request": () => world.send(Reserve, key, undefined, { raw: "{" }),
	"405 bad_request": () => world.send(Reserve, key, undefined, { method: "GET" }),
	"400 invalid_input": () => reserve("SBX-PLENTY", { qty: 0 }),
	"400 idempotency_required": async () =>
		await world.call(PlaceOrder, key, { reservation_token: await player.hold(), customer: CUSTOMER }),
	"400 unsupported_version": () =>
		world.send(Check, key, { items: [{ sku: "SBX-LOW", qty: 1 }] }, { headers: { "x-partner-version": "2999-01-01" } }),
	"401 unauthorized": () =>
		world.send(Check, key.slice(0, -1) + (key.endsWith("a") ? "b" : "a"), { items: [{ sku: "SBX-LOW", qty: 1 }] }),
	"403 forbidden": () => world.call(Introspect, key, { token: key }),
	"403 brand_mismatch": () => world.call(Check, key, { items: [{ sku: "SBX-LOW", qty: 1, brand_code: "ACME" }] }),
	"403 order_forbidden": async () => await player.get((await other.placed()).orderId),
	"403 reservation_forbidden": async () => await player.place(await other.hold()),
	"404 not_found": () => release(neverIssued()),
	"404 order_not_found": () => world.call(GetOrder, key, undefined, { path: "/api/v1/orders/nothing" }),
	"404 reservation_not_found": () => player.place(neverIssued()),
	"409 no_inventory": () => reserve("SBX-OUT"),
	"409 retry": () => reserve("SBX-RETRY"),
	"409 not_consumed": async () => {
		const external_ref = unique("cart");
		await reserve("SBX-PLENTY", { external_ref });
		return await reverse(external_ref);
	},
	"409 not_reversible": async () => {
		const external_ref = unique("cart");
		await player.place((await reserve("SBX-PLENTY", { external_ref })).data.reservation_token);
		return await reverse(external_ref);
	},
	"409 order_not_cancellable": async () => {
		const { ref } = await player.placed();
		await player.advance(ref, "picked");
		return await world.call(CancelOrder, key, {}, { path: `/api/v1/orders/${ref}/cancel` });
	},
	"409 reservation_used": async () => {
		const token = await player.hold();
		await consume(token);
		return await player.place(token);
	},
	"409 wrong_state": async () => {
		const { ref } = await player.placed();
		await player.advance(ref, "picked");
		return await player.advance(ref, "picked");
	},
	"409 kit_incomplete": () => afterRecall(1),
	"409 reservation_empty": () => afterRecall("all"),
	"410 gone": async () => await release(await expired()),
	"410 wrong_state": async () => await consume(await released()),
	"410 reservation_expired": async () => await player.place(await expired()),
	"410 reservation_gone": async () => await player.place(await released()),
	"422 idempotency_mismatch": async () => {
		const { ref } = await player.placed();
		return await player.place(await player.hold(), ref);
	},
	"422 invalid_customer": async () =>
		await world.call(
			PlaceOrder,
			key,
			{
				reservation_token: await player.hold(),
				customer: { ...CUSTOMER, ship_to: { ...CUSTOMER.ship_to, country: "XX" } },
			},
			{ headers: { "idempotency-key": unique("cart") } },
		),
	"422 invalid_item": () => reserve("SBX-ARCHIVED"),
	"429 rate_limited": async () => {
		const { token } = await world.key({ brand: "SANDBOX", requestsPerMinute: 60 });
		for (let n = 0; n < 60; n++) expect((await reserve("SBX-OUT", {}, token)).status).toBe(409);
		return await reserve("SBX-OUT", {}, token);
	},
};

const plain = (cell = ""): string => cell.replaceAll("`", "");

describe("Every refusal, and how to see it", () => {
	const rows = tableBelow("Every refusal, and how to see it").map(([answer, , who]) => ({
		answer: plain(answer),
		who,
	}));
	const playable = rows.filter(({ who }) => who !== "nobody").map(({ answer }) => answer);

	it("the table has every code of the contract, with a status that the code has somewhere", () => {
		expect([...new Set(rows.map(({ answer }) => answer.split(" ")[1] ?? ""))].toSorted()).toEqual(
			partnerCodes().toSorted(),
		);
		for (const code of partnerCodes())
			expect(rows.map(({ answer }) => answer)).toContain(`${ERROR_STATUS[code]} ${code}`);
	});

	it("every row says who can do it, and those that anybody can do are the ones done here", () => {
		expect(new Set(rows.map(({ who }) => who))).toEqual(
			new Set(["alone", "with a second key", "with the operator", "nobody"]),
		);
		expect(playable.toSorted()).toEqual(Object.keys(PLAYS).toSorted());
	});

	it.each(playable)("%s", async (answer) => {
		const play = must(PLAYS[answer], `how to see ${answer}`);
		expect((await play()).verdict).toBe(answer);
	});
});

const held = async (token: string) =>
	`hold ${(await world.db.query<{ status: string }>("select status from hold where reservation_token = $1", [token])).rows[0]?.status}`;
const ordered = async (ref: string) => `order ${(await player.get(ref)).data.status}`;
const advanced = async (to: "picked" | "shipped" | "held") => {
	const { ref } = await player.placed();
	await player.advance(ref, to);
	return await ordered(ref);
};

const STATES: { readonly [state: string]: () => Promise<string> } = {
	"hold active": async () => await held(await player.hold()),
	"hold expired": async () => await held(await expired()),
	"hold released": async () => await held(await released()),
	"hold consumed": async () => {
		const token = await player.hold();
		await consume(token);
		return await held(token);
	},
	"hold reversed": async () => {
		const [token, ref] = [await player.hold(), unique("sale")];
		await consume(token, ref);
		await reverse(ref);
		return await held(token);
	},
	"hold placed": async () => await held((await player.placed()).token),
	"order placed": async () => await ordered((await player.placed()).ref),
	"order picked": () => advanced("picked"),
	"order shipped": () => advanced("shipped"),
	"order held": () => advanced("held"),
	"order cancelled": async () => {
		const { ref } = await player.placed();
		await player.advance(ref, "held");
		await world.call(CancelOrder, key, {}, { path: `/api/v1/orders/${ref}/cancel` });
		return await ordered(ref);
	},
	"order partially_shipped": async () => {
		const { data } = await player.place(await player.hold("SBX-PLENTY", 2));
		await warehouseOf(world).ship(data, { "SBX-PLENTY": 1 });
		return await ordered(data.ref);
	},
};

describe("Every state, and how to get there", () => {
	const rows = tableBelow("Every state, and how to get there").map(([state]) => plain(state));

	it("the table has every state of holds and orders", () => {
		expect(rows.toSorted()).toEqual(Object.keys(STATES).toSorted());
		const orders = GetOrder.replies[200].properties.status.enum.map((status) => `order ${status}`);
		expect(rows.filter((state) => state.startsWith("order")).toSorted()).toEqual(orders.toSorted());
	});

	it.each(rows)("%s", async (state) => {
		expect(await must(STATES[state], `how to get to ${state}`)()).toBe(state);
	});
});

describe("The test SKUs", () => {
	const rows = tableBelow("The test SKUs").map(([sku, , answer = ""]) => [plain(sku), answer] as const);

	it("are all in the table", () => {
		expect(rows.map(([sku]) => sku)).toEqual([...SANDBOX_SKUS]);
	});

	it.each(rows)("%s: a reserve of one answers %s", async (sku, answer) => {
		const [one = "", ofFour] = plain(answer).split(", and of four ");
		expect((await reserve(sku, { qty: 4 })).verdict).toBe(ofFour ?? one);
		expect((await reserve(sku)).verdict).toBe(one);
	});
});
