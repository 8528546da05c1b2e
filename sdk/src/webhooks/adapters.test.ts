import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { fastify } from "fastify";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MAX_BODY_BYTES } from "./body.ts";
import type { WebhookEvent } from "./event.ts";
import { webhooks as forExpress } from "./express.ts";
import { webhooks as forFastify } from "./fastify.ts";
import { webhooks as forHono } from "./hono.ts";
import { webhooks as forNext } from "./next.ts";
import type { WebhooksOptions } from "./receive.ts";

/** What these tests use of Express, which comes without types. Its requests are those of `node:http`. */
interface ExpressModule {
	(): ExpressApp;
	json(): ExpressHandler;
	raw(options: { type: string }): ExpressHandler;
	text(options: { type: string }): ExpressHandler;
}
type ExpressHandler = (
	request: IncomingMessage & { body?: unknown },
	response: ServerResponse,
	next: (error?: unknown) => void,
) => unknown;
type ExpressErrorHandler = (error: unknown, ...rest: Parameters<ExpressHandler>) => void;
interface ExpressApp extends RequestListener {
	use(handler: ExpressHandler | ExpressErrorHandler): void;
	post(path: string, ...handlers: ExpressHandler[]): void;
}
const express = createRequire(import.meta.url)("express") as ExpressModule;

const PATH = "/webhooks/holdfast";
const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
const BODY = '{ "type":"order.released", "timestamp":"2026-09-06T12:00:00.000Z", "data":{ "ref":"Zürich €5" } }';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});

/** Serves until the end of the test; the address of the endpoint. */
async function listen(listener: (...given: Parameters<RequestListener>) => unknown): Promise<string> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	closing.push(() => {
		server.closeAllConnections();
		return new Promise((resolve) => server.close(resolve));
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
}

/** A server for handlers of web requests. Like Next.js, it answers 500 when the handler throws. */
const listenWeb = (handler: (request: Request) => Response | Promise<Response>, errors: unknown[]): Promise<string> =>
	listen(async (incoming, outgoing) => {
		const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
		const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array<ArrayBuffer>>;
		try {
			const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
			const response = await handler(new Request(`http://127.0.0.1${incoming.url}`, init));
			outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
		} catch (error) {
			errors.push(error);
			outgoing.writeHead(500).end();
		}
	});

/** Opens a receiver. Errors that reach the framework are added to `errors`. */
type Open = (options: WebhooksOptions, errors: unknown[]) => Promise<string>;

const openExpress: Open = (options, errors) => {
	const app = express();
	app.post(PATH, forExpress(options));
	app.use((error, _request, _response, next) => {
		errors.push(error);
		next(error);
	});
	return listen(app);
};

const openFastify: Open = async (options, errors) => {
	const app = fastify();
	app.addHook("onError", async (_request, _reply, error) => void errors.push(error));
	app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, _body, done) => done(null, "parsed"));
	app.post("/other", async ({ body }) => ({ body }));
	await app.register(forFastify, { url: PATH, ...options });
	const origin = await app.listen({ port: 0, host: "127.0.0.1" });
	closing.push(() => app.close());
	return `${origin}${PATH}`;
};

const openHono: Open = (options, errors) => {
	const app = new Hono();
	app.post(PATH, forHono(options));
	app.onError((error) => {
		errors.push(error);
		return new Response("", { status: 500 });
	});
	return listenWeb((request) => app.fetch(request), errors);
};

const openNext: Open = (options, errors) => listenWeb(forNext(options), errors);

const FRAMEWORKS: readonly (readonly [name: string, open: Open])[] = [
	["Express", openExpress],
	["Fastify", openFastify],
	["Hono", openHono],
	["Next.js", openNext],
];

/** Headers made by the independent library. */
function signed(body: string, id = "evt_1", secrets = [SECRET], at = new Date()): Record<string, string> {
	return {
		"content-type": "application/json",
		"webhook-id": id,
		"webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
		"webhook-signature": secrets.map((one) => new Webhook(one).sign(id, at, body)).join(" "),
	};
}

async function post(url: string, body: string | null, headers: Record<string, string>): Promise<[number, string]> {
	const response = await fetch(url, { method: "POST", body, headers });
	return [response.status, await response.text()];
}

const got: WebhookEvent[] = [];
const onEvent = (event: WebhookEvent): void => void got.push(event);
afterEach(() => void got.splice(0));

describe.each(FRAMEWORKS)("The receiver for %s", (_name, open) => {
	it("hands over the event of a signed delivery, whatever its content type, and answers 204", async () => {
		const url = await open({ secret: [OTHER, SECRET], onEvent }, []);
		const types = ["application/json", "application/json; charset=utf-8", "text/plain", "application/octet-stream"];
		for (const [index, type] of types.entries()) {
			const headers = { ...signed(BODY, `evt_${index}`), "content-type": type };
			expect(await post(url, BODY, headers)).toEqual([204, ""]);
		}
		expect(got.map(({ id }) => id)).toEqual(["evt_0", "evt_1", "evt_2", "evt_3"]);
		expect(got[0]).toEqual({
			id: "evt_0",
			type: "order.released",
			timestamp: new Date("2026-09-06T12:00:00.000Z"),
			data: { ref: "Zürich €5" },
		});
	});

	it("answers 400 with the reason to what must not be acted on", async () => {
		const url = await open({ secret: SECRET, onEvent }, []);
		const old = new Date(Date.now() - 600_000);
		const { "content-type": _, ...withoutType } = signed(BODY);
		const refused = [
			await post(url, BODY, signed(BODY, "evt_1", [OTHER])),
			await post(url, `${BODY} `, signed(BODY)),
			await post(url, BODY, signed(BODY, "evt_1", [SECRET], old)),
			await post(url, BODY, {}),
			await post(url, "", signed(BODY)),
			await post(url, null, withoutType),
		];
		expect(refused.map(([status]) => status)).toEqual(Array(6).fill(400));
		expect(refused.map(([, text]) => text.slice(0, 22))).toEqual([
			"No signature matches: ",
			"No signature matches: ",
			expect.stringMatching(/^The delivery is 60/) as string,
			"The header webhook-id ",
			"No signature matches: ",
			"No signature matches: ",
		]);
		expect(got).toEqual([]);
	});

	it("handles an event once, also when it arrives twice at the same time", async () => {
		let release = (): void => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		const slow = vi.fn<() => Promise<void>>(() => gate);
		const url = await open({ secret: SECRET, onEvent: slow }, []);
		const twice = [post(url, BODY, signed(BODY)), post(url, BODY, signed(BODY))];
		await vi.waitFor(() => expect(slow).toHaveBeenCalledOnce());
		release();
		expect(await Promise.all(twice)).toEqual([
			[204, ""],
			[204, ""],
		]);
		expect(await post(url, BODY, signed(BODY))).toEqual([204, ""]);
		expect(slow).toHaveBeenCalledOnce();
	});

	it("answers 500 when the handler throws, whatever status its error has, and handles the next attempt", async () => {
		const gone = Object.assign(new Error("The hold is over."), { status: 410, statusCode: 410 });
		const handler = vi.fn<typeof onEvent>(onEvent).mockImplementationOnce(() => {
			throw gone;
		});
		const errors: unknown[] = [];
		const url = await open({ secret: SECRET, onEvent: handler }, errors);
		const [status] = await post(url, BODY, signed(BODY));
		expect(status).toBe(500);
		expect(errors).toEqual([
			expect.objectContaining({
				message: "The event evt_1 (order.released) was not handled: Error: The hold is over.",
				cause: gone,
			}),
		]);
		expect(await post(url, BODY, signed(BODY))).toEqual([204, ""]);
		expect(await post(url, BODY, signed(BODY))).toEqual([204, ""]);
		expect(handler).toHaveBeenCalledTimes(2);
	});

	it("answers 500 when the store of ids fails, and does not handle the event", async () => {
		const seen = { add: () => Promise.reject(new Error("no connection")) };
		const url = await open({ secret: SECRET, onEvent, seen }, []);
		const [status] = await post(url, BODY, signed(BODY));
		expect(status).toBe(500);
		expect(got).toEqual([]);
	});

	it("answers 500 when there is no secret, and tells the framework", async () => {
		const errors: unknown[] = [];
		const url = await open({ secret: undefined as unknown as string, onEvent }, errors);
		const [status] = await post(url, BODY, signed(BODY));
		expect(status).toBe(500);
		expect(errors).toEqual([expect.objectContaining({ name: "WebhookError", code: "secret_invalid" })]);
	});

	it("refuses a body that is too large", async () => {
		const url = await open({ secret: SECRET, onEvent }, []);
		const body = "x".repeat(MAX_BODY_BYTES + 1);
		const [status] = await post(url, body, signed(body));
		expect([400, 413]).toContain(status);
		expect(await isEndlessBodyTaken(url)).toBe(false);
		expect(got).toEqual([]);
	});
});

/**
 * Whether a body of 64 MiB without a Content-Length is read to its end. False: the request was answered or cut off
 * before.
 */
async function isEndlessBodyTaken(url: string): Promise<boolean> {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname);
	const ended = new Promise<void>((resolve) => {
		socket.once("data", () => resolve()).once("error", () => resolve());
		socket.once("close", () => resolve());
	});
	const headers = Object.entries({ host: "x", "transfer-encoding": "chunked", ...signed(BODY) });
	socket.write(`POST ${PATH} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
	const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
	let isEnded = false;
	void ended.then(() => {
		isEnded = true;
	});
	for (let sent = 0; sent < 1_024 && !isEnded; sent++) {
		await Promise.race([ended, new Promise((resolve) => socket.write(chunk, resolve))]);
	}
	const wasTaken = !isEnded;
	socket.destroy();
	return wasTaken;
}

describe("With Express", () => {
	it.each([
		["raw()", express.raw({ type: "*/*" })],
		["text()", express.text({ type: "*/*" })],
	])("the body that express.%s has read is taken", async (_name, parser) => {
		const app = express();
		app.post(PATH, parser, forExpress({ secret: SECRET, onEvent }));
		expect(await post(await listen(app), BODY, signed(BODY))).toEqual([204, ""]);
	});

	it("express.json() before it is an error that says what to do; for other content types it does no harm", async () => {
		const errors: unknown[] = [];
		const app = express();
		app.use(express.json());
		app.post(PATH, forExpress({ secret: SECRET, onEvent }));
		app.use((error, _request, response, _next) => {
			errors.push(error);
			response.writeHead(500).end();
		});
		const url = await listen(app);
		expect(await post(url, BODY, signed(BODY))).toEqual([500, ""]);
		expect(errors).toEqual([
			expect.objectContaining({
				code: "body_not_raw",
				message: expect.stringContaining("before express.json()") as string,
			}),
		]);
		expect(await post(url, BODY, { ...signed(BODY), "content-type": "text/plain" })).toEqual([204, ""]);
	});

	it("a body that a middleware made without reading is not taken for what arrived", async () => {
		const app = express();
		const makeBody: ExpressHandler = (request, _response, next) => {
			request.body = {};
			next();
		};
		app.use(makeBody);
		app.post(PATH, forExpress({ secret: SECRET, onEvent }));
		expect(await post(await listen(app), BODY, signed(BODY))).toEqual([204, ""]);
	});

	it("the log shows where the handler threw", async () => {
		const errors: unknown[] = [];
		const url = await openExpress({ secret: SECRET, onEvent: throwHere }, errors);
		await post(url, BODY, signed(BODY));
		expect((errors[0] as Error).stack).toMatch(/Caused by: Error: thrown here\n.*throwHere/);
	});
});

function throwHere(): void {
	throw new Error("thrown here");
}

it("With Fastify, other routes keep their parsers", async () => {
	const url = await openFastify({ secret: SECRET, onEvent }, []);
	expect(await post(url, BODY, signed(BODY))).toEqual([204, ""]);
	const other = await post(new URL("/other", url).href, "{}", { "content-type": "application/json" });
	expect(other).toEqual([200, '{"body":"parsed"}']);
});

it("With Hono, a middleware may have read the body before", async () => {
	const app = new Hono();
	app.use(async (c, next) => {
		await c.req.json();
		await next();
	});
	app.post(PATH, forHono({ secret: SECRET, onEvent }));
	const request = new Request(`http://127.0.0.1${PATH}`, { method: "POST", body: BODY, headers: signed(BODY) });
	expect((await app.fetch(request)).status).toBe(204);
	expect(got).toHaveLength(1);
});
