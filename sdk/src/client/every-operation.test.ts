import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCOPES } from "../../../service/src/glossary.ts";
import { must } from "../../../service/src/ground/lib/assert.ts";
import { StartGoLive } from "../../../service/src/upkeep/golive/run-write-contract.ts";
import { RestockOperatorSandbox } from "../../../service/src/upkeep/sandbox/admin-contract.ts";
import { type House, openHouse } from "../../../service/test/house.ts";
import { keepSecret } from "../../../service/test/leaks/secrets.ts";
import { operate } from "../../../service/test/operate.ts";
import { Holdfast } from "./holdfast.ts";
import { startServer } from "./http-server-for-tests.ts";
import { OPERATIONS } from "./operations.ts";
import type { RequestReport } from "./types.ts";

const CUSTOMER = {
	name: "Ada",
	shipTo: { line1: "1 Main Street", city: "Berlin", postalCode: "10115", country: "DE" },
};
const LINES = [{ sku: "SBX-PLENTY", qty: 2 }];

let house: House;
let holdfast: Holdfast;
const reports: RequestReport[] = [];

beforeAll(async () => {
	house = await openHouse({ env: { HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" } });
	const [node] = house.nodes;
	const { api: baseUrl, coa: coaUrl, socket } = must(node, "a node");
	const { token, pk } = await house.mint({
		environment: "sandbox",
		brandCode: "SANDBOX",
		sharedPool: false,
		scopes: SCOPES,
	});
	const means = { socket };
	expect((await operate(means, RestockOperatorSandbox, {})).status).toBe(200); // with sample certificates
	expect((await operate(means, StartGoLive, { body: { key: pk } })).status).toBe(201);
	holdfast = new Holdfast({ baseUrl, coaUrl, token, onRequest: (report) => reports.push(report) });
});
afterAll(() => house.close());

describe("Every operation, by the SDK, over HTTP, of the real service", () => {
	it("counts", async () => {
		const [line, fee] = await holdfast.check([...LINES, { sku: "SBX-FEE", qty: 1 }]);
		expect(line).toMatchObject({ sku: "SBX-PLENTY", requestedQty: 2, atpQty: { kind: "known" } });
		expect(fee?.atpQty).toEqual({ kind: "untracked" });
		const { totals } = await holdfast.inventory.get({ sku: "SBX-LOW" });
		expect(totals.atp).toEqual({ kind: "known", qty: 3 });
		const low = (await Array.fromAsync(holdfast.products.list({ limit: 2 }))).find(({ sku }) => sku === "SBX-LOW");
		expect(low).toMatchObject({ availability: { atpQty: { kind: "known", qty: 3 } }, updatedAt: expect.any(Date) });
		expect((await Array.fromAsync(holdfast.inventory.summary())).length).toBeGreaterThan(3);
		expect(await Array.fromAsync(holdfast.receipts.list({ sku: "SBX-LOW" }))).toMatchObject([{ unitsReceived: 3 }]);
	});

	it("holds", async () => {
		const hold = await holdfast.reserve({ items: LINES, externalRef: "cart-1" });
		expect(hold).toMatchObject({ replayed: false, warnings: [], expiresAt: expect.any(Date) });
		const again = await holdfast.reserve({
			items: [{ sku: "SBX-PLENTY", qty: 3 }],
			externalRef: "cart-1",
			ttlMinutes: 5,
		});
		expect(again).toMatchObject({ token: hold.token, replayed: true, warnings: ["items_differ", "ttl_differs"] });
		expect(await holdfast.holds.get(hold.token)).toMatchObject({ token: hold.token, status: "active" });
		expect(await holdfast.release(hold.token)).toEqual({ ok: true });
		expect(await holdfast.holds.find({ externalRef: "cart-1" })).toMatchObject({ status: "released" });
		const { token } = await holdfast.reserve({ items: LINES });
		const consumed = await holdfast.consume({ token, externalRef: "sale-1" });
		expect(consumed).toEqual({ consumedUnits: 2, externalRef: "sale-1", idempotent: false });
		expect(await holdfast.reverse({ externalRef: "sale-1" })).toEqual({ returnedUnits: 2, idempotent: false });
		const { token: short } = await holdfast.reserve({ items: LINES });
		expect(await holdfast.sandbox.advance({ token: short, to: "expired" })).toMatchObject({ status: "expired" });
	});

	it("orders and their boxes", async () => {
		const sell = (externalRef: string) =>
			holdfast.withHold({ items: LINES, externalRef }, async (hold) => hold.place({ customer: CUSTOMER }));
		const order = await sell("cart-2");
		await sell("cart-3");
		expect(await holdfast.orders.get("cart-2")).toEqual(order);
		const box = await holdfast.shipments.combine(["cart-2", "cart-3"], { primaryRef: "cart-3" });
		expect(box).toMatchObject({ combined: true, createdAt: expect.any(Date) });
		expect(await holdfast.sandbox.advance({ orderRef: "cart-2", to: "shipped" })).toMatchObject({ status: "shipped" });
		const { token } = await holdfast.reserve({ items: LINES });
		const placed = await holdfast.orders.place({ token, customer: CUSTOMER });
		expect(await holdfast.orders.cancel(placed.ref, { reason: "changed their mind" })).toMatchObject({
			status: "cancelled",
		});
		const orders = await Array.fromAsync(holdfast.orders.list({ limit: 1 }));
		expect(orders.map(({ ref }) => ref).toSorted()).toEqual([placed.ref, "cart-2", "cart-3"].toSorted());
		const boxes = holdfast.shipments.list({ status: "shipped" });
		expect(await Array.fromAsync(boxes)).toMatchObject([
			{ shipmentId: box.shipmentId, trackingNumber: expect.any(String) },
		]);
		expect(boxes.cursor).toEqual(expect.any(String));
	});

	it("certificates", async () => {
		const feed = await Array.fromAsync(holdfast.coa.list({ status: "all", limit: 4 }));
		expect(feed.map(({ status }) => status)).toContain("retired");
		expect((await holdfast.coa.lot("SANDBOX")).length).toBeGreaterThan(1);
		expect(await holdfast.coa.lookup("SANDBOX")).toMatchObject({ state: "sample" });
		const rows = (await new Response(holdfast.coa.csv({ status: "all", limit: 4 })).text()).trim().split("\r\n");
		expect(rows).toHaveLength(feed.length + 1);
	});

	it("the key, the dates, the mirror of prepaid units", async () => {
		const { raw } = holdfast;
		expect(await holdfast.versions.list()).toMatchObject([{ version: "2026-09-06", status: "current" }]);
		const first = await raw.products.list({ limit: 1 });
		const unchanged = await raw.products.list({ limit: 1 }, { etag: first.headers.get("etag") });
		expect([first.status, unchanged.status, unchanged.data]).toEqual([200, 304, null]);
		expect(first.rateLimit).toMatchObject({ windowMs: 60_000 });
		const push = { brandCode: "SANDBOX", sequence: 1, asOf: new Date(), items: [{ sku: "SBX-LOW", prepaidUnits: 2 }] };
		expect(await holdfast.prepaid.push(push)).toMatchObject({ applied: true, mirroredAt: expect.any(Date) });
		expect(await holdfast.keys.introspect("pk_hf_live_none:sk_hf_live_none")).toEqual({ active: false });
	});

	it("webhook endpoints", async () => {
		await using receiver = await startServer((response) => response.writeHead(204).end());
		const { webhookEndpoints } = holdfast;
		const { endpointId, secret } = await webhookEndpoints.create({ url: receiver.url, description: "shop" });
		keepSecret("the secret of an endpoint", secret);
		expect(await webhookEndpoints.get(endpointId)).toMatchObject({ status: "active", description: "shop" });
		expect(await webhookEndpoints.update(endpointId, { description: null })).toMatchObject({ description: null });
		const rotated = await webhookEndpoints.rotateSecret(endpointId, { overlapHours: 0 });
		keepSecret("the secret of an endpoint", rotated.secret);
		expect(rotated.secret).not.toBe(secret);
		const { eventId } = await webhookEndpoints.test(endpointId);
		await expect.poll(() => receiver.arrived.map(({ headers }) => headers["webhook-id"])).toContain(eventId);
		expect(await webhookEndpoints.recover(endpointId, { since: new Date(0) })).toEqual({ events: expect.any(Number) });
		expect(await Array.fromAsync(webhookEndpoints.list())).toMatchObject([{ endpointId }]);
		const deliveries = await Array.fromAsync(webhookEndpoints.deliveries(endpointId));
		const { deliveryId } = must(
			deliveries.find((one) => one.eventId === eventId),
			"a delivery of the test",
		);
		expect(await webhookEndpoints.resend(endpointId, deliveryId)).toEqual({ eventId });
		await expect
			.poll(() => receiver.arrived.filter(({ headers }) => headers["webhook-id"] === eventId))
			.toHaveLength(2);
		expect(await webhookEndpoints.delete(endpointId)).toEqual({ ok: true });
	});

	it("the sandbox and its go-live run", async () => {
		const { sandbox } = holdfast;
		expect(await sandbox.restock()).toMatchObject({ ok: true });
		const shown = [{ sku: "SBX-LOW", shownQty: 3, hidden: false, coaUrl: null }];
		expect(await sandbox.shown(shown)).toMatchObject({ kept: true, at: expect.any(Date) });
		const { state, checks } = await sandbox.golive();
		expect([state, checks.map(({ check }) => check)]).toEqual(["running", expect.arrayContaining(["drill"])]);
		expect(await sandbox.drill("unkind")).toMatchObject({ unkindUntil: expect.any(Date) });
		const { value: request } = await sandbox.requests()[Symbol.asyncIterator]().next();
		expect(request).toMatchObject({ method: expect.any(String), at: expect.any(Date) });
	});

	it("none is left out, and none was sent in vain", () => {
		const answered = new Set(reports.filter(({ status }) => status < 400).map(({ operation }) => operation));
		expect(OPERATIONS.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual([]);
		const refused = reports.filter(({ operation, code }) => code !== null && operation !== "holds.find");
		expect(refused.filter(({ code }) => code !== "retry" && code !== "rate_limited")).toEqual([]);
	});
});
