import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../src/glossary.ts";
import { RetireCertificate } from "../../src/inventory/certificates/certificate-write-contract.ts";
import { ResendDelivery } from "../../src/partners/webhooks/delivery-admin-contract.ts";
import { CHOSEN_EVENT_TYPES } from "../../src/partners/webhooks/endpoint.ts";
import { ResumeEndpoint } from "../../src/partners/webhooks/endpoint-admin-contract.ts";
import { forgetOldEvents } from "../../src/partners/webhooks/forget-old-events.ts";
import { newPartner } from "../doors.ts";
import { until } from "../processes/child.ts";
import { ACTS, certified, placed } from "./acts.ts";
import { ok, status } from "./receiver.ts";
import { openStage, type Post, type Stage, untested } from "./stage.ts";

const never = new AbortController().signal;

let stage: Stage;

beforeAll(async () => {
	stage = await openStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/**
 * A partner with a key and an endpoint for everything, and the endpoints that must not be told about what belongs to
 * it.
 */
async function castIn(environment: Environment) {
	const partner = newPartner();
	const token = await stage.mint(partner, environment);
	const other = environment === "live" ? "sandbox" : "live";
	const all = async (key: string) => await stage.endpoint(key, CHOSEN_EVENT_TYPES);
	return {
		token,
		mine: await all(token),
		unchosen: await stage.endpoint(token),
		elsewhere: await all(await stage.mint(partner, other)),
		strangers: await all(await stage.mint(newPartner(), environment)),
	};
}

const byText = (a: readonly unknown[], b: readonly unknown[]): number =>
	JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
const isOfContract = (type: string): boolean => type === "order.shipped" || type === "order.held";

describe.each(["live", "sandbox"] as const)("A partner's endpoint in the environment %s", (environment) => {
	it.each(Object.entries(ACTS))(
		"that chose the types is told once of %s; no other endpoint is told",
		async (_what, act) => {
			const { token, mine, unchosen, elsewhere, strangers } = await castIn(environment);
			const expected = await act({ stage, token, environment });
			await stage.settle([mine, unchosen, elsewhere, strangers]);
			const told = untested(mine);
			expect(told.map(({ type, environment: of, data }) => [type, of, data]).toSorted(byText)).toEqual(
				expected.map(([type, data]) => [type, environment, data]).toSorted(byText),
			);
			expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
			const ofContract = expected.map(([type]) => type).filter(isOfContract);
			expect(untested(unchosen).map(({ type }) => type)).toEqual(ofContract);
			expect([...untested(elsewhere), ...untested(strangers)]).toEqual([]);
		},
	);

	it("that chose one type is told of that one alone, and one that chose none of the contract's two", async () => {
		const token = await stage.mint(newPartner(), environment);
		const posts = new Map<string, Post>();
		for (const type of CHOSEN_EVENT_TYPES.filter((one) => !isOfContract(one)))
			posts.set(type, await stage.endpoint(token, [type]));
		const plain = await stage.endpoint(token);
		for (const act of Object.values(ACTS)) await act({ stage, token, environment });
		await stage.settle([...posts.values(), plain]);
		const types = (post: Post): string[] => [...new Set(untested(post).map(({ type }) => type))].toSorted();
		for (const [type, post] of posts) expect(types(post)).toEqual(type === "certificate.retired" ? [] : [type]);
		expect(types(plain)).toEqual(["order.held", "order.shipped"]);
	});
});

describe("An event that must be chosen", () => {
	it("is not recorded if nobody did; what an endpoint missed while it was inactive is, and recover sends it", async () => {
		const token = await stage.mint(newPartner(), "live");
		const { house } = stage;
		const cancel = async (): Promise<string> => {
			const { order_id } = await placed({ stage, token, environment: "live" });
			await house.call(token, `/api/v1/orders/${order_id}/cancel`, { body: {} });
			return order_id;
		};
		const recorded = async (orderId: string): Promise<string[]> =>
			(await house.db.query<{ type: string }>("select type from event where order_id = $1", [orderId])).rows.map(
				({ type }) => type,
			);
		expect(await recorded(await cancel())).toEqual([]);
		const post = await stage.endpoint(token, ["order.cancelled"]);
		const at = `/api/v1/webhook-endpoints/${post.id}`;
		await house.call(token, at, { method: "PATCH", body: { status: "inactive" } });
		const missed = await cancel();
		expect(await recorded(missed)).toEqual(["order.cancelled"]);
		await stage.operate(ResumeEndpoint, { id: post.id });
		const body = { since: "2026-01-01T00:00:00Z" };
		expect((await house.call(token, `${at}/recover`, { body })).json.data).toEqual({ events: 1 });
		await until("it", () => post.arrived().length > 0);
		expect(post.arrived()).toMatchObject([{ type: "order.cancelled", data: { order_id: missed } }]);
		await house.call(token, at, { method: "DELETE" });
		expect(await recorded(await cancel())).toEqual([]);
	});

	it("has the same id and bytes when it is tried again after a failure, and when an operator sends it again", async () => {
		const token = await stage.mint(newPartner(), "live");
		const post = await stage.endpoint(token, ["hold.impaired"]);
		post.receiver.answer = status(500);
		await ACTS["a quarantine of what a hold has"]?.({ stage, token, environment: "live" });
		await until("the failure", () => post.arrived().length === 1);
		post.receiver.answer = ok;
		const { house } = stage;
		const deliveries = `/api/v1/webhook-endpoints/${post.id}/deliveries?status=delivered`;
		const { delivery_id: id } = await until("the delivery", async () => {
			const { json } = await house.call(token, deliveries);
			return (json.data.items as { delivery_id: string }[])[0];
		});
		await stage.operate(ResendDelivery, { id });
		await until("it again", () => post.arrived().length === 3);
		const sent = post.receiver.arrived.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`);
		expect(new Set(sent).size).toBe(1);
	}, 60_000);
});

describe("What is kept", () => {
	it("events of holds and certificates lose their bodies after their time, and are not deleted as tests are", async () => {
		const token = await stage.mint(newPartner(), "live");
		const post = await stage.endpoint(token, CHOSEN_EVENT_TYPES);
		const actor = { stage, token, environment: "live" } as const;
		await ACTS["a quarantine of what a hold has"]?.(actor);
		await ACTS["a label, and its void"]?.(actor);
		const { slug, batch } = await certified(stage, "live");
		await stage.operate(RetireCertificate, { slug, batch }, { reason: "wrong" });
		await stage.settle([post]);
		const { db } = stage.house;
		const own = "partner_id = (select partner_id from api_key where pk = $1)";
		const pk = token.split(":")[0];
		await db.query(`update event set created_at = created_at - interval '31 days' where ${own}`, [pk]);
		await forgetOldEvents(db, 30, never);
		const { rows } = await db.query<{ type: string; body: string }>(
			`select type, body from event where ${own} order by type`,
			[pk],
		);
		expect(rows.map(({ type }) => type)).toEqual([
			"certificate.retired",
			"hold.impaired",
			"shipment.label_created",
			"shipment.voided",
		]);
		for (const { body } of rows) expect(Object.keys(JSON.parse(body) as object)).toEqual(["pruned", "data"]);
	});
});
