import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../src/ground/lib/assert.ts";
import { newRequestId } from "../../src/ground/lib/ids.ts";
import { ExplainCount } from "../../src/upkeep/ledger/admin-contract.ts";
import { GetRequest, ListRequestErrors, ListRequests } from "../../src/upkeep/traffic/admin-contract.ts";
import { type Answer, type House, openHouse } from "../house.ts";
import { operate, operatePatiently } from "../operate.ts";
import { until } from "../processes/child.ts";
import { sizeOr } from "../sizes.ts";

let house: House;
let token: string;
let pk: string;

beforeAll(async () => {
	house = await openHouse({ nodes: 2 });
	await house.stock({ ONE: 100, TWO: 5 });
	({ token } = await house.mint({ name: "web", scopes: ["atp.reserve", "atp.release", "atp.check"] }));
	pk = must(token.split(":")[0], "its public half");
});
afterAll(() => house.close());

const idOf = ({ headers }: Answer): string => must(headers.get("x-request-id"), "a request id");
const shown = (requestId: string) => operatePatiently(house, GetRequest, { params: { request_id: requestId } });
/** A request once it is in the log. */
const logged = (requestId: string) =>
	until("the request to be logged", async () => {
		const { status, json } = await shown(requestId);
		return status === 200 && json.data;
	});
const reserve = (qty: number, ref: string, node = 0, sku = "ONE") =>
	house.call(token, "/api/v1/reserve", { node, body: { items: [{ sku, qty }], external_ref: ref } });
const listed = async (query: string) => (await operate(house, ListRequests, { query })).json.data;

describe("A request of a partner", () => {
	it("is shown by its id, on whatever node it was made", async () => {
		for (const node of [0, 1]) {
			const answer = await reserve(2, `cart-${node}`, node);
			const request = await logged(idOf(answer));
			expect(request).toMatchObject({
				operation: "reserve",
				status: 201,
				code: null,
				environment: "live",
				key: pk,
				key_name: "web",
				about: [`cart-${node}`, answer.json.data.reservation_token],
				body: null,
				reply: null,
				explanation: [],
				counts: [],
			});
			expect(request.curl).toContain(`curl -X POST '${house.api}/api/v1/reserve'`);
			const params = { request_id: idOf(answer) };
			const headers = { "if-none-match": String((await shown(params.request_id)).headers.etag) };
			expect((await operate(house, GetRequest, { params, headers })).status).toBe(304);
		}
	});

	it("refused for want of stock is explained with the counts of that instant, after they have changed", async () => {
		const held = await reserve(4, "holder", 0, "TWO");
		const refused = await reserve(3, "wants-three", 1, "TWO");
		expect(refused.status).toBe(409);
		await house.call(token, "/api/v1/release", { body: { reservation_token: held.json.data.reservation_token } });
		const { explanation, counts } = await logged(idOf(refused));
		expect(explanation.join(" ")).toMatch(/1 of "TWO" could be promised; asked for: 3/);
		expect(explanation.join(" ")).toMatch(/1 available, 4 in holds/);
		const [count] = counts;
		const { json } = await operate(house, ExplainCount, {
			params: { sku: "TWO" },
			query: `?key=${pk}&at=${count.at}`,
		});
		expect(count).toEqual(json.data);
	});

	it("with a key that has ended, or half of one, is explained to the operator", async () => {
		const { token: ending } = await house.mint({ name: "ending", scopes: ["atp.check"] });
		// at once: a node that reads the new epoch before the key would never read the key again
		await house.db.query(
			`with epoch as (update key_epoch set version = version + 1 returning version)
			 update api_key set revoke_at = now(), version = (select version from epoch) where pk = $1`,
			[ending.split(":")[0]],
		);
		const check = (sent: string | null): Promise<Answer> =>
			house.call(sent, "/api/v1/check", { body: { items: [{ sku: "ONE", qty: 1 }] } });
		await expect.poll(async () => (await check(ending)).status).toBe(401); // the node may have read it a moment before
		const cases = [
			[ending, /"ending" of .* which has been revoked since/],
			[`${pk}:${ending.split(":")[1]}`, /"web" of .*, but the second half is not its secret/],
			[null, null],
		] as const;
		for (const [sent, words] of cases) {
			const refused = await check(sent);
			expect(refused.status).toBe(401);
			const request = await logged(idOf(refused));
			if (words !== null) expect(request.explanation.join(" ")).toMatch(words);
			else expect(request).toMatchObject({ key: null, auth_failure: "malformed" });
		}
	});

	it("to an unknown path with a key of ours is in the log, with what was sent and whose key it claims to be", async () => {
		const lost = await fetch(`${house.api}/api/v1/reserv`, { headers: { authorization: `Bearer ${token}` } });
		const request = await logged(must(lost.headers.get("x-request-id"), "an id"));
		expect(request).toMatchObject({ operation: "none", status: 404, key: pk, key_name: null });
	});

	it.each([
		["of an id that was never given", newRequestId()],
		["of a text that is no id", "cart-1"],
	])("%s is not found", async (_what, id) => expect((await shown(id)).status).toBe(404));
});

describe("The list of requests", () => {
	it("is read page by page to the same end, newest first, under each filter", async () => {
		const last = await reserve(1, "the-last");
		await logged(idOf(last));
		for (const filter of [
			"",
			"&key=web",
			"&code=no_inventory",
			"&operation=reserve",
			"&status=409",
			"&q=cart",
			"&environment=live",
		]) {
			const whole = (await listed(`?limit=500${filter}`)).items;
			expect(whole.length).toBeGreaterThan(0);
			const seen: string[] = [];
			let cursor: string | null = null;
			do {
				const page: { items: { request_id: string }[]; next_cursor: string | null } = await listed(
					`?limit=2${filter}${cursor === null ? "" : `&cursor=${cursor}`}`,
				);
				seen.push(...page.items.map(({ request_id }) => request_id));
				cursor = page.next_cursor;
			} while (cursor !== null);
			expect(seen).toEqual(whole.map(({ request_id }: { request_id: string }) => request_id));
			expect(whole.map(({ at }: { at: string }) => at)).toEqual(
				whole
					.map(({ at }: { at: string }) => at)
					.toSorted()
					.toReversed(),
			);
		}
		const [first] = (await listed("?limit=1&key=web")).items;
		expect(first.request_id).toBe(idOf(last));
		expect((await listed(`?to=${first.at}&limit=1&key=web`)).items[0].request_id).not.toBe(first.request_id);
		expect((await listed(`?from=${first.at}&key=web`)).items).toHaveLength(1);
	});

	it("has a count of the errors by operation, code and key", async () => {
		const refused = await reserve(50, "far-too-many", 0, "TWO");
		await logged(idOf(refused));
		const { json } = await operate(house, ListRequestErrors);
		const group = json.data.items.find(({ code }: { code: string }) => code === "no_inventory");
		expect(group).toMatchObject({ operation: "reserve", key: pk, key_name: "web", last_request_id: idOf(refused) });
		expect(group.count).toBeGreaterThan(1);
	});
});

it("the figures of explanations equal those of explain at the instants of the refusals, after the fact", async () => {
	const rounds = sizeOr(1_000, 40);
	const refusals: string[] = [];
	const held: string[] = [];
	for (let round = 0; refusals.length < rounds; round++) {
		const wants = Array.from({ length: 8 }, (_, n) => reserve(1 + ((round + n) % 3), `r${round}-${n}`, n % 2, "TWO"));
		for (const answer of await Promise.all(wants)) {
			if (answer.status === 201) held.push(answer.json.data.reservation_token);
			else refusals.push(idOf(answer));
		}
		const ended = held.splice(0, 2);
		await Promise.all(
			ended.map((reservation_token) => house.call(token, "/api/v1/release", { body: { reservation_token } })),
		);
	}
	for (const requestId of refusals.slice(0, rounds)) {
		const { counts, explanation } = await logged(requestId);
		const [count] = counts;
		const query = `?key=${pk}&at=${count.at}`;
		const { json } = await operatePatiently(house, ExplainCount, { params: { sku: "TWO" }, query });
		expect(count).toEqual(json.data);
		expect(explanation[1]).toContain(`${json.data.counts.atp_qty} of "TWO" could be promised`);
	}
}, 3_600_000);
