import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { recordEnded } from "../../src/partners/admin/mount-write.ts";
import type { Operation } from "../../src/partners/http/operation.ts";
import {
	GetKey,
	ListKeys,
	MintKey,
	RevokeKey,
	RotateKey,
	SuspendKey,
} from "../../src/partners/keys/key-admin-contract.ts";
import { ListPartners, MakePartner, RenamePartner } from "../../src/partners/keys/partner-admin-contract.ts";
import { ListAudit, MintToken, RevokeToken, VerifyAudit } from "../../src/partners/operators/contract.ts";
import { StartGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { type House, openHouse } from "../house.ts";
import { keepSecretsOf } from "../leaks/secrets.ts";
import { type As, type Asked, type Operated, operate } from "../operate.ts";
import { personAt } from "../person.ts";

let house: House;

beforeAll(async () => {
	house = await openHouse();
});
afterAll(() => house.close());

const act = async (operation: Operation, asked: Asked = {}, as: As = house): Promise<Operated> => {
	const answer = await operate(as, operation, asked);
	keepSecretsOf(JSON.stringify(answer.json));
	return answer;
};
const rows = async (): Promise<Record<string, unknown>[]> =>
	(await house.db.query("select seq, operation, about, status, code, body, actor from audit_log order by seq")).rows;
/** The rows that a request added to the log. */
async function added(work: () => Promise<Operated>): Promise<[status: number, ...entries: unknown[]]> {
	const before = (await rows()).length;
	const { status } = await work();
	return [status, ...(await rows()).slice(before).map(({ operation, status, code }) => [operation, status, code])];
}

const SANDBOX_KEY = { partner: "Acme", environment: "sandbox", preset: "fulfilment" };

describe("The audit log has exactly one row", () => {
	it("for each write that was carried out", async () => {
		expect(await added(() => act(MakePartner, { body: { name: "Acme" } }))).toEqual([201, ["make_partner", 201, null]]);
		expect(await added(() => act(MintKey, { body: { ...SANDBOX_KEY, name: "web" } }))).toEqual([
			201,
			["mint_key", 201, null],
		]);
		expect(await added(() => act(RotateKey, { params: { pk: "web" }, body: {} }))).toEqual([
			200,
			["rotate_key", 200, null],
		]);
		expect(await added(() => act(SuspendKey, { params: { pk: "web" }, body: { reason: "leaked" } }))).toEqual([
			200,
			["suspend_key", 200, null],
		]);
		expect(await added(() => act(RevokeKey, { params: { pk: "web" }, body: {} }))).toEqual([
			200,
			["revoke_key", 200, null],
		]);
		const last = must((await rows()).at(-2), "the suspension");
		expect(last).toMatchObject({ about: expect.stringMatching(/^pk_hf_sandbox_/), body: { reason: "leaked" } });
		expect(String(last.actor)).toMatch(/^operator:[a-z]/);
	});

	it("for each write that was refused once it was understood", async () => {
		const viewer = (await act(MintToken, { body: { name: "viewer", role: "viewer" } })).json.data.token;
		const operator = (await act(MintToken, { body: { name: "operator", role: "operator" } })).json.data.token;
		const as = (token: string): As => ({ api: house.api, token });
		expect(await added(() => act(MakePartner, { body: { name: "Nobody" } }, as(viewer)))).toEqual([
			403,
			["make_partner", 403, "forbidden"],
		]);
		const live = { ...SANDBOX_KEY, environment: "live", name: "live" };
		expect(await added(() => act(MintKey, { body: live }, as(operator)))).toEqual([
			403,
			["mint_key", 403, "forbidden"],
		]);
		// the role is judged before the body is read, and the path names the key already
		for (const [pk, about] of [
			["web", "web"],
			["w\0eb", null],
		] as const) {
			const suspend = () => act(SuspendKey, { params: { pk }, body: {} }, as(viewer));
			expect(await added(suspend)).toEqual([403, ["suspend_key", 403, "forbidden"]]);
			expect((await rows()).at(-1)).toMatchObject({ about, actor: "operator:token/viewer" });
		}
		expect(await added(() => act(RotateKey, { params: { pk: "web" }, body: {} }))).toEqual([
			409,
			["rotate_key", 409, "not_possible_now"],
		]);
	});

	it("a minute for writes with a token that has ended, and none for its reads or for a wrong secret", async () => {
		const tokenOf = async (name: string, more = {}): Promise<{ id: string; token: string }> =>
			(await act(MintToken, { body: { name, role: "admin", ...more } })).json.data;
		const [revoked, expired] = [await tokenOf("revoked"), await tokenOf("expired", { expires_at: "1h" })];
		await act(RevokeToken, { params: { id: revoked.id } });
		await house.db.query("update operator_token set expires_at = now() - interval '1 second' where name = 'expired'");
		for (const { token } of [revoked, expired]) {
			const as: As = { api: house.api, token };
			await expect.poll(async () => (await act(ListPartners, {}, as)).status).toBe(401);
			const write = () => act(MakePartner, { body: { name: "Too Late" } }, as);
			expect(await added(write)).toEqual([401, ["make_partner", 401, "unauthorized"]]);
			for (const late of [write, () => act(MintToken, { body: {} }, as), () => act(ListPartners, {}, as)])
				expect(await added(late)).toEqual([401]);
			const wrong = { api: house.api, token: token.replace(/.$/, "~") };
			expect(await added(() => act(MakePartner, { body: { name: "Too Late" } }, wrong))).toEqual([401]);
		}
		const last = must((await rows()).at(-1), "the last row");
		expect(last).toMatchObject({ actor: "operator:token/expired", body: null, about: null });
		// another node, which has not seen these requests, adds none either
		const entry = { ...last, via: "token", credential: `op_hf_${expired.id}`, address: "", request_id: "req_1" };
		const before = (await rows()).length;
		await recordEnded(house.db, entry as unknown as Parameters<typeof recordEnded>[1]);
		expect((await rows()).length).toBe(before);
	});

	it("and none for a read, a replay, what is so already, and what was never understood", async () => {
		const headers = { "idempotency-key": "k-1" };
		const body = { name: "Once" };
		expect((await added(() => act(MakePartner, { body, headers }))).length).toBe(2);
		const [status, ...entries] = await added(() => act(MakePartner, { body, headers }));
		expect([status, entries]).toEqual([201, []]);
		for (const [code, work] of [
			[200, () => act(ListPartners)],
			[200, () => act(MakePartner, { body })],
			[200, () => act(RevokeKey, { params: { pk: "web" }, body: {} })],
			[404, () => act(SuspendKey, { params: { pk: "none" }, body: {} })],
			[400, () => act(MakePartner, { body: { nam: "x" } })],
			[404, () => act(RevokeToken, { params: { id: "none" } })],
		] as const)
			expect(await added(work)).toEqual([code]);
	});
});

it("a whole token that is given as the name of a key, or in a reason, is in no row with its secret", async () => {
	const minted = await act(MintKey, { body: { ...SANDBOX_KEY, name: "leaked" } });
	const { pk, token } = minted.json.data;
	const viewer = (await act(MintToken, { body: { name: "onlooker", role: "viewer" } })).json.data.token;
	const anna = await personAt(house.api, house, "anna", "admin");
	await house.db.query("update operator_session set created_at = now() - interval '11 minutes'");
	await house.db.query("select pg_sleep(0.3)"); // longer than a node may know the session as it was
	const headers = { "idempotency-key": "taken" };
	await act(MakePartner, { body: { name: "Taken" }, headers });
	for (const [status, code, operation, asked, as] of [
		[403, "forbidden", SuspendKey, { params: { pk: token }, body: {} }, { api: house.api, token: viewer }],
		[403, "fresh_sign_in_needed", RotateKey, { params: { pk: token }, body: {} }, anna],
		[409, "idempotency_conflict", StartGoLive, { body: { key: token }, headers }, house],
		[200, null, SuspendKey, { params: { pk }, body: { reason: `found in a page: ${token}` } }, house],
	] as const)
		expect(await added(() => act(operation, asked, as))).toEqual([status, [operation.id, status, code]]);
	const kept = (await rows()).slice(-4);
	expect(JSON.stringify(kept)).not.toMatch(/sk_hf_\w+_[0-9A-Za-z]/);
	const named = `${pk}:sk_hf_sandbox_***`;
	expect(kept.map(({ about, body }) => [about, body])).toEqual([
		[named, null],
		[named, {}],
		[null, { key: named }],
		[pk, { reason: `found in a page: ${named}` }],
	]);
});

describe("A write under an Idempotency-Key", () => {
	it("is carried out once, by ten at once too, and answered with the first reply, secret included", async () => {
		const asked = { body: { name: "ten", role: "viewer" }, headers: { "idempotency-key": "ten" } };
		const answers = await Promise.all(Array.from({ length: 10 }, () => act(MintToken, asked)));
		expect(new Set(answers.map(({ status, json }) => JSON.stringify([status, json.data]))).size).toBe(1);
		expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(9);
		const { rows: stored } = await house.db.query("select reply from operator_reply where key = 'ten'");
		expect(String(must(stored[0], "the reply").reply)).not.toContain("os_hf_");
	});

	it("is refused for another request, and the key is another operator's too", async () => {
		const headers = { "idempotency-key": "mine" };
		await act(MakePartner, { body: { name: "Mine One" }, headers });
		const other = await act(MakePartner, { body: { name: "Quite Another" }, headers });
		expect([other.status, other.json.error.code]).toEqual([409, "idempotency_conflict"]);
		const { token } = (await act(MintToken, { body: { name: "neighbour", role: "operator" } })).json.data;
		expect((await act(MakePartner, { body: { name: "Third Shop" }, headers }, { api: house.api, token })).status).toBe(
			201,
		);
	});
});

describe("The chain", () => {
	const verdict = async () => (await act(VerifyAudit)).json.data;
	/** Changes the log by SQL, verifies, and restores it. */
	async function tampered(statement: string): Promise<unknown> {
		await house.db.query("create table kept as table audit_log; alter table audit_log disable trigger user");
		await house.db.query(statement);
		const seen = await verdict();
		await house.db.query(
			"delete from audit_log; insert into audit_log table kept; drop table kept; alter table audit_log enable trigger user",
		);
		return seen.whole ? "whole" : seen.broken_at;
	}

	it("is whole, and names the row that was changed, removed, swapped or added", async () => {
		const { whole, rows: length } = await verdict();
		expect(whole).toBe(true);
		expect(length).toBeGreaterThan(8);
		expect(await tampered("update audit_log set about = 'other' where seq = 3")).toBe(3);
		expect(await tampered("update audit_log set body = '[]' where seq = 5")).toBe(5);
		expect(await tampered("update audit_log set at = at + interval '1 microsecond' where seq = 2")).toBe(2);
		expect(await tampered("delete from audit_log where seq = 4")).toBe(4);
		expect(await tampered(`delete from audit_log where seq = ${length}`)).toBe(length);
		expect(await tampered("delete from audit_log where seq = 1")).toBe(1);
		expect(
			await tampered(
				"update audit_log set seq = -seq where seq in (6, 7); update audit_log set seq = 13 + seq where seq < 0",
			),
		).toBe(6);
		const more = `insert into audit_log select ${length} + 1, at, actor, via, credential, address, operation, about, body, status, code, request_id, previous, hash from audit_log where seq = ${length}`;
		expect(await tampered(more)).toBe(length + 1);
		expect((await verdict()).whole).toBe(true);
	});

	it("cannot be changed by statements of the service", async () => {
		for (const statement of ["update audit_log set about = 'x'", "delete from audit_log", "truncate audit_log"])
			await expect(house.db.query(statement)).rejects.toThrow("append-only");
	});

	it("has no gap after writes of twenty operators at once, some of them refused", async () => {
		await Promise.all(
			Array.from({ length: 20 }, (_, n) =>
				n % 4 === 3
					? act(RotateKey, { params: { pk: "web" }, body: {} })
					: act(MakePartner, { body: { name: `Partner number ${n}`, new_partner: true } }),
			),
		);
		expect((await verdict()).whole).toBe(true);
	});
});

it("a write whose connection dies before COMMIT leaves neither the write nor a row", async () => {
	const before = (await rows()).length;
	const holder = await house.db.take();
	try {
		await holder.query("begin");
		await holder.query("select 1 from audit_head for update");
		const write = act(MakePartner, { body: { name: "Killed In The Middle" } }).catch((error: unknown) => error);
		const pid = await waitFor(async () => {
			const found = await house.db.query<{ pid: number }>(
				"select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%audit_append%'",
			);
			return found.rows[0]?.pid;
		});
		await house.db.query("select pg_terminate_backend($1)", [pid]);
		expect((await write) as Operated).toMatchObject({ status: 500 });
	} finally {
		await holder.query("rollback");
		holder.release();
	}
	expect((await rows()).length).toBe(before);
	const { items } = (await act(ListPartners, { query: "?q=killed" })).json.data;
	expect(items).toEqual([]);
});

async function waitFor<T>(look: () => Promise<T | undefined>): Promise<T> {
	const end = performance.now() + 4_000;
	for (;;) {
		const found = await look();
		if (found !== undefined) return found;
		if (performance.now() > end) throw new Error("it did not come");
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

describe("Lists and reads", () => {
	it("show every row once, page by page, newest or by name", async () => {
		for (const [operation, limit] of [
			[ListPartners, 3],
			[ListAudit, 7],
			[ListKeys, 1],
		] as const) {
			const all = (await act(operation, { query: "?limit=500" })).json.data.items;
			const paged: unknown[] = [];
			let cursor = "";
			do {
				const { data } = (await act(operation, { query: `?limit=${limit}${cursor}` })).json;
				paged.push(...data.items);
				cursor = data.next_cursor === null ? "" : `&cursor=${data.next_cursor}`;
			} while (cursor !== "");
			expect(paged).toEqual(all);
		}
		for (const list of [ListKeys, ListAudit])
			expect((await act(list, { query: "?cursor=bm90aGluZw" })).status).toBe(400);
	});

	it("a partner that is renamed keeps its keys", async () => {
		const { partner_id } = (await act(ListPartners, { query: "?q=acme" })).json.data.items[0];
		expect((await act(RenamePartner, { params: { partner_id }, body: { name: "Acme Web" } })).json.data.name).toBe(
			"Acme Web",
		);
		expect((await act(GetKey, { params: { pk: "Acme Web/web" } })).json.data.partner).toBe("Acme Web");
	});
});
