import { describe, expect, it } from "vitest";
import { CODES } from "../wire/__generated__/codes.ts";
import { HoldfastError, OutcomeUnknown, RateLimited, Unauthorized } from "./errors.ts";
import { Holdfast, type HoldfastOptions } from "./holdfast.ts";
import {
	type Answer,
	data,
	halfAnswer,
	halfRefusal,
	noAnswer,
	page,
	refusal,
	silence,
	startServer,
	type TestServer,
} from "./http-server-for-tests.ts";
import type { Clock, RequestReport } from "./types.ts";

const TOKEN = "pk_test:sk_test";
const LINES = [{ sku: "A", qty: 1 }];
const HOLD = { reservation_token: "t-1", expires_at: "2026-09-06T12:30:00.000Z", idempotent: false, items: [] };
const OK = data({ items: [] });

/** A clock on which waits take no time; it keeps them. */
function instantClock(): Clock & { readonly waits: number[] } {
	let now = 1_000_000;
	const waits: number[] = [];
	return {
		waits,
		now: () => now,
		sleep: async (ms) => {
			waits.push(ms);
			now += ms;
		},
	};
}

function clientOf(server: TestServer, more: Partial<HoldfastOptions> = {}): Holdfast {
	return new Holdfast({
		baseUrl: server.url,
		coaUrl: server.url,
		token: TOKEN,
		clock: instantClock(),
		...more,
	} as HoldfastOptions);
}

const failureOf = async (promise: Promise<unknown>): Promise<HoldfastError> =>
	promise.then(
		() => expect.unreachable("It was expected to fail."),
		(error: unknown) => error as HoldfastError,
	);

describe("A request", () => {
	it("carries the key, the API date, JSON and the name of the SDK", async () => {
		await using server = await startServer(OK);
		await clientOf(server).check(LINES);
		const [request] = server.arrived;
		expect(request).toMatchObject({ method: "POST", url: "/api/v1/check", body: '{"items":[{"sku":"A","qty":1}]}' });
		expect(request?.headers).toMatchObject({
			authorization: `Bearer ${TOKEN}`,
			"x-partner-version": "2026-09-06",
			"content-type": "application/json",
		});
		expect(request?.headers["user-agent"]).toMatch(/^holdfast-partner\/\d/);
	});

	it("of a buyer's look-up carries neither key nor version", async () => {
		await using server = await startServer(data({ lot: "L", state: "current", items: [] }));
		const lookup = new Holdfast({ coaUrl: server.url });
		expect((await lookup.coa.lookup("L")).state).toBe("current");
		const headers = server.arrived[0]?.headers ?? {};
		expect(headers).not.toHaveProperty("authorization");
		expect(headers).not.toHaveProperty("x-partner-version");
		expect(headers.accept).toBe("application/json");
		await expect(lookup.coa.lot("L")).rejects.toThrow("token");
		await expect(lookup.orders.get("x")).rejects.toThrow("baseUrl");
	});

	const full = new Error("the log is full");
	it.each([
		["throws", () => expect.unreachable(full.message)],
		["rejects", () => Promise.reject(full)], // the test fails if a rejection is not handled
	])("is told to onRequest, attempt by attempt, and nothing changes when that %s", async (_how, log) => {
		await using server = await startServer(refusal(409, "retry", { "Retry-After": "1" }), data(HOLD, {}, 201));
		const reports: RequestReport[] = [];
		const onRequest = (report: RequestReport): unknown => {
			reports.push(report);
			return log();
		};
		expect((await clientOf(server, { onRequest }).reserve({ items: LINES })).token).toBe("t-1");
		expect(reports).toMatchObject([
			{ operation: "reserve", method: "POST", attempt: 1, status: 409, code: "retry", requestId: "req_2" },
			{ operation: "reserve", method: "POST", attempt: 2, status: 201, code: null, requestId: "req_1" },
		]);
	});
});

describe("A whole reply", () => {
	it("has what the headers say, and counts as plain numbers", async () => {
		const headers = {
			"Idempotent-Replayed": "true",
			"Partner-Warning": "items_differ, impaired",
			"RateLimit-Policy": '"key";q=60;w=60',
			RateLimit: '"key";r=41;t=17',
		};
		await using server = await startServer(data({ ...HOLD, very_new: { some_thing: 1 } }, headers, 201));
		const reply = await clientOf(server).raw.reserve({ items: LINES });
		expect(reply).toMatchObject({
			status: 201,
			requestId: "req_1",
			replayed: true,
			warnings: ["items_differ", "impaired"],
			rateLimit: { limit: 60, windowMs: 60_000, left: 41, resetMs: 17_000 },
			data: { reservationToken: "t-1", expiresAt: new Date("2026-09-06T12:30:00.000Z"), veryNew: { someThing: 1 } },
		});
		expect(reply.headers.get("x-request-id")).toBe("req_1");
	});

	it("of an unchanged page has no data, but only for whoever sent an ETag", async () => {
		await using server = await startServer((response) => response.writeHead(304).end());
		const { raw } = clientOf(server, { maxRetries: 0 });
		expect(await raw.products.list({}, { etag: 'W/"1"' })).toMatchObject({ status: 304, data: null });
		expect(server.arrived[0]?.headers["if-none-match"]).toBe('W/"1"');
		expect((await failureOf(raw.products.list({}, { etag: null }))).code).toBe("connection_lost");
	});
});

describe("A refusal", () => {
	it("is thrown with its code, status, request, details and page", async () => {
		const link = { Link: '<https://a.example/docs/errors/no_inventory>; rel="help"' };
		await using server = await startServer(refusal(409, "no_inventory", link, { short_by: { needed_units: 2 } }));
		const error = await failureOf(clientOf(server).reserve({ items: LINES }));
		expect(error).toBeInstanceOf(HoldfastError);
		expect(error).toMatchObject({
			name: "HoldfastError",
			code: "no_inventory",
			status: 409,
			requestId: "req_2",
			message: "The message of no_inventory.",
			details: { shortBy: { neededUnits: 2 } },
			help: "https://a.example/docs/errors/no_inventory",
		});
		expect(server.arrived).toHaveLength(1);
	});

	it.for(
		CODES.map((code) => {
			const status =
				code === "rate_limited"
					? 429
					: code === "unauthorized"
						? 401
						: /forbidden|mismatch$/.test(code) && code !== "idempotency_mismatch"
							? 403
							: code === "internal_error"
								? 500
								: 409;
			const own = { 429: RateLimited, 401: Unauthorized, 403: Unauthorized, 500: OutcomeUnknown, 409: HoldfastError }[
				status
			];
			return [code, status, own] as const;
		}),
	)("%s of a command is thrown as its class", async ([code, status, own]) => {
		await using server = await startServer(refusal(status, code, { "Retry-After": "2" }));
		const error = await failureOf(clientOf(server).reserve({ items: LINES, externalRef: "cart-1" }));
		expect(error.constructor).toBe(own);
		expect(error).toMatchObject({ code, status });
		if (error instanceof RateLimited) expect(error.retryAfterMs).toBe(2_000);
		const isRepeated = ["rate_limited", "retry", "hold_race", "internal_error"].includes(code);
		expect(server.arrived).toHaveLength(isRepeated ? 3 : 1);
	});

	it("with a code that the SDK does not know is thrown all the same", async () => {
		await using server = await startServer(refusal(418, "very_new"));
		expect(await failureOf(clientOf(server).release("t-1"))).toMatchObject({ code: "very_new", status: 418 });
	});
});

describe("A refusal that is cut off", () => {
	const linked = (code: string): Readonly<Record<string, string>> => ({
		Link: `<https://a.example/docs/errors/${code}>; rel="help"`,
	});

	it.for([
		[401, "unauthorized", Unauthorized],
		[403, "forbidden", Unauthorized],
		[429, "rate_limited", RateLimited],
	] as const)("with %i keeps its status and class for a read", async ([status, code, own]) => {
		await using server = await startServer(halfRefusal(status, { "Retry-After": "100" }));
		const error = await failureOf(clientOf(server).check(LINES));
		expect(error.constructor).toBe(own);
		expect(error).toMatchObject({ code, status, requestId: "req_2", help: null, cause: expect.any(Error) });
		expect(server.arrived).toHaveLength(1);
	});

	it("has the code of the page that it links to, of a read or a command", async () => {
		await using server = await startServer(halfRefusal(403, linked("brand_mismatch")));
		expect(await failureOf(clientOf(server).check(LINES))).toMatchObject({ code: "brand_mismatch", status: 403 });
		server.answers = [halfRefusal(409, linked("no_inventory"))];
		const error = await failureOf(clientOf(server).reserve({ items: LINES }));
		expect(error.constructor).toBe(HoldfastError);
		expect(error).toMatchObject({ code: "no_inventory", status: 409 });
		expect(server.arrived).toHaveLength(2);
	});

	it("and has neither a page nor a status that says why is connection_lost, with its status", async () => {
		await using server = await startServer(halfRefusal(503));
		expect(await failureOf(clientOf(server).check(LINES))).toMatchObject({ code: "connection_lost", status: 503 });
		expect(server.arrived).toHaveLength(3);
	});
});

describe("A lost answer", () => {
	const losses: readonly (readonly [string, Answer])[] = [
		["a connection that ends", noAnswer],
		["half an answer", halfAnswer],
		["half a refusal without its page", halfRefusal(403)],
		["half an answer of a proxy", halfRefusal(502)],
		["silence", silence],
		["a page of a proxy", page(502)],
		["a redirect", page(301, { Location: "https://elsewhere.example/" })],
		["a login page", page(403)],
		["JSON without data", (response) => response.writeHead(200).end("{}")],
		["data that is null", data(null)],
		["no JSON", (response) => response.writeHead(200).end("ok")],
	];

	/** Milliseconds that an attempt may take: few if the server is silent, otherwise enough even for a busy machine. */
	const patienceFor = (loss: Answer): number => (loss === silence ? 1_000 : 60_000);

	it.for(losses)("(%s) is repeated where a repeat is the same act, with the same reference", async ([, loss]) => {
		await using server = await startServer(loss, loss, data({ ...HOLD, idempotent: true }, {}, 201));
		const hold = await clientOf(server, { timeoutMs: patienceFor(loss) }).reserve({ items: LINES });
		expect(hold).toMatchObject({ token: "t-1", replayed: true });
		expect(server.arrived).toHaveLength(3);
		expect(new Set(server.arrived.map(({ body }) => body)).size).toBe(1);
		expect(server.arrived[0]?.body).toContain(hold.externalRef);
	});

	it.for(losses)("(%s) to the end of a command is OutcomeUnknown, with what to ask for", async ([, loss]) => {
		await using server = await startServer(loss);
		const command = clientOf(server, { timeoutMs: patienceFor(loss), maxRetries: 1 }).orders.place({
			token: "t-1",
			idempotencyKey: "cart-1",
			customer: { name: "Ada", shipTo: { line1: "1", city: "P", postalCode: "1", country: "DE" } },
		});
		const error = await failureOf(command);
		expect(error).toBeInstanceOf(OutcomeUnknown);
		expect(error).toMatchObject({ code: "connection_lost", operation: "orders.place", reference: "cart-1" });
		expect(server.arrived).toHaveLength(2);
	});

	it("to the end of a read is connection_lost", async () => {
		await using server = await startServer(noAnswer);
		const error = await failureOf(clientOf(server).check(LINES));
		expect(error).toMatchObject({ name: "HoldfastError", code: "connection_lost", status: 0 });
		expect(server.arrived).toHaveLength(3);
	});

	it("of what may be done twice is not repeated", async () => {
		await using server = await startServer(noAnswer);
		const error = await failureOf(clientOf(server).webhookEndpoints.create({ url: "https://a.example" }));
		expect(error).toBeInstanceOf(OutcomeUnknown);
		expect(server.arrived).toHaveLength(1);
	});

	it("followed by a refusal of the key leaves the outcome unknown; by a refusal of the act it does not", async () => {
		await using server = await startServer(noAnswer, refusal(401, "unauthorized"));
		expect(await failureOf(clientOf(server).release("t-1"))).toBeInstanceOf(OutcomeUnknown);
		server.answers = [noAnswer, refusal(410, "gone")];
		expect((await failureOf(clientOf(server).release("t-1"))).constructor).toBe(HoldfastError);
	});
});

describe("Waits", () => {
	it("last as long as Retry-After says", async () => {
		await using server = await startServer(refusal(429, "rate_limited", { "Retry-After": "17" }), OK);
		const clock = instantClock();
		await clientOf(server, { clock }).check(LINES);
		expect(clock.waits).toEqual([17_000]);
	});

	it("of a key whose window is full hold back every request of the key", async () => {
		const full = { "Retry-After": "9", "RateLimit-Policy": '"key";q=60;w=60', RateLimit: '"key";r=0;t=9' };
		await using server = await startServer(refusal(429, "rate_limited", full), OK);
		const clock = instantClock();
		const refused = clientOf(server, { clock, maxRetries: 0 });
		expect(await failureOf(refused.check(LINES))).toBeInstanceOf(RateLimited);
		await clientOf(server, { clock }).check(LINES);
		expect(clock.waits).toEqual([9_000]);
	});

	it.each([
		["2", [2_000]],
		["60", []],
	])("of a key whose window has room: a wait of %s s that a 429 asks for", async (retryAfter, waits) => {
		const room = { "Retry-After": retryAfter, "RateLimit-Policy": '"key";q=60;w=60', RateLimit: '"key";r=41;t=9' };
		await using server = await startServer(refusal(429, "rate_limited", room), OK);
		const clock = instantClock();
		expect(await failureOf(clientOf(server, { clock, maxRetries: 0 }).check(LINES))).toBeInstanceOf(RateLimited);
		await clientOf(server, { clock }).check(LINES);
		expect(clock.waits).toEqual(waits);
	});

	it("end when the caller aborts, and so does the request", async () => {
		await using server = await startServer(silence);
		const controller = new AbortController();
		const waiting = clientOf(server).check(LINES, { signal: controller.signal });
		await expect.poll(() => server.arrived.length).toBe(1);
		controller.abort(new Error("enough"));
		await expect(waiting).rejects.toThrow("enough");
		expect(server.arrived).toHaveLength(1);
		await expect(clientOf(server).check(LINES, { signal: controller.signal })).rejects.toThrow("enough");

		server.answers = [refusal(409, "retry")];
		const asleep: Clock = { now: () => 0, sleep: () => new Promise(() => undefined) };
		const later = new AbortController();
		const retrying = clientOf(server, { clock: asleep }).reserve({ items: LINES }, { signal: later.signal });
		await expect.poll(() => server.arrived.length).toBe(2);
		later.abort(new Error("enough"));
		await expect(retrying).rejects.toThrow("enough");
	});

	it("for an answer end after timeoutMs of the request, or of the client", async () => {
		await using server = await startServer(silence);
		const quick = clientOf(server, { maxRetries: 0 });
		expect((await failureOf(quick.check(LINES, { timeoutMs: 50 }))).cause).toMatchObject({ name: "TimeoutError" });
		expect((await failureOf(quick.check(LINES, { timeoutMs: 49.5 }))).cause).toMatchObject({ name: "TimeoutError" });
		await expect(quick.check(LINES, { timeoutMs: 0 })).rejects.toThrow(RangeError);
		await expect(quick.check(LINES, { timeoutMs: Number.POSITIVE_INFINITY })).rejects.toThrow(RangeError);
	});
});
