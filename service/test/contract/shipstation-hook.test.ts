import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MAX_HOOK_BYTES } from "../../src/partners/http/hook.ts";
import { type House, openHouse } from "../house.ts";
import { API_KEY, openPlatform, type PlatformServer } from "../platform/server.ts";
import { until } from "../processes/child.ts";
import { raw } from "../raw.ts";

const SECRET = "a-secret-of-some-length";

let platform: PlatformServer;
let house: House;
beforeAll(async () => {
	platform = await openPlatform();
	house = await openHouse({
		env: {
			HOLDFAST_LABEL_PLATFORM: "shipstation",
			HOLDFAST_SHIPSTATION_API_KEY: API_KEY,
			HOLDFAST_SHIPSTATION_URL: platform.url,
			HOLDFAST_SHIPSTATION_HOOK_SECRET: SECRET,
		},
	});
});
afterAll(async () => {
	await house.close();
	await platform.close();
});

const post = (secret: string, body: string): Promise<Response> =>
	fetch(`${house.api}/hooks/shipstation/${secret}`, { method: "POST", body });

const notice = (path: string, host = platform.url): string =>
	JSON.stringify({ resource_url: `${host}${path}`, resource_type: "LABEL_CREATED_V2", data: { anything: [1] } });

const asked = (part: string): Promise<unknown> =>
	until(`the platform to be asked for ${part}`, () => platform.seen.some(({ path }) => path.includes(part)));

/** Status and text of an answer, without what differs each time. */
const shown = async (answer: Response): Promise<unknown> => [answer.status, await answer.text()];

it("a notification is answered 204 without a body, and what it is about is read from the platform, with the key", async () => {
	const { shipment } = platform.world.create({
		external_shipment_id: randomUUID(),
		ship_to: {},
		items: [{ name: "x", sku: "S", quantity: 1, external_order_id: null }],
	});
	const label = platform.world.buyLabel(shipment?.shipment_id ?? "");
	const answer = await post(SECRET, notice(`/v2/labels/${label.label_id}`));
	expect(await shown(answer)).toEqual([204, ""]);
	expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
	await asked(`/v2/labels/${label.label_id}`);
	await asked(`/v2/shipments/${shipment?.shipment_id}`);
	expect(platform.seen.every(({ apiKey }) => apiKey === API_KEY)).toBe(true);
});

it("one that names no resource of the platform's makes a sweep, and nothing is fetched from elsewhere", async () => {
	const other = await openPlatform();
	const sweeps = (): number => platform.seen.filter(({ path }) => path.startsWith("/v2/shipments?")).length;
	await until("the first sweep", () => sweeps() > 0);
	const before = sweeps();
	expect((await post(SECRET, notice("/v2/labels/se-1", other.url))).status).toBe(204);
	await until("another sweep", () => sweeps() > before);
	expect((await post(SECRET, "not even JSON")).status).toBe(204);
	expect(other.seen).toEqual([]);
	await other.close();
});

it("whoever does not know the secret is answered as at a path without anything, whatever they send and by whatever method", async () => {
	const ask = async (path: string, method: string, body: string | null) => {
		const answer = await fetch(`${house.api}${path}`, { method, ...(body === null ? {} : { body }) });
		const differs = ["date", "x-request-id"];
		const headers = [...answer.headers].filter(([name]) => !differs.includes(name));
		return [answer.status, headers, await answer.text()];
	};
	for (const [method, body] of [
		["POST", notice("/v2/labels/se-1")],
		["POST", "x".repeat(MAX_HOOK_BYTES + 1)],
		["PUT", "{}"],
		["GET", null],
		["DELETE", null],
	] as const) {
		const nowhere = await ask(`/hooks/other/${SECRET}`, method, body);
		expect(nowhere[0]).toBe(404);
		expect(await ask(`/hooks/shipstation/${SECRET}x`, method, body)).toEqual(nowhere);
	}
});

it("a body that is too long is 413", async () => {
	expect((await post(SECRET, "x".repeat(MAX_HOOK_BYTES + 1))).status).toBe(413);
});

it("neither the secret nor the key stands in the metrics", async () => {
	const text = await (await fetch(`${house.metrics}/metrics`)).text();
	expect(text).toContain('operation="shipstationHook"');
	expect(text).toContain('holdfast_job_attempts_total{job="sweep_boxes"');
	for (const secret of [SECRET, API_KEY]) expect(text).not.toContain(secret);
});

it("a notification without a body and without its length is answered at once", async () => {
	const { hostname, port } = new URL(house.api);
	expect(hostname).toBe("127.0.0.1");
	const head = `POST /hooks/shipstation/${SECRET} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
	for (const length of ["", "Content-Length: 0\r\n"]) {
		expect(await raw(Number(port), `${head}${length}\r\n`)).toMatch(/^HTTP\/1\.1 204 /);
	}
});
