import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../src/ground/lib/ids.ts";
import { MakePartner } from "../../src/partners/keys/partner-admin-contract.ts";
import { ListAudit } from "../../src/partners/operators/contract.ts";
import { ListDeliveries, ListEvents, ResendDelivery } from "../../src/partners/webhooks/delivery-admin-contract.ts";
import {
	ChangeEndpoint,
	DeleteEndpoint,
	GetEndpoint,
	ListEndpoints,
	MakeEndpoint,
	PauseEndpoint,
	RecoverEndpoint,
	ResumeEndpoint,
	RotateEndpointSecret,
	TestEndpoint,
} from "../../src/partners/webhooks/endpoint-admin-contract.ts";
import { type House, openHouse } from "../house.ts";
import { operate } from "../operate.ts";
import { recordEvents } from "../webhooks/events.ts";
import { ok, openReceiver, type Receiver } from "../webhooks/receiver.ts";
import { signedBy } from "../webhooks/signers.ts";
import { auditRows } from "./placed.ts";

let house: House;
let receiver: Receiver;

beforeAll(async () => {
	receiver = await openReceiver(ok);
	house = await openHouse({ env: { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" } });
});
afterAll(async () => {
	await house.close();
	await receiver.close();
});

interface Partner {
	readonly partner: string;
	readonly partnerId: string;
}
async function newPartner(): Promise<Partner> {
	const { json } = await operate(house, MakePartner, { body: { name: `Shop ${randomUUID()}`, new_partner: true } });
	return { partner: json.data.name, partnerId: json.data.partner_id };
}

interface Made {
	readonly endpoint_id: string;
	readonly secret: string;
}
const ask = (partner: string, more: object = {}, headers: Record<string, string> = {}) =>
	operate(house, MakeEndpoint, { body: { partner, environment: "live", url: receiver.url, ...more }, headers });
async function make(partner: string, more: object = {}, headers: Record<string, string> = {}): Promise<Made> {
	const { status, json } = await ask(partner, more, headers);
	expect(status).toBe(201);
	signedBy(json.data.endpoint_id, receiver.url, [json.data.secret]);
	return json.data;
}
const find = async (query: string): Promise<string[]> =>
	(await operate(house, ListEndpoints, { query })).json.data.items.map(
		({ endpoint_id }: { endpoint_id: string }) => endpoint_id,
	);
const audited = async (about: string): Promise<{ operation: string; status: number; body: unknown }[]> => {
	const { items } = (await operate(house, ListAudit, { query: `?about=${about}` })).json.data;
	return items.map(({ operation, status, body }: { operation: string; status: number; body: unknown }) => ({
		operation,
		status,
		body,
	}));
};
/** The deliveries of an endpoint, once they satisfy `isSo`. */
async function deliveries(id: string, isSo: (statuses: string[]) => boolean) {
	const read = async () => (await operate(house, ListDeliveries, { query: `?endpoint_id=${id}` })).json.data.items;
	await expect.poll(async () => isSo((await read()).map(({ status }: { status: string }) => status))).toBe(true);
	return await read();
}

describe("Operators register endpoints", () => {
	it("and list them by partner, environment, status and text, newest first, page by page", async () => {
		const { partner } = await newPartner();
		const query = `?partner=${encodeURIComponent(partner)}`;
		const a = await make(partner, { description: "the till 50%" });
		const b = await make(partner, { event_types: ["order.held"] });
		const c = await make(partner, { environment: "sandbox" });
		expect(a.secret).toMatch(/^whsec_/);
		expect(await find(query)).toEqual([c, b, a].map(({ endpoint_id }) => endpoint_id));
		expect(await find(`${query}&environment=sandbox`)).toEqual([c.endpoint_id]);
		expect(await find(`${query}&q=TILL`)).toEqual([a.endpoint_id]);
		expect(await find(`${query}&q=50%25`)).toEqual([a.endpoint_id]);
		await operate(house, PauseEndpoint, { params: { id: b.endpoint_id }, body: {} });
		expect(await find(`${query}&status=inactive`)).toEqual([b.endpoint_id]);
		expect(await find("?partner=Nobody")).toEqual([]);
		const first = (await operate(house, ListEndpoints, { query: `${query}&limit=2` })).json.data;
		expect(await find(`${query}&limit=2&cursor=${first.next_cursor}`)).toEqual([a.endpoint_id]);
		expect((await operate(house, ListEndpoints, { query: "?cursor=bm8" })).status).toBe(400);
		expect(first.items[0]).toMatchObject({ partner, environment: "sandbox", status: "active", pending: 0 });
	});

	it("for a partner that there is, at an address that may be posted to, at most ten", async () => {
		const { partner } = await newPartner();
		const nobody = await ask(partner.toLowerCase());
		expect([nobody.status, nobody.json.error.message]).toEqual([404, expect.stringContaining(`"${partner}"`)]);
		const inside = await ask(partner, { url: "http://10.0.0.1/" });
		expect([inside.status, inside.json.error.message]).toEqual([400, expect.stringMatching(/^\/url: /)]);
		expect((await ask(partner, { event_types: ["webhook.test"] })).status).toBe(400);
		for (let n = 0; n < 10; n++) await make(partner);
		const rows = await auditRows(house);
		const more = await ask(partner);
		expect([more.status, more.json.error]).toMatchObject([
			409,
			{ code: "not_possible_now", message: expect.stringContaining("10 endpoints") },
		]);
		expect(await auditRows(house)).toBe(rows + 1);
	});

	it("once under an Idempotency-Key: the repeat shows the same secret, which is nowhere else", async () => {
		const { partner } = await newPartner();
		const key = { "idempotency-key": `make-${partner}` };
		const { endpoint_id: id, secret } = await make(partner, {}, key);
		const again = await ask(partner, {}, key);
		expect([again.json.data.secret, again.headers["idempotent-replayed"]]).toEqual([secret, "true"]);
		const rotated = await operate(house, RotateEndpointSecret, { params: { id }, body: { overlap_hours: 0 } });
		const { secret: fresh } = rotated.json.data;
		signedBy(id, receiver.url, [fresh]);
		expect(fresh).not.toBe(secret);
		expect(await find(`?partner=${encodeURIComponent(partner)}`)).toEqual([id]);
		expect((await audited(id)).map(({ operation }) => operation)).toEqual(["rotate_endpoint_secret", "make_endpoint"]);
		const { rows } = await house.db.query<{ text: string }>(
			`select a::text as text from audit_log a union all select k::text from operator_reply k
			 union all select e::text from webhook_endpoint e`,
		);
		const shown = await operate(house, GetEndpoint, { params: { id } });
		const listed = await operate(house, ListEndpoints, {});
		const texts = [...rows.map(({ text }) => text), JSON.stringify(shown.json), JSON.stringify(listed.json)];
		for (const one of [secret, fresh]) {
			const hex = Buffer.from(one).toString("hex");
			for (const text of texts) {
				expect(text).not.toContain(one.slice("whsec_".length));
				expect(text).not.toContain(hex);
			}
		}
	});
});

describe("Operators change an endpoint", () => {
	it("by what is given; nothing and no audit row if it is so already", async () => {
		const { partner } = await newPartner();
		const { endpoint_id: id } = await make(partner, { description: "till" });
		const params = { id: id.toUpperCase() };
		const set = (body: object) => operate(house, ChangeEndpoint, { params, body });
		const changed = await set({ event_types: ["order.held"], reason: "asked by mail" });
		expect(changed.json.data).toMatchObject({ event_types: ["order.held"], description: "till", status: "active" });
		expect((await audited(id))[0]).toEqual({
			operation: "change_endpoint",
			status: 200,
			body: { event_types: ["order.held"], reason: "asked by mail" },
		});
		const rows = await auditRows(house);
		expect((await set({ event_types: ["order.held"], description: "till", status: "active" })).json.data).toEqual(
			changed.json.data,
		);
		expect(await auditRows(house)).toBe(rows);
		expect((await set({ description: null, status: "inactive" })).json.data).toMatchObject({
			description: null,
			inactive_reason: "operator",
		});
		expect((await set({ url: "http://10.0.0.1/" })).json.error.message).toMatch(/^\/url: /);
		expect((await operate(house, ChangeEndpoint, { params: { id: newId() }, body: {} })).status).toBe(404);
	});

	it("by pause and resume, each once; a stale If-Match changes nothing", async () => {
		const { partner } = await newPartner();
		const { endpoint_id: id } = await make(partner);
		const params = { id };
		const etag = String((await operate(house, GetEndpoint, { params })).headers.etag);
		const headers = { "if-match": etag };
		const paused = await operate(house, PauseEndpoint, { params, headers, body: { reason: "moves" } });
		expect([paused.status, paused.json.data]).toMatchObject([200, { status: "inactive", inactive_reason: "operator" }]);
		const rows = await auditRows(house);
		expect((await operate(house, PauseEndpoint, { params, body: {} })).json.data).toEqual(paused.json.data);
		expect(await auditRows(house)).toBe(rows);
		const late = await operate(house, ResumeEndpoint, { params, headers, body: {} });
		expect([late.status, late.json.error.code]).toEqual([412, "changed_meanwhile"]);
		expect((await operate(house, GetEndpoint, { params })).json.data).toEqual(paused.json.data);
		const resumed = await operate(house, ResumeEndpoint, { params, body: {} });
		expect(resumed.json.data).toMatchObject({ status: "active", inactive_reason: null });
		expect((await audited(id)).map(({ operation, status }) => [operation, status])).toEqual([
			["resume_endpoint", 200],
			["resume_endpoint", 412],
			["pause_endpoint", 200],
			["make_endpoint", 201],
		]);
	});

	it("for good: it is gone with its secrets, and a partner's own API agrees", async () => {
		const { partner, partnerId } = await newPartner();
		const { endpoint_id: id } = await make(partner);
		const params = { id };
		expect((await operate(house, DeleteEndpoint, { params })).json.data).toEqual({ ok: true });
		for (const operation of [GetEndpoint, DeleteEndpoint])
			expect((await operate(house, operation, { params })).status).toBe(404);
		expect((await operate(house, RotateEndpointSecret, { params, body: {} })).status).toBe(404);
		const { rows } = await house.db.query(
			"select from webhook_secret s join webhook_endpoint e using (endpoint_id) where e.partner_id = $1",
			[partnerId],
		);
		expect(rows).toEqual([]);
	});
});

describe("Operators send", () => {
	it("a test, a delivery again, and what did not arrive; they see each attempt", async () => {
		const { partner, partnerId } = await newPartner();
		const { endpoint_id: id } = await make(partner);
		const params = { id };
		const tested = await operate(house, TestEndpoint, { params });
		expect(tested.status).toBe(200);
		const { event_id } = tested.json.data;
		const [delivery] = await deliveries(id, ([status]) => status === "delivered");
		expect(delivery).toMatchObject({
			endpoint_id: id,
			partner,
			environment: "live",
			event_id,
			type: "webhook.test",
			attempts: [{ status: 200, error: null, response_excerpt: "thank you" }],
			next_attempt_at: null,
		});
		const again = await operate(house, ResendDelivery, { params: { id: delivery.delivery_id } });
		expect([again.status, again.json.data]).toEqual([200, { endpoint_id: id }]);
		const [twice] = await deliveries(id, ([status]) => status === "delivered");
		await expect
			.poll(() => receiver.arrived.filter(({ headers }) => headers["webhook-id"] === event_id).length)
			.toBe(2);
		expect(twice.delivery_id).toBe(delivery.delivery_id);
		await operate(house, PauseEndpoint, { params, body: {} });
		await recordEvents(house.db, { partnerId, environment: "live" }, 2);
		expect((await operate(house, ResumeEndpoint, { params, body: {} })).status).toBe(200);
		const since = "2026-01-01T00:00:00Z";
		const recover = (body: object) => operate(house, RecoverEndpoint, { params, body });
		const first = await recover({ since });
		expect([first.status, first.json.data]).toEqual([200, { events: 2 }]);
		await deliveries(id, (statuses) => statuses.filter((status) => status === "delivered").length === 3);
		const rows = await auditRows(house);
		expect((await recover({ since })).json.data).toEqual({ events: 0 });
		expect(await auditRows(house)).toBe(rows);
		expect((await recover({ since: "yesterday" })).json.error.message).toMatch(/^\/since: /);
		expect((await audited(delivery.delivery_id)).map(({ operation }) => operation)).toEqual(["resend_delivery"]);
	});

	it("nothing to an inactive endpoint, nor what is no longer kept: 409, with an audit row", async () => {
		const { partner, partnerId } = await newPartner();
		const { endpoint_id: id } = await make(partner);
		const params = { id };
		await operate(house, TestEndpoint, { params });
		const [{ delivery_id }] = await deliveries(id, ([status]) => status === "delivered");
		const refused = async (operation: typeof TestEndpoint | typeof ResendDelivery, of: string): Promise<string> => {
			const rows = await auditRows(house);
			const { status, json } = await operate(house, operation, { params: { id: of } });
			expect([status, json.error.code]).toEqual([409, "not_possible_now"]);
			expect(await auditRows(house)).toBe(rows + 1);
			return json.error.message;
		};
		await operate(house, PauseEndpoint, { params, body: {} });
		expect(await refused(TestEndpoint, id)).toContain("is inactive");
		expect(await refused(ResendDelivery, delivery_id)).toContain("is inactive");
		const late = await operate(house, RecoverEndpoint, { params, body: { since: "2026-01-01T00:00:00Z" } });
		expect([late.status, late.json.error.code]).toEqual([409, "not_possible_now"]);
		await operate(house, ResumeEndpoint, { params, body: {} });
		await house.db.query("update event set pruned_at = now() where partner_id = $1", [partnerId]);
		expect(await refused(ResendDelivery, delivery_id)).toContain("no longer kept");
		expect((await operate(house, ResendDelivery, { params: { id: newId() } })).status).toBe(404);
		expect((await operate(house, TestEndpoint, { params: { id: newId() } })).status).toBe(404);
	});
});

describe("Operators list", () => {
	it("events and deliveries, the newest first, by order, event, endpoint and status, page by page", async () => {
		const { partner, partnerId } = await newPartner();
		const [one, two] = [await make(partner), await make(partner)];
		const ids = await recordEvents(house.db, { partnerId, environment: "live" }, 3);
		const newest = ids.toReversed();
		const pages = async (operation: typeof ListEvents | typeof ListDeliveries, query: string, limit: number) => {
			const seen: { event_id: string; endpoint_id: string; order_id: string; body: unknown; partner: string }[] = [];
			let cursor: string | null = null;
			do {
				const page: string = `${query}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`;
				const { items, next_cursor } = (await operate(house, operation, { query: page })).json.data;
				seen.push(...items);
				cursor = next_cursor;
			} while (cursor !== null);
			return seen;
		};
		const all = await pages(ListEvents, "?", 2);
		expect(all.filter((event) => event.partner === partner).map(({ event_id }) => event_id)).toEqual(newest);
		const [event] = all.filter((event) => event.partner === partner);
		const ofOrder = await pages(ListEvents, `?order_id=${event?.order_id}`, 1);
		expect(ofOrder).toMatchObject([
			{ event_id: newest[0], type: "order.held", environment: "live", body: { data: { detail: "test" } } },
		]);
		for (const { endpoint_id } of [one, two])
			await deliveries(endpoint_id, (statuses) => statuses.every((status) => status === "delivered"));
		for (const limit of [1, 4, 500]) {
			const listed = (await pages(ListDeliveries, "?status=delivered", limit)).filter((row) => row.partner === partner);
			expect(listed.map(({ event_id }) => event_id)).toEqual(newest.flatMap((id) => [id, id]));
			expect(new Set(listed.map((row) => `${row.event_id} ${row.endpoint_id}`)).size).toBe(6);
		}
		const ofOne = await pages(ListDeliveries, `?endpoint_id=${one.endpoint_id}`, 2);
		expect(ofOne.map(({ event_id }) => event_id)).toEqual(newest);
		const ofEvent = await pages(ListDeliveries, `?event_id=${newest[1]}`, 1);
		expect(new Set(ofEvent.map(({ endpoint_id }) => endpoint_id))).toEqual(new Set([one.endpoint_id, two.endpoint_id]));
		expect(await pages(ListDeliveries, `?endpoint_id=${one.endpoint_id}&status=exhausted`, 5)).toEqual([]);
		expect(await pages(ListDeliveries, "?event_id=evt_none", 5)).toEqual([]);
		for (const operation of [ListEvents, ListDeliveries])
			expect((await operate(house, operation, { query: "?cursor=bm8" })).status).toBe(400);
	});
});
