import { createServer, type Server, type ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import { Client } from "./http.ts";
import { Partner } from "./partner.ts";
import { Tally } from "./tally.ts";

type Respond = (response: ServerResponse) => void;

let server: Server;
let client: Client;
let bodies: string[];
let keys: unknown[];

/** A server that answers the first request by the first of `answers`, and so on, and a partner that talks to it. */
async function meet(answers: Respond[], rough = false): Promise<{ partner: Partner; tally: Tally }> {
	bodies = [];
	keys = [];
	server = createServer((request, response) => {
		let body = "";
		keys.push(request.headers["idempotency-key"]);
		request.on("data", (bytes) => (body += String(bytes)));
		request.on("end", () => (answers[bodies.push(body) - 1] as Respond)(response));
	});
	await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
	client = new Client(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
	const tally = new Tally();
	return { partner: new Partner("web", client, "pk:sk", tally, rough), tally };
}

afterEach(() => {
	client.close();
	server.close();
});

const say =
	(status: number, body: unknown, headers: Record<string, string> = {}): Respond =>
	(response) => {
		const text = JSON.stringify(body);
		response.writeHead(status, { "content-length": Buffer.byteLength(text), ...headers }).end(text);
	};
const no = (status: number, code: string) => say(status, { error: { code, message: "no" } });
const hangUp: Respond = (response) => response.destroy();
const held = (idempotent: boolean) => say(201, { data: { reservation_token: "t", idempotent, items: [] } });
const LINES = [{ sku: "A", qty: 1 }];

test("without an answer the same request is sent again, and the answer to that one stands", async () => {
	const { partner, tally } = await meet([hangUp, hangUp, held(true)]);
	const answer = await partner.reserve(LINES, null, "ref-1", undefined);
	expect(answer).toMatchObject({ ok: true, uncertain: true, data: { idempotent: true } });
	expect(new Set(bodies).size).toBe(1);
	expect(JSON.parse(bodies[0] as string)).toEqual({ items: LINES, external_ref: "ref-1" });
	expect([tally.lost, tally.cut, tally.replays, tally.operations.reserve]).toEqual([2, 0, 1, 1]);
});

test("a connection cut on purpose is cut once and counted apart", async () => {
	const { partner, tally } = await meet([held(false), held(true)]);
	const answer = await partner.reserve(LINES, "NORTH", "ref-1", 1, "answered");
	expect(answer).toMatchObject({ ok: true, uncertain: true });
	expect(JSON.parse(bodies[1] as string)).toEqual({
		items: [{ sku: "A", qty: 1, brand_code: "NORTH" }],
		external_ref: "ref-1",
		ttl_minutes: 1,
	});
	expect([tally.lost, tally.cut]).toEqual([0, 1]);
});

test("being told to come again is counted by its code and is not an answer", async () => {
	const { partner, tally } = await meet([no(429, "rate_limited"), no(409, "retry"), held(false)]);
	expect(await partner.reserve(LINES, null, "ref-1", undefined)).toMatchObject({ ok: true, uncertain: false });
	expect(Object.fromEntries(tally.refusals)).toEqual({ rate_limited: 1, retry: 1 });
	expect(tally.faultCount).toBe(0);
});

test("a refusal that can happen is handed on; another one is a wrong answer", async () => {
	const { partner, tally } = await meet([no(409, "no_inventory"), no(400, "invalid_input")]);
	expect(await partner.reserve(LINES, null, "ref-1", undefined)).toMatchObject({ ok: false, code: "no_inventory" });
	expect(tally.faultCount).toBe(0);
	expect(await partner.reserve(LINES, null, "ref-2", undefined)).toMatchObject({ ok: false, code: "invalid_input" });
	expect(tally.faultCount).toBe(1);
});

test("a 5xx is repeated; it is a wrong answer unless processes are being killed", async () => {
	const calm = await meet([no(500, "internal_error"), held(false)]);
	expect(await calm.partner.reserve(LINES, null, "ref-1", undefined)).toMatchObject({ ok: true, uncertain: true });
	expect(calm.tally.faultCount).toBe(1);
	client.close();
	server.close();
	const rough = await meet([no(500, "internal_error"), held(false)], true);
	expect(await rough.partner.reserve(LINES, null, "ref-1", undefined)).toMatchObject({ ok: true, uncertain: true });
	expect(rough.tally.faultCount).toBe(0);
});

test("an order is placed again under its Idempotency-Key until it is answered, and a replay is known by its header", async () => {
	const order = { data: { order_id: "o" } };
	const replayed = say(200, order, { "Idempotent-Replayed": "true" });
	const { partner, tally } = await meet([hangUp, no(409, "hold_race"), replayed]);
	const customer = { name: "A", ship_to: { line1: "1", city: "C", postal_code: "1", country: "GB" } };
	const answer = await partner.place({ ref: "cart-1", token: "t", externalOrderId: "1", customer });
	expect(answer).toMatchObject({ ok: true, uncertain: true, replayed: true, data: { order_id: "o" } });
	expect(keys).toEqual(["cart-1", "cart-1", "cart-1"]);
	expect(new Set(bodies).size).toBe(1);
	expect([tally.operations.place, tally.replays, tally.lost]).toEqual([1, 1, 1]);
});
