import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newId } from "../../src/ground/lib/ids.ts";
import { silentLog } from "../../src/ground/lib/log.ts";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import type { Query } from "../../src/ground/pg/connect.ts";
import { transaction } from "../../src/ground/pg/transaction.ts";
import { CorrectLot, LocateLot } from "../../src/inventory/stock/lot-write-contract.ts";
import { MintToken, RevokeToken } from "../../src/partners/operators/contract.ts";
import { insertRun, saveStep } from "../../src/partners/runs/sql.ts";
import { MOST_NUMBERS, TOPICS } from "../../src/upkeep/console/change.ts";
import { deleteOldChanges } from "../../src/upkeep/console/changes-sql.ts";
import { MOST_OF_OPERATOR, MOST_UNREAD_BYTES } from "../../src/upkeep/console/limits.ts";
import { createLiveStreams } from "../../src/upkeep/console/live-streams.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, operate } from "../operate.ts";
import { sizeOr } from "../sizes.ts";
import { type Listening, listen } from "./listen.ts";
import { placeOrder } from "./placed.ts";

let house: House;
let key: { readonly token: string };
let lot: string;
const at = (node: number): As => ({ socket: must(house.nodes[node], "a node").socket });
const open: Listening[] = [];

beforeAll(async () => {
	house = await openHouse({ nodes: 2 });
	lot = must((await house.stock({ ONE: 100_000 })).lots[0]?.fg_id, "a lot");
	key = await house.mint({ scopes: ["atp.reserve", "atp.orders", "atp.inventory"] });
});
afterEach(() => {
	for (const one of open.splice(0)) one.hangUp();
});
afterAll(() => house.close());

async function hear(as: As, after?: string): Promise<Listening> {
	const one = await listen(as, after);
	open.push(one);
	return one;
}
const PATIENCE = { timeout: 20_000, interval: 50 };
const lastTold = (one: Listening, topic: string, id: string) => () =>
	one.changes.filter((told) => told.topic === topic && told.id === id).at(-1);
const reserve = async (): Promise<string> =>
	(await house.call(key.token, "/api/v1/reserve", { body: { items: [{ sku: "ONE", qty: 1 }] } })).json.data
		.reservation_token;
const locate = (location: string) => operate(at(0), LocateLot, { params: { fg_id: lot }, body: { location } });

describe("The stream of changes", () => {
	it("names holds, lots, orders and boxes that change by any node, with the versions that their reads show", async () => {
		const heard = [await hear(at(0)), await hear(at(1))];
		const held = await reserve();
		const order = await placeOrder(house, key.token, "live");
		const box = must(order.shipments[0], "its box").shipment_id;
		for (const one of heard) {
			await expect.poll(lastTold(one, "holds", held), PATIENCE).toMatchObject({ version: expect.any(Number) });
			await expect.poll(lastTold(one, "lots", lot), PATIENCE).toBeDefined();
			await expect.poll(lastTold(one, "orders", order.order_id), PATIENCE).toMatchObject({ version: 1 });
			await expect.poll(lastTold(one, "boxes", box), PATIENCE).toMatchObject({ version: 1 });
		}
		await house.call(key.token, "/api/v1/orders/live/cancel", { body: {} });
		await expect
			.poll(lastTold(must(heard[1], "one"), "orders", order.order_id), PATIENCE)
			.toMatchObject({ version: 2 });
	});

	it("names lots that only got another place, runs, exceptions and deliveries", async () => {
		const one = await hear(at(1));
		await locate("A-1");
		await expect.poll(lastTold(one, "lots", lot), PATIENCE).toBeDefined();
		const run = { runId: newId(), operation: "release_hold", actor: "operator:test", requestId: "req_1" } as const;
		const step = { state: {}, done: 0, of: 2, result: null, isEnd: false };
		await transaction(house.db, (tx) => insertRun(tx, { ...run, about: "it", step }));
		await expect.poll(lastTold(one, "runs", run.runId), PATIENCE).toBeDefined();
		const made = one.changes.find(({ id }) => id === run.runId)?.version ?? 0;
		await saveStep(house.db, { ...run, fence: 1 }, { ...step, done: 2, isEnd: true });
		await expect
			.poll(() => Math.max(...one.changes.filter(({ id }) => id === run.runId).map(({ version }) => version)), PATIENCE)
			.toBeGreaterThan(made);
		const { rows } = await house.db.query<{ id: number }>(
			`insert into demand_exception (reference, kind, subject, promised_kits, shipped_kits, missing_units)
			 values ('x', 'unknown_sku', 'NOPE', 1, 0, 0) returning exception_id as id`,
		);
		await expect.poll(lastTold(one, "exceptions", String(rows[0]?.id)), PATIENCE).toBeDefined();
		const delivery = newId();
		await transaction(house.db, async (tx) => {
			const seq = (await tx.query<{ n: number }>("select take_numbers('event_epoch', 1) as n")).rows[0]?.n;
			const columns = "(delivery_id, endpoint_id, seq, event_id)";
			await tx.query(`insert into webhook_delivery ${columns} values ($1, $2, $3, 'e')`, [delivery, newId(), seq]);
		});
		await expect.poll(lastTold(one, "deliveries", delivery), PATIENCE).toMatchObject({ version: 0 });
		await house.db.query(
			"update webhook_delivery set status = 'dropped', next_attempt_at = null, settled_at = now() where delivery_id = $1",
			[delivery],
		);
		await expect
			.poll(lastTold(one, "deliveries", delivery), PATIENCE)
			.toMatchObject({ version: expect.toSatisfy((n: number) => n > 0) });
	});

	it("names a change that was begun before many others and committed after them", async () => {
		const other = must((await house.stock({ TWO: 5 })).lots[0]?.fg_id, "a lot");
		const one = await hear(at(0));
		const resumed = must(one.lastId, "an id");
		let later: Listening | undefined;
		await transaction(house.db, async (tx) => {
			await tx.query("update lot set location = 'late' where fg_id = $1", [other]);
			for (let more = 0; more < 3; more++) {
				const held = await reserve();
				await expect.poll(lastTold(one, "holds", held), PATIENCE).toBeDefined();
			}
			expect(one.changes.some(({ id }) => id === other)).toBe(false);
			later = await hear(at(1)); // it begins while the change is under way
		});
		await expect.poll(lastTold(one, "lots", other), PATIENCE).toBeDefined();
		const { reloads, changes } = must(later, "a stream");
		await expect.poll(() => reloads.includes("lots") || changes.some(({ id }) => id === other), PATIENCE).toBe(true);
		await expect.poll(lastTold(await hear(at(1), resumed), "lots", other), PATIENCE).toBeDefined();
	});

	it("misses nothing beside writers, on any node, and when it is cut off and goes on elsewhere", async () => {
		const steady = [await hear(at(0)), await hear(at(1))];
		const cut: Listening[] = [await hear(at(0))];
		let writing = true;
		const writers = Array.from({ length: 4 }, async (_none, writer) => {
			for (let n = 0; n < sizeOr(60, 15); n++) {
				const held = await reserve();
				if (n % 3 === 0)
					await house.call(key.token, "/api/v1/release", { body: { reservation_token: held }, node: n % 2 });
				if (n % 5 === 0) await placeOrder(house, key.token, `w${writer}-${n}`);
				if (n % 7 === 0) await locate(`${writer}-${n}`);
				if (n % 10 === 0)
					await operate(at(1), CorrectLot, { params: { fg_id: lot }, body: { delta: 1, reason: "a recount" } });
			}
		});
		const cutting = (async () => {
			for (let n = 1; writing; n++) {
				const last = must(cut.at(-1), "a stream");
				const before = last.changes.length + last.reloads.length;
				await expect.poll(() => !writing || last.changes.length + last.reloads.length > before, PATIENCE).toBe(true);
				last.hangUp();
				cut.push(await hear(at(n % 2), last.lastId ?? undefined));
			}
		})();
		await Promise.all(writers);
		writing = false;
		await cutting;
		const { rows } = await house.db.query<{ topic: string; id: string; version: number }>(
			`select 'orders' as topic, order_id::text as id, version from orders where ref like 'w%'
			 union all select 'boxes', s.shipment_id::text, s.version from shipment s join orders o on o.order_id = any(s.order_ids) where o.ref like 'w%'
			 union all select 'lots', fg_id::text, max(seq) from unit_move where fg_id = $1 group by fg_id
			 union all select 'holds', cause_id, max(seq) from unit_move m join hold h on h.reservation_token::text = m.cause_id
			            where h.created_at > (select min(placed_at) from orders where ref like 'w%') group by cause_id`,
			[lot],
		);
		expect(rows.length).toBeGreaterThan(40);
		for (const streams of [steady.slice(0, 1), steady.slice(1), cut]) {
			const missing = () => {
				const heard = new Map<string, number>();
				for (const { changes } of streams)
					for (const { topic, id, version } of changes)
						heard.set(`${topic} ${id}`, Math.max(version, heard.get(`${topic} ${id}`) ?? 0));
				return rows.filter(({ topic, id, version }) => (heard.get(`${topic} ${id}`) ?? -1) < version);
			};
			await expect.poll(missing, PATIENCE).toEqual([]);
		}
	});

	it("goes on after the last id, and says which topics to read again where that is not possible", async () => {
		const first = await hear(at(0));
		await locate("B-1");
		await expect.poll(lastTold(first, "lots", lot), PATIENCE).toBeDefined();
		const id = must(first.lastId, "an id");
		first.hangUp();
		const held = await reserve();
		const next = await hear(at(1), id);
		await expect.poll(lastTold(next, "holds", held), PATIENCE).toBeDefined();
		expect(next.reloads).toEqual(["traffic"]); // its changes have no numbers
		for (const unknown of ["something", "9999999999.1.1"]) {
			const one = await hear(at(1), unknown);
			await expect.poll(() => one.reloads.toSorted(), PATIENCE).toEqual(expect.arrayContaining(["lots"]));
		}
		await house.db.query("select setval('unit_move_seq_seq', (select last_value + $1 from unit_move_seq_seq))", [
			MOST_NUMBERS + 1,
		]);
		const late = await hear(at(1), id);
		await expect
			.poll(() => late.reloads.toSorted(), PATIENCE)
			.toEqual(["deliveries", "exceptions", "holds", "lots", "runs", "traffic"]);
		const all = await hear(at(0), "not one of ours");
		await expect.poll(() => all.reloads.toSorted(), PATIENCE).toEqual(TOPICS.toSorted());
	});

	it("says that many things of a topic changed instead of naming them all", async () => {
		const one = await hear(at(0));
		await house.db.query(
			`insert into demand_exception (reference, kind, subject, promised_kits, shipped_kits, missing_units)
			 select 'many', 'unknown_sku', n::text, 1, 0, 0 from generate_series(1, 1000) n`,
		);
		await expect.poll(() => one.reloads, PATIENCE).toEqual(["exceptions"]);
		expect(one.changes.filter(({ topic }) => topic === "exceptions")).toEqual([]);
	});
});

describe("A stream", () => {
	const minted = async (name: string): Promise<string> => {
		const { json } = await operate(at(0), MintToken, { body: { name, role: "viewer" } });
		keepSecretsOf(JSON.stringify(json));
		return json.data.token;
	};
	const idOf = (token: string): string => must(token.split(":")[0], "its id").slice("op_hf_".length);

	it("ends when its token is revoked, and when the token's role changes", async () => {
		const api = must(house.nodes[1], "a node").api;
		const token = await minted("ends");
		const revoked = await hear({ api, token });
		await operate(at(0), RevokeToken, { params: { id: idOf(token) } });
		await revoked.ended;
		await expect(listen({ api, token })).rejects.toThrow("answered 401");
		const other = await minted("changes");
		const changed = await hear({ api, token: other });
		await house.db.query("update operator_token set role = 'warehouse' where name = 'changes'");
		await changed.ended;
		await hear({ api, token: other });
	});

	it("ends when its node stops", async () => {
		const small = await openHouse();
		const one = await listen({ socket: must(small.nodes[0], "a node").socket });
		await small.close();
		await one.ended;
	});

	it("is refused to an operator that has too many of them", async () => {
		const api = house.api;
		const token = await minted("greedy");
		for (let n = 0; n < MOST_OF_OPERATOR; n++) await hear({ api, token });
		await expect(listen({ api, token })).rejects.toThrow("answered 429");
		must(open.pop(), "one").hangUp();
		await expect
			.poll(
				() =>
					listen({ api, token }).then(
						(one) => open.push(one) > 0,
						() => false,
					),
				PATIENCE,
			)
			.toBe(true);
	});

	it("ends when its reader does not read, and nothing is read from the database when nobody listens", async () => {
		let statements = 0;
		const counted = {
			query: (...given: Parameters<Query["query"]>) => {
				statements++;
				return house.db.query(...given);
			},
		} as Query;
		const live = createLiveStreams({ db: counted, log: silentLog() });
		expect([live.listeners, statements]).toEqual([0, 0]);
		const unread = live.listen({ operator: "operator:test", confirm: async () => true, lastEventId: null });
		if (isRefusal(unread)) throw new Error(unread.message);
		await expect.poll(() => statements, PATIENCE).toBeGreaterThan(3);
		unread.push("x".repeat(MOST_UNREAD_BYTES));
		await expect.poll(() => live.listeners, PATIENCE).toBe(0);
		unread.resume();
		await new Promise((resolve) => unread.once("end", resolve));
		const after = live.listen({ operator: "operator:test", confirm: async () => false, lastEventId: null });
		if (isRefusal(after)) throw new Error(after.message);
		after.resume();
		await new Promise((resolve) => after.once("end", resolve));
		await expect
			.poll(async () => {
				const before = statements;
				await new Promise((resolve) => setTimeout(resolve, 1_500));
				return statements - before;
			}, PATIENCE)
			.toBe(0);
		live.close();
		expect(live.listen({ operator: "operator:test", confirm: async () => true, lastEventId: null })).toMatchObject({
			refusal: "rate_limited",
		});
	});
});

describe("Notes of changes", () => {
	it("are deleted when they are so old that nobody reads on from there", async () => {
		const count = async () =>
			(await house.db.query<{ n: number }>("select count(*)::int as n from live_change")).rows[0]?.n ?? -1;
		await locate("C-1");
		const kept = await count();
		expect(kept).toBeGreaterThan(0);
		await deleteOldChanges(house.db, 1_000_000);
		expect(await count()).toBe(kept);
		await deleteOldChanges(house.db, 1);
		expect(await count()).toBeLessThanOrEqual(2);
	});
});
