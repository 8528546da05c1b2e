import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../src/glossary.ts";
import { must } from "../../src/ground/lib/assert.ts";
import { UNKIND_FIELD, unkindKindOf } from "../../src/ground/lib/unkind.ts";
import { loadFacts } from "../../src/upkeep/golive/load-facts.ts";
import { DrillGoLive, StartGoLive, StopGoLive } from "../../src/upkeep/golive/run-write-contract.ts";
import { selectRun } from "../../src/upkeep/golive/sql.ts";
import { RestockOperatorSandbox } from "../../src/upkeep/sandbox/admin-contract.ts";
import { GetRequest } from "../../src/upkeep/traffic/admin-contract.ts";
import { checkReply } from "../check-reply.ts";
import { type House, openHouse } from "../house.ts";
import { type Asked, operate } from "../operate.ts";
import { until } from "../processes/child.ts";

let house: House;

beforeAll(async () => {
	house = await openHouse({ nodes: 2 });
	expect((await operate(house, RestockOperatorSandbox, {})).status).toBe(200);
});
afterAll(() => house.close());

const sandboxKey = () =>
	house.mint({ environment: "sandbox", brandCode: "SANDBOX", sharedPool: false, scopes: SCOPES });
const on = async (operation: Parameters<typeof operate>[1], id: string, asked: Asked = {}) =>
	await operate(house, operation, { params: { id }, ...asked });
/** The acts of the last unkind hour of a run, by which the run is judged. */
async function actsOf(id: string) {
	const run = must(await selectRun(house.db, { id, number: null }), "the run");
	return (await loadFacts(house.db, run)).facts.unkind?.acts ?? [];
}

let asked = 0;
/**
 * A request, and how it was answered. The suite's check of replies allows no field that its document does not name,
 * and so does this one, but for the field of the unkind hour, which it takes out first: no other test may see it.
 */
async function ask(token: string, path: string, body?: object, node = asked++ % 2) {
	const method = body === undefined ? "GET" : "POST";
	const response = await fetch(must(house.nodes[node], "a node").api + path, {
		method,
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const { data, error } = (await response.json()) as {
		data?: { [name: string]: unknown };
		error?: { code: string; message: string };
	};
	const { [UNKIND_FIELD]: added, ...known } = data ?? {};
	const { status, headers } = response;
	checkReply({ method, path, status, headers, body: data === undefined ? { error } : { data: known } });
	const requestId = headers.get("x-request-id") ?? "";
	return { requestId, status, data: known, answer: error?.code ?? (added === undefined ? "kind" : "new_field") };
}
const check = (token: string, node?: number) =>
	ask(token, "/api/v1/check", { items: [{ sku: "SBX-LOW", qty: 1 }] }, node);
const expected = (requestId: string): string => unkindKindOf(requestId) ?? "kind";

/** A running run of a new sandbox key whose unkind hour both nodes know about. */
async function unkindRun() {
	const { token, pk, keyId } = await sandboxKey();
	const { json } = await operate(house, StartGoLive, { body: { key: pk } });
	const id: string = json.data.golive_id;
	const { status, json: begun } = await on(DrillGoLive, id, { body: { what: "unkind" } });
	expect(status).toBe(200);
	for (const node of [0, 1]) {
		await until("the hour to be known", async () => (await check(token, node)).answer !== "kind");
	}
	return { token, keyId, id, end: Date.parse(begun.data.unkind_until) };
}

describe("An unkind hour", () => {
	it("is one hour by the clock of the database, and begun once however often it is asked for", async () => {
		const { id, end } = await unkindRun();
		expect(end - Date.now()).toBeGreaterThan(3_500_000);
		expect(end - Date.now()).toBeLessThanOrEqual(3_601_000);
		const again = await on(DrillGoLive, id, { body: { what: "unkind" } });
		expect(Date.parse(again.json.data.unkind_until)).toBe(end);
	});

	it("answers by the request id on every node, and touches no other key, and no live one", async () => {
		const { token } = await unkindRun();
		const [other, live] = [await sandboxKey(), await house.mint({ scopes: SCOPES })];
		for (let n = 0; n < 200; n++) {
			const { requestId, answer } = await check(token);
			const kind = expected(requestId);
			// this operation has no retry
			expect([requestId, answer]).toEqual([requestId, kind === "retry" ? "rate_limited" : kind]);
			expect((await check(other.token)).answer).toBe("kind");
			expect((await check(live.token)).answer).toBe("kind");
		}
	});

	it("refuses a reserve before anything is done, and the same one again is as if it had never been refused", async () => {
		const { token, keyId } = await unkindRun();
		const refused: string[] = [];
		const seen = new Set<string>();
		const release = async (reservation_token: unknown): Promise<void> => {
			let status: number;
			do ({ status } = await ask(token, "/api/v1/release", { reservation_token }));
			while (status !== 200);
		};
		for (let n = 0; n < 2_000 && seen.size < 4; n++) {
			const external_ref = `cart-${n}`;
			const body = { items: [{ sku: "SBX-PLENTY", qty: 1 }], external_ref };
			const { requestId, answer, data } = await ask(token, "/api/v1/reserve", body);
			expect([requestId, answer]).toEqual([requestId, expected(requestId)]);
			seen.add(answer);
			if (answer === "retry" || answer === "rate_limited") refused.push(external_ref);
			else await release(data.reservation_token);
		}
		expect([...seen].sort()).toEqual(["kind", "new_field", "rate_limited", "retry"]);
		const holds = async () =>
			(
				await house.db.query<{ n: number }>(
					"select count(*)::int as n from hold where key_id = $1 and external_ref = any($2::text[])",
					[keyId, refused],
				)
			).rows[0]?.n;
		expect(await holds()).toBe(0);
		const again = { items: [{ sku: "SBX-PLENTY", qty: 1 }], external_ref: refused[0] };
		const made = await until("the same reserve to be answered", async () => {
			const reply = await ask(token, "/api/v1/reserve", again);
			return reply.status === 201 ? reply : null;
		});
		expect(made.data.idempotent).toBe(false);
		expect(await holds()).toBe(1);
	});

	it("always answers what the run needs", async () => {
		const { token } = await unkindRun();
		for (let n = 0; n < 100; n++) {
			const node = n % 2;
			expect((await ask(token, "/api/v1/sandbox/golive", undefined, node)).answer).toBe("kind");
			const post = { items: [{ sku: "SBX-LOW", shown_qty: 3 }] };
			expect((await ask(token, "/api/v1/sandbox/shown", post, node)).answer).toBe("kind");
			expect((await ask(token, "/api/v1/sandbox/golive/drill", { what: "unkind" }, node)).answer).toBe("wrong_state");
		}
	});

	it("ends when it is stopped, and with its run", async () => {
		const { token, id } = await unkindRun();
		const stopped = await on(StopGoLive, id, { body: { what: "unkind" } });
		expect(stopped.json.data).toMatchObject({ state: "running", unkind_until: null });
		const answers = async (): Promise<string[]> => {
			const seen: string[] = [];
			for (let n = 0; n < 400; n++) seen.push((await check(token)).answer);
			return seen;
		};
		await until("the end of the hour", async () => !(await answers()).some((answer) => answer !== "kind"));
		const other = await unkindRun();
		await on(StopGoLive, other.id, { body: { what: "run" } });
		const { rows } = await house.db.query(
			"select from api_key where key_id = $1 and unkind_until > clock_timestamp()",
			[other.keyId],
		);
		expect(rows).toEqual([]);
	});

	it("is judged from the log, and each refusal is explained as its act", async () => {
		const { token, id } = await unkindRun();
		const acts = new Map<string, string>();
		for (let n = 0; n < 2_000 && acts.size < 5; n++) {
			const { requestId, answer } = await check(token);
			if (answer !== "kind") acts.set(requestId, answer);
		}
		await until("the acts to be judged", async () => {
			const judged = new Map((await actsOf(id)).map((act) => [act.id, act.kind]));
			return [...acts].every(([request, answer]) => judged.get(request) === answer);
		});
		for (const [request_id, answer] of acts) {
			if (answer === "new_field") continue;
			const { json } = await operate(house, GetRequest, { params: { request_id } });
			expect(JSON.stringify(json.data)).toContain("act of the unkind hour");
		}
	});
});
