import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consume, Release, Reserve } from "../../src/inventory/holds/contract.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { verify } from "../../src/upkeep/ledger/verify.ts";
import { AdvanceSandbox } from "../../src/upkeep/sandbox/contract.ts";
import { eventsOf, openSandboxWorld, type Player, playerOf } from "./sandbox-world.ts";
import { neverIssued, unique, type World } from "./world.ts";

let world: World;
let key: string;
let player: Player;

beforeAll(async () => {
	world = await openSandboxWorld();
	key = (await world.key({ brand: "SANDBOX" })).token;
	player = playerOf(world, key);
});
afterAll(() => world.stop());

const send = (body: object, token = key) => world.send(AdvanceSandbox, token, body);

describe("200: an order is moved on at once, and answered as GET /orders/{ref} answers it", () => {
	it("picked, then shipped with a made-up label and its event", async () => {
		const { ref, orderId } = await player.placed();
		const picked = await player.advance(ref, "picked");
		expect(picked.data).toMatchObject({ order_id: orderId, status: "picked", cancellable: false });
		expect((await player.get(ref)).text).toBe(picked.text);
		const shipped = await player.advance(orderId, "shipped");
		expect(shipped.data).toMatchObject({
			status: "shipped",
			items: [{ shipped_qty: 1 }],
			shipments: [{ status: "shipped", carrier_code: "sandbox_post", service_code: "sandbox_post_standard" }],
		});
		const [box] = (await player.get(ref)).data.shipments;
		expect(box?.tracking_number).toMatch(/^SBX\d{12}$/);
		expect(await eventsOf(world, orderId)).toEqual(["order.shipped"]);
	});

	it("shipped without having been picked", async () => {
		const { ref } = await player.placed("SBX-KIT");
		expect((await player.advance(ref, "shipped")).data).toMatchObject({ status: "shipped" });
		expect(await world.audit()).toEqual([]);
	});

	it("held, of any SKU, with its event; it can be cancelled then", async () => {
		const { ref, orderId } = await player.placed();
		expect((await player.advance(ref, "held")).data).toMatchObject({
			status: "held",
			hold_reason: "other",
			cancellable: true,
			shipments: [{ status: "on_hold" }],
		});
		expect(await eventsOf(world, orderId)).toEqual(["order.held"]);
	});

	it("with the others in its box, whichever of them is named", async () => {
		const [a, b] = [await player.placed(), await player.placed()];
		await player.combine(a.ref, b.ref);
		await player.advance(b.ref, "picked");
		expect((await player.get(a.ref)).data.status).toBe("picked");
		await player.advance(b.ref, "shipped");
		expect((await player.get(a.ref)).data).toMatchObject({ status: "shipped", shipments: [{ combined: true }] });
		expect(await eventsOf(world, a.orderId)).toEqual(["order.shipped"]);
		expect(await eventsOf(world, b.orderId)).toEqual(["order.shipped"]);
	});
});

describe("200: a hold ends now", () => {
	it("its end is now, its units are free, and later use of the token says that it expired", async () => {
		const available = async () =>
			(await world.call(Check, key, { items: [{ sku: "SBX-LOW", qty: 1 }] })).data.items[0]?.atp_qty;
		const token = await player.hold("SBX-LOW", 2);
		expect(await available()).toBe(1);
		const { data } = await player.expire(token.toUpperCase());
		expect(data).toEqual({ reservation_token: token, status: "expired", expires_at: expect.any(String) });
		expect(await available()).toBe(3);
		const { rows } = await world.db.query<{ status: string; end: Date; ended: Date }>(
			'select status, expires_at as "end", ended_at as ended from hold where reservation_token = $1',
			[token],
		);
		expect(rows[0]?.status).toBe("expired");
		expect(rows[0]?.end.toISOString()).toBe((data as { expires_at: string }).expires_at);
		expect(rows[0]?.ended).toEqual(rows[0]?.end);
		expect((await player.place(token)).verdict).toBe("410 reservation_expired");
		expect((await world.call(Release, key, { reservation_token: token })).verdict).toBe("410 gone");
		expect((await world.call(Consume, key, { reservation_token: token, external_ref: unique("sale") })).verdict).toBe(
			"410 wrong_state",
		);
		expect(await world.audit()).toEqual([]);
	});

	it("it no longer counts for what its key may hold, and its reference can be reserved under again", async () => {
		const capped = (await world.key({ brand: "SANDBOX", maxHeldUnits: 5 })).token;
		const items = [{ sku: "SBX-PLENTY", qty: 5 }];
		const external_ref = unique("cart");
		const first = (await world.call(Reserve, capped, { items, external_ref })).data;
		await playerOf(world, capped).expire(first.reservation_token);
		const second = (await world.call(Reserve, capped, { items, external_ref })).data;
		expect(second).toMatchObject({ idempotent: false, items: [{ reserved_qty: 5 }] });
		expect(second.reservation_token).not.toBe(first.reservation_token);
	});
});

describe("Two at once", () => {
	it("a hold that is expired and consumed, or placed, at the same moment: one of them wins", async () => {
		const tokens = await Promise.all(Array.from({ length: 20 }, () => player.hold()));
		const winners = await Promise.all(
			tokens.map(async (reservation_token, n) => {
				const use =
					n % 2 === 0
						? player.place(reservation_token)
						: world.call(Consume, key, { reservation_token, external_ref: unique("sale") });
				const answers = await Promise.all([player.expire(reservation_token), use]);
				return answers.filter(({ status }) => status < 300).length;
			}),
		);
		expect(winners).toEqual(Array(20).fill(1));
		expect(await world.audit()).toEqual([]);
		const { differences } = await verify(world.db);
		expect(differences.filter(({ rule }) => rule === "hold-freed" || rule.startsWith("lot-"))).toEqual([]);
	});

	it("two that ship the same box: one of them wins, and one event is left", async () => {
		const { ref, orderId } = await player.placed();
		const answers = await Promise.all([player.advance(ref, "shipped"), player.advance(orderId, "shipped")]);
		expect(answers.map(({ verdict }) => verdict).toSorted((a, b) => a.localeCompare(b))).toEqual([
			"200",
			"409 wrong_state",
		]);
		expect(await eventsOf(world, orderId)).toEqual(["order.shipped"]);
	});
});

describe("400 invalid_input", () => {
	it.each([
		["neither an order nor a hold", {}, /order_ref/],
		["both", { order_ref: "a", reservation_token: neverIssued() }, /not both/],
	])("%s", async (_what, body, message) => {
		for (const to of ["picked", "expired"]) {
			const answer = await send({ ...body, to });
			expect(answer.verdict).toBe("400 invalid_input");
			expect(answer.error.message).toMatch(message);
		}
	});

	it.each([
		["an order that expires", { order_ref: "a", to: "expired" }],
		["a hold that is picked", { reservation_token: neverIssued(), to: "picked" }],
		["a hold that is held", { reservation_token: neverIssued(), to: "held" }],
		["a goal that there is not", { order_ref: "a", to: "cancelled" }],
		["no goal", { order_ref: "a" }],
		["no token", { reservation_token: "a", to: "expired" }],
		["an empty reference", { order_ref: "", to: "picked" }],
	])("%s", async (_what, body) => {
		const answer = await send(body);
		expect(answer.verdict).toBe("400 invalid_input");
		expect(answer.error.message).toMatch(/^\/(to|reservation_token|order_ref)\b/);
	});
});

describe("403 forbidden comes before 404 not_found", () => {
	it("a live key finds nothing, with the scope; without it, it is told of the scope", async () => {
		const { ref } = await player.placed();
		const live = (await world.key()).token;
		const poor = (await world.key({ scopes: ["atp.check"] })).token;
		for (const body of [
			{ order_ref: ref, to: "picked" },
			{ reservation_token: neverIssued(), to: "expired" },
		]) {
			expect((await send(body, live)).verdict).toBe("404 not_found");
			expect((await send(body, poor)).verdict).toBe("403 forbidden");
		}
		expect((await player.get(ref)).data.status).toBe("placed");
	});
});

describe("404: what is not this key's does not exist", () => {
	it("order_not_found for an order that is not there, another partner's, or another key's of the partner", async () => {
		const partner = world.partner();
		const [one, other] = [
			(await world.key({ brand: "SANDBOX", partner })).token,
			(await world.key({ brand: "SANDBOX", partner })).token,
		];
		const { ref, orderId } = await playerOf(world, one).placed();
		const answers = [];
		for (const token of [other, key]) {
			for (const name of [orderId, ref, unique("nothing")]) {
				for (const to of ["picked", "shipped", "held"]) answers.push(await send({ order_ref: name, to }, token));
			}
		}
		expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set(["404 order_not_found"]));
		expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
		expect((await playerOf(world, one).get(ref)).data.status).toBe("placed");
	});

	it("not_found for a hold that is not there or not this key's", async () => {
		const partner = world.partner();
		const [one, other] = [
			(await world.key({ brand: "SANDBOX", partner })).token,
			(await world.key({ brand: "SANDBOX", partner })).token,
		];
		const token = await playerOf(world, one).hold();
		const answers = [
			await send({ reservation_token: token, to: "expired" }, other),
			await send({ reservation_token: token, to: "expired" }),
			await send({ reservation_token: neverIssued(), to: "expired" }),
		];
		expect(answers.map(({ verdict }) => verdict)).toEqual(Array(3).fill("404 not_found"));
		expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
		expect((await playerOf(world, one).place(token)).status).toBe(201);
	});
});

describe("409 wrong_state: a move that is not possible, and nothing changes", () => {
	it("of an order", async () => {
		const { ref } = await player.placed();
		await player.advance(ref, "picked");
		for (const to of ["picked", "held"] as const)
			expect([to, (await player.advance(ref, to)).verdict]).toEqual([to, "409 wrong_state"]);
		await player.advance(ref, "shipped");
		for (const to of ["picked", "held", "shipped"] as const)
			expect([to, (await player.advance(ref, to)).verdict]).toEqual([to, "409 wrong_state"]);
		const held = await player.placed();
		await player.advance(held.ref, "held");
		for (const to of ["picked", "held", "shipped"] as const)
			expect([to, (await player.advance(held.ref, to)).verdict]).toEqual([to, "409 wrong_state"]);
		expect((await player.get(held.ref)).data).toMatchObject({ status: "held", version: 2 });
	});

	it("of an order beside which another is held", async () => {
		const [a, b] = [await player.placed(), await player.placed()];
		await player.combine(a.ref, b.ref);
		await player.advance(b.ref, "held");
		expect((await player.advance(a.ref, "shipped")).verdict).toBe("409 wrong_state");
		expect((await player.get(a.ref)).data.status).toBe("placed");
	});

	it("of a hold that is over", async () => {
		const expired = await player.hold();
		await player.expire(expired);
		const released = await player.hold();
		await world.call(Release, key, { reservation_token: released });
		const consumed = await player.hold();
		await world.call(Consume, key, { reservation_token: consumed, external_ref: unique("sale") });
		const { token: placed } = await player.placed();
		const lapsed = await player.hold();
		await world.lapse(lapsed);
		for (const token of [expired, released, consumed, placed, lapsed])
			expect((await player.expire(token)).verdict).toBe("409 wrong_state");
		expect(await world.audit()).toEqual([]);
	});
});

describe("401 unauthorized and 429 rate_limited", () => {
	it("401 without a key; 429 over the key's rate", async () => {
		expect((await world.send(AdvanceSandbox, null, { order_ref: "a", to: "picked" })).verdict).toBe("401 unauthorized");
		const slow = (await world.key({ brand: "SANDBOX", requestsPerMinute: 1 })).token;
		expect((await send({ order_ref: "a", to: "picked" }, slow)).verdict).toBe("404 order_not_found");
		expect((await send({ order_ref: "a", to: "picked" }, slow)).verdict).toBe("429 rate_limited");
	});
});
