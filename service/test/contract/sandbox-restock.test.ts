import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { Consume, Reserve } from "../../src/inventory/holds/contract.ts";
import { CancelOrder } from "../../src/inventory/orders/contract.ts";
import { Check } from "../../src/inventory/stock/contract.ts";
import { RestockSandbox } from "../../src/upkeep/sandbox/contract.ts";
import { ASKED_EVERY_MS } from "../../src/upkeep/sandbox/restock-on-request.ts";
import { claimAskedRestock, lockSandboxLots } from "../../src/upkeep/sandbox/restock-sql.ts";
import { openSandboxWorld, type Player, playerOf } from "./sandbox-world.ts";
import { unique, type World } from "./world.ts";

let world: World;
let key: string;
let partner: string;
let poolId: number;
let player: Player;

beforeAll(async () => {
	world = await openSandboxWorld();
	partner = world.partner();
	const { token, keyId } = await world.key({ brand: "SANDBOX", partner });
	key = token;
	player = playerOf(world, key);
	const { rows } = await world.db.query<{ id: number }>("select pool_id as id from api_key where key_id = $1", [keyId]);
	poolId = must(rows[0], "the key's sandbox").id;
});
afterAll(() => world.stop());
beforeEach(() => world.db.query("update sandbox_restock set asked_at = null"));

const restock = (token: string | null = key) => world.send(RestockSandbox, token, undefined);
const asked = (secondsAgo: number) =>
	world.db.query("update sandbox_restock set asked_at = now() - $1 * interval '1 second'", [secondsAgo]);
const available = async (sku: string) =>
	(await world.call(Check, key, { items: [{ sku, qty: 1 }] })).data.items[0]?.atp_qty;

describe("200", () => {
	it("brings free units back, and loses nothing that holds, orders and consumes have", async () => {
		await world.call(RestockSandbox, key, undefined);
		await asked(60);
		const hold = await player.hold("SBX-LOW", 1);
		const order = await player.place(await player.hold("SBX-LOW", 1));
		const consumed = await player.hold("SBX-LOW", 1);
		await world.call(Consume, key, { reservation_token: consumed, external_ref: unique("sale") });
		expect(await available("SBX-LOW")).toBe(0);
		const answer = await world.call(RestockSandbox, key, undefined);
		expect(answer.data).toEqual({ ok: true, received_units: 3, removed_units: 0 });
		expect(await available("SBX-LOW")).toBe(3);
		const { rows } = await world.db.query(
			"select sum(held)::int as held, sum(allocated)::int as allocated, sum(consumed)::int as consumed from lot join formula using (formula_id) where code = 'SBX-LOW'",
		);
		expect(rows).toEqual([{ held: 1, allocated: 1, consumed: 1 }]);
		expect((await player.place(hold)).status).toBe(201);
		expect((await player.advance(order.data.ref, "shipped")).data).toMatchObject({ status: "shipped" });
		expect(await world.audit()).toEqual([]);
	});

	it("takes off again what came back too many, and does nothing when nothing is missing", async () => {
		const { ref } = await player.placed("SBX-LOW");
		await restock();
		await world.call(CancelOrder, key, {}, { path: `/api/v1/orders/${ref}/cancel` });
		expect(await available("SBX-LOW")).toBe(4);
		await asked(60);
		expect((await world.call(RestockSandbox, key, undefined)).data).toEqual({
			ok: true,
			received_units: 0,
			removed_units: 1,
		});
		await asked(60);
		expect((await world.call(RestockSandbox, key, undefined)).data).toMatchObject({
			received_units: 0,
			removed_units: 0,
		});
	});

	it("what one key took is taken for all keys of its partner, until one of them asks for a restock", async () => {
		const other = (await world.key({ brand: "SANDBOX", partner })).token;
		const token = await player.hold("SBX-LOW", 3);
		const reserve = () => world.call(Reserve, other, { items: [{ sku: "SBX-LOW", qty: 3 }] });
		expect((await reserve()).verdict).toBe("409 no_inventory");
		await restock(other);
		expect((await reserve()).status).toBe(201);
		expect((await player.place(token)).status).toBe(201);
	});

	it("another partner misses nothing of it, and gets nothing by its restock", async () => {
		const other = (await world.key({ brand: "SANDBOX" })).token;
		await restock();
		await player.hold("SBX-LOW", 3);
		expect((await world.call(RestockSandbox, other, undefined)).data).toMatchObject({ received_units: 0 });
		expect((await world.call(Reserve, other, { items: [{ sku: "SBX-LOW", qty: 3 }] })).status).toBe(201);
		expect(await available("SBX-LOW")).toBe(0);
		await asked(60);
		expect((await world.call(RestockSandbox, other, undefined)).data).toMatchObject({ received_units: 3 });
		expect(await available("SBX-LOW")).toBe(0);
		expect((await world.call(RestockSandbox, key, undefined)).data).toMatchObject({ received_units: 3 });
		expect(await world.audit()).toEqual([]);
	});

	it("takes an empty object for no body, and nothing else", async () => {
		expect((await world.send(RestockSandbox, key, {})).status).toBe(200);
		expect((await world.send(RestockSandbox, key, { sku: "SBX-LOW" })).verdict).toBe("400 invalid_input");
	});
});

describe("However often it is asked for", () => {
	const askedAt = async () =>
		(
			await world.db.query<{ at: number }>(
				"select extract(epoch from asked_at)::float8 * 1000 as at from sandbox_restock where pool_id = $1",
				[poolId],
			)
		).rows[0]?.at ?? 0;

	it("two restocks are a second apart: the second waits for its turn", async () => {
		await player.hold("SBX-LOW");
		await restock();
		const first = await askedAt();
		await player.hold("SBX-LOW");
		expect((await world.call(RestockSandbox, key, undefined)).data).toMatchObject({ received_units: 1 });
		expect((await askedAt()) - first).toBeGreaterThanOrEqual(ASKED_EVERY_MS);
	});

	it("of many at once one is done, and is enough for all", async () => {
		await player.hold("SBX-LOW", 3);
		const answers = await Promise.all(Array.from({ length: 20 }, () => world.call(RestockSandbox, key, undefined)));
		expect(answers.map(({ data }) => data.received_units).toSorted((a, b) => b - a)).toEqual([3, ...Array(19).fill(0)]);
		expect(await available("SBX-LOW")).toBe(3);
	});

	it("nothing is written when nothing is missing", async () => {
		await restock();
		await world.db.query("update sandbox_restock set asked_at = null");
		expect((await restock()).status).toBe(200);
		expect(await askedAt()).toBe(0);
	});

	it("a clock that was set back stands in nobody's way", async () => {
		await player.hold("SBX-LOW");
		await asked(-3_600);
		expect((await world.call(RestockSandbox, key, undefined)).data).toMatchObject({ received_units: 1 });
	});
});

describe("429 rate_limited", () => {
	it("while another is under way for seconds, and while somebody keeps the lots", async () => {
		await player.hold("SBX-LOW");
		await transaction(world.db, async (tx) => {
			expect(await claimAskedRestock(tx, poolId, ASKED_EVERY_MS)).toBe(true);
			const answer = await restock();
			expect(answer.verdict).toBe("429 rate_limited");
			expect(answer.header("retry-after")).toBe("1");
		});
		await asked(60);
		const { rows } = await world.db.query<{ formula_id: string }>(
			"select formula_id from formula where code = 'SBX-LOW'",
		);
		await transaction(world.db, async (tx) => {
			await lockSandboxLots(
				tx,
				rows.map(({ formula_id }) => formula_id),
				[poolId],
			);
			expect((await restock()).verdict).toBe("429 rate_limited");
		});
	});
});

describe("A second for each partner", () => {
	it("one partner's restock does not make another's wait", async () => {
		const other = (await world.key({ brand: "SANDBOX" })).token;
		await player.hold("SBX-LOW");
		await playerOf(world, other).hold("SBX-LOW");
		await transaction(world.db, async (tx) => {
			expect(await claimAskedRestock(tx, poolId, ASKED_EVERY_MS)).toBe(true);
			expect((await world.call(RestockSandbox, other, undefined)).data).toMatchObject({ received_units: 1 });
		});
	});
});

describe("404 not_found, 403 forbidden, 401 unauthorized", () => {
	it("a live key finds nothing, and is told of the scope first; without a key nobody comes in", async () => {
		expect((await restock((await world.key()).token)).verdict).toBe("404 not_found");
		expect((await restock((await world.key({ scopes: ["atp.check"] })).token)).verdict).toBe("403 forbidden");
		expect((await restock(null)).verdict).toBe("401 unauthorized");
	});
});
