import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSandboxWorld } from "../../../../service/test/contract/sandbox-world.ts";
import type { World } from "../../../../service/test/contract/world.ts";
import { keepSecret } from "../../../../service/test/leaks/secrets.ts";
import { type Child, killAll, until } from "../../../../service/test/processes/child.ts";
import { Holdfast } from "../../client/holdfast.ts";
import { verifyWebhook } from "../../webhooks/verify.ts";
import { partner, startPartner } from "../run-for-tests.ts";
import { deliveryOf, newEventId, post } from "./delivery.ts";
import { EVENT_TYPES, sampleBody } from "./sample-events.ts";

const SECRET = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

/** What arrived at a receiver of this test. */
interface Received {
	readonly rawHeaders: readonly string[];
	readonly headers: IncomingMessage["headers"];
	readonly body: Buffer;
}
const received: Received[] = [];
/** What the receiver answers to each. */
let statusFor: (one: Received) => number | Promise<number>;
let answer: string;

const receiver = createServer((request, response) => {
	void request.toArray().then(async (chunks: Buffer[]) => {
		const { rawHeaders, headers } = request;
		const one = { rawHeaders, headers, body: Buffer.concat(chunks) };
		received.push(one);
		response.writeHead(await statusFor(one), { "X-Answer": "yes" }).end(answer);
	});
});
const url = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
/** As the SDK's receivers do. */
const verified = ({ headers, body }: Received): Promise<number> =>
	verifyWebhook({ headers, body }, SECRET).then(
		() => 204,
		() => 400,
	);

beforeAll(() => {
	keepSecret("the secret of a pretended endpoint", SECRET);
	return new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => {
	received.length = 0;
	statusFor = verified;
	answer = "seen";
});
afterEach(killAll);
afterAll(() => receiver.close());

const send = (...options: string[]) =>
	partner(["webhooks", "send", "--to", url(), ...options], { env: { HOLDFAST_WEBHOOK_SECRET: SECRET } });

describe("webhooks send", () => {
	it.each(EVENT_TYPES)("sends %s as the service would", async (type) => {
		const { code, json } = await send("--event", type, "--json");
		expect(code).toBe(0);
		expect(json).toMatchObject({ type, sent: [{ kind: "good", status: 204, problem: null }] });
		expect(JSON.parse(String(received[0]?.body))).toMatchObject({ type, environment: "sandbox" });
		expect(received[0]?.headers["webhook-id"]).toBe(json.id);
	});

	it.each([
		["--bad-signature", "with a bad signature: answered 400"],
		["--late", "six minutes old: answered 400"],
	])("%s: a receiver that refuses it passes, one that takes it does not", async (option, words) => {
		expect(await send(option)).toMatchObject({ code: 0, out: expect.stringContaining(words) });
		statusFor = () => 200;
		expect(await send(option)).toMatchObject({
			code: 1,
			out: expect.stringMatching(/^BAD .*must be refused with 4xx/),
		});
		statusFor = () => 410;
		expect(await send(option)).toMatchObject({ code: 1, out: expect.stringContaining("410 ends the endpoint") });
	});

	it("--twice: sends the same id and bytes two times", async () => {
		const { code, out } = await send("--twice", "--event", "order.held");
		expect(code).toBe(0);
		expect(out).toMatch(
			/correctly signed: answered 204.*\n.*once more, under the same id: answered 204.*\nMake sure that it was handled only once/,
		);
		const [first, second] = received;
		expect(second?.body).toEqual(first?.body);
		expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
		statusFor = () => (received.length % 2 === 1 ? 204 : 409);
		expect((await send("--twice")).code).toBe(1);
	});

	it("prints how the receiver's answer begins, and no more of it", async () => {
		statusFor = () => 500;
		answer = "the handler\nthrew";
		expect(await send()).toMatchObject({
			code: 1,
			out: expect.stringMatching(/answered 500 in [\s\S]*\n {5}It answered: the handler threw\n$/),
		});
		answer = "\u{1f4e6}".repeat(100_000);
		const { json } = await send("--json");
		expect(json.sent).toMatchObject([{ status: 500, excerpt: `${"\u{1f4e6}".repeat(200)}…` }]);
	});

	it("takes its secret from an option, too, and says when nothing answers", async () => {
		const nobody = ["webhooks", "send", "--to", "http://127.0.0.1:9/", "--secret", SECRET];
		expect(await partner(nobody)).toMatchObject({ code: 1, out: expect.stringContaining("There was no answer") });
	});

	it.each([
		[["--event", "order.shiped"], 'Did you mean "order.shipped"?'],
		[["--late", "--twice"], "Give one of"],
		[["--to", "nowhere"], "--to URL"],
		[["--secret", "hunter2"], "The secret is not of the form whsec_…"],
	])("refuses %j", async (options, words) => {
		expect(await send(...options)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(words) });
	});

	it("without a secret says where to get one", async () => {
		const { code, err } = await partner(["webhooks", "send", "--to", url()]);
		expect([code, err]).toEqual([2, expect.stringContaining("webhookEndpoints.create")]);
	});
});

/** A listener at a free port, with its address. */
async function listening(...options: string[]): Promise<Child & { readonly url: string }> {
	const env = { HOLDFAST_WEBHOOK_SECRET: SECRET };
	const child = startPartner(["webhooks", "listen", "--port", "0", ...options], { env });
	const line = await until("the listener", () => child.errors.find((text) => text.startsWith("Listening at ")));
	return { ...child, url: /http:\S+(?=;)/.exec(line)?.[0] ?? "" };
}
const BODY = sampleBody("order.shipped", new Date());
const deliver = async (to: string, kind: "good" | "bad_signature") =>
	(await post(to, await deliveryOf(kind, newEventId(), BODY, SECRET, Date.now()))).status;

describe("webhooks listen", () => {
	it("verifies, prints and answers, and ends after so many", async () => {
		const child = await listening("--count", "2");
		expect(await deliver(child.url, "good")).toBe(204);
		expect(await deliver(child.url, "bad_signature")).toBe(400);
		expect(await child.exited).toBe(0);
		expect(child.lines[0]).toMatch(/ order\.shipped evt_\w+, verified; answered 204$/);
		expect(child.lines[1]).toBe(BODY);
		expect(child.lines[2]).toMatch(/NOT VERIFIED: No signature matches/);
	});

	it("prints one line of JSON for each, and ends when it is told to", async () => {
		const child = await listening("--json");
		await deliver(child.url, "good");
		await fetch(child.url).then((response) => response.text());
		await until("two lines", () => child.lines.length === 2);
		expect(child.lines.map((line) => JSON.parse(line))).toMatchObject([
			{ type: "order.shipped", verified: true, problem: null, status: 204, forwarded: false, body: BODY },
			{ id: null, type: null, verified: false, problem: expect.stringContaining("webhook-id is missing"), status: 400 },
		]);
		expect(await child.stop()).toBe(0);
	});

	it("forwards the same bytes and headers, right or wrong, and answers what the receiver answers", async () => {
		const child = await listening("--forward", url());
		expect(await deliver(child.url, "good")).toBe(204);
		expect(await deliver(child.url, "bad_signature")).toBe(400);
		expect(received.map(({ body }) => String(body))).toEqual([BODY, BODY]);
		const answer = await rawPost(
			child.url,
			["X-Odd-CASE: 1", "X-Odd-CASE: 2", "webhook-id: evt_raw"],
			'{ "a":\u00a01 }',
		);
		expect(received[2]?.rawHeaders).toEqual(
			expect.arrayContaining(["X-Odd-CASE", "1", "X-Odd-CASE", "2", "webhook-id", "evt_raw"]),
		);
		expect(received[2]?.headers.host).toBe(new URL(url()).host);
		expect(received[2]?.body).toEqual(Buffer.from('{ "a":\u00a01 }'));
		expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*X-Answer: yes[\s\S]*seen/);
		await until("the lines", () => child.lines.length === 6);
		expect(child.lines[0]).toMatch(/verified; your receiver answered 204$/);
	});

	it("answers 502 where the receiver does not answer, so that the service sends again", async () => {
		const child = await listening("--forward", "http://127.0.0.1:9/");
		expect(await deliver(child.url, "good")).toBe(502);
		await until("the line", () => child.lines.length > 0);
		expect(child.lines[0]).toMatch(/verified; your receiver did not answer: .*ECONNREFUSED.* Answered 502$/);
	});

	it("refuses a body that is too large, and goes on", async () => {
		const child = await listening();
		const response = await fetch(child.url, { method: "POST", body: "x".repeat(1_048_577) }).catch(() => null);
		expect(response?.status ?? 413).toBe(413);
		expect(await deliver(child.url, "good")).toBe(204);
	});

	it("says when its port is taken", async () => {
		const { port } = receiver.address() as AddressInfo;
		const taken = partner(["webhooks", "listen", "--port", String(port)], { env: { HOLDFAST_WEBHOOK_SECRET: SECRET } });
		expect(await taken).toMatchObject({ code: 2, err: expect.stringContaining(`Port ${port} is in use`) });
	});
});

describe("webhooks listen, beside a service", () => {
	let world: World;
	beforeAll(async () => {
		world = await openSandboxWorld({ HOLDFAST_WEBHOOK_ALLOW: "127.0.0.0/8" });
	});
	afterAll(() => world.stop());

	it("receives its events", async () => {
		const { token } = await world.key({ brand: "SANDBOX" });
		const { webhookEndpoints } = new Holdfast({ baseUrl: `http://127.0.0.1:${world.port}`, token });
		// an address of this machine first, because its secret is what the listener needs
		const { endpointId, secret } = await webhookEndpoints.create({ url: url() });
		keepSecret("the secret of an endpoint", secret);
		const child = startPartner(["webhooks", "listen", "--port", "0", "--json"], {
			env: { HOLDFAST_WEBHOOK_SECRET: secret },
		});
		const line = await until("the listener", () => child.errors.find((text) => text.startsWith("Listening at ")));
		await webhookEndpoints.update(endpointId, { url: /http:\S+(?=;)/.exec(line)?.[0] ?? "" });
		await webhookEndpoints.test(endpointId);
		const [event = ""] = await until("the event", () => (child.lines.length > 0 ? child.lines : null));
		expect(JSON.parse(event)).toMatchObject({ type: "webhook.test", verified: true, status: 204 });
	});
});

/** A post with exactly these header lines, and the whole answer. */
function rawPost(to: string, lines: readonly string[], body: string): Promise<string> {
	const { hostname, port } = new URL(to);
	const head = [
		"POST / HTTP/1.1",
		"Host: x",
		"Connection: close",
		`Content-Length: ${Buffer.byteLength(body)}`,
		...lines,
	];
	return new Promise((resolve, reject) => {
		const socket = connect(Number(port), hostname, () => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`));
		let answer = "";
		socket.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
		socket.on("end", () => resolve(answer)).on("error", reject);
	});
}
