import { describe, expect, it } from "vitest";
import { newRequestId, secondOfRequest } from "../../ground/lib/ids.ts";
import { refuse } from "../../ground/lib/refusal.ts";
import type { AnsweredRequest } from "../../partners/http/answered.ts";
import type { Caller } from "../../partners/http/caller.ts";
import { newPk, newSk } from "../../partners/keys/token.ts";
import { type KeptRequest, keptRequest } from "./kept-request.ts";
import { MAX_BODY_BYTES, MAX_URL } from "./limits.ts";

const NOW = 1_764_115_200_500;
const key = (environment: Caller["environment"]): Caller => ({
	keyId: "0199f0a0-1111-7000-8000-000000000001",
	pk: newPk(environment),
	partnerId: "0199f0a0-1111-7000-8000-000000000002",
	environment,
	brandCode: "ACME",
	poolId: 2,
	sharedPool: false,
	scopes: new Set(["atp.reserve"]),
	requestsPerMinute: 60,
	maxHeldUnits: null,
});
const SANDBOX = key("sandbox");
const LIVE = key("live");

const answered = (changes: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
	requestId: newRequestId(),
	surface: "partner",
	operation: "reserve",
	method: "POST",
	url: "/api/v1/reserve",
	status: 201,
	refusal: null,
	code: undefined,
	ms: 4.26,
	caller: LIVE,
	unauthenticated: null,
	authorization: undefined,
	dateSent: undefined,
	dateUsed: "2026-09-06",
	address: "203.0.113.7",
	userAgent: "storefront/1.0",
	params: undefined,
	headers: undefined,
	body: undefined,
	received: null,
	sent: null,
	bytesSent: 0,
	...changes,
});
const keptOf = (changes: Partial<AnsweredRequest> = {}): KeptRequest | null => keptRequest(answered(changes), NOW);
/** The members of what is kept. */
const members = (changes: Partial<AnsweredRequest> = {}): Record<string, unknown> =>
	JSON.parse(keptOf(changes)?.json ?? "null") as Record<string, unknown>;

describe("The log keeps", () => {
	it.each([
		["a partner's request", {}, true],
		["one to the COA address", { surface: "coa", operation: "coaFeed" }, true],
		["one with a key that has ended", { unauthenticated: "revoked" as const }, true],
		[
			"one without credentials, to an operation that needs them",
			{ caller: null, unauthenticated: "malformed" as const },
			true,
		],
		[
			"one to an unknown path, with a key of ours",
			{ surface: null, operation: "none", caller: null, authorization: `Bearer ${LIVE.pk}:${newSk("live")}` },
			true,
		],
		["not one to an unknown path by anybody", { surface: null, operation: "none", caller: null }, false],
		["not one that needs no key", { surface: "partner", operation: "listVersions", caller: null }, false],
		["not an operator's", { surface: "operator", operation: "list_keys" }, false],
		["not a probe", { surface: null, operation: "readyz", caller: null }, false],
	])("%s", (_what, changes, isKept) => expect(keptOf(changes) !== null).toBe(isKept));
});

describe("A request that is kept", () => {
	it("has the facts of its line in the service's log, and of what was sent", () => {
		const sent = { received: Buffer.from("{}"), bytesSent: 12, dateSent: "2026-09-06" };
		expect(members(sent)).toMatchObject({
			method: "POST",
			url: "/api/v1/reserve",
			ms: 4.3,
			bytes_in: 2,
			bytes_out: 12,
			date_sent: "2026-09-06",
			date_used: "2026-09-06",
			address: "203.0.113.7",
			user_agent: "storefront/1.0",
		});
		expect(keptOf()).toMatchObject({ sandbox: false, keyId: LIVE.keyId });
	});

	it("stays within the second that its id names, whatever the clock says", () => {
		for (const nowMs of [0, NOW, Date.now(), 4_000_000_000_000]) {
			const one = answered();
			const second = secondOfRequest(one.requestId) ?? 0;
			const at = keptRequest(one, nowMs)?.at ?? 0;
			expect([at >= second, at < second + 1_000]).toEqual([true, true]);
		}
	});

	it("has bodies of sandbox keys alone, up to the limit, without secrets", () => {
		const text = `{"secret":"hush","a":"${"é".repeat(MAX_BODY_BYTES)}"}`;
		const bodies = { received: Buffer.from(text), sent: '{"data":1}' };
		expect(Object.keys(members({ ...bodies, caller: LIVE }))).not.toContain("body_in");
		for (const sent of ['{"data":1}', text]) {
			const { body_in, body_out, bytes_in } = members({ ...bodies, sent, caller: SANDBOX });
			expect(bytes_in).toBe(bodies.received.length);
			for (const body of sent === text ? [body_in, body_out] : [body_in]) {
				expect(body).toMatch(/^\{"secret":"\*\*\*","a":"é+\ufffd?…$/);
				expect(Buffer.byteLength(body as string)).toBeLessThanOrEqual(MAX_BODY_BYTES + 6);
			}
			if (sent !== text) expect(body_out).toBe(sent);
		}
	});

	it("has no secret, wherever one was sent", () => {
		const secret = newSk("live");
		const one = keptOf({
			url: `/api/v1/holds?external_ref=${secret}`,
			userAgent: `agent ${secret}`,
			dateSent: secret,
			body: { external_ref: secret },
			params: { ref: secret },
			headers: { "Idempotency-Key": secret },
			received: Buffer.from(secret),
			sent: secret,
			caller: SANDBOX,
			refusal: refuse("invalid_input", `/x: not ${secret}`),
			authorization: `Bearer ${LIVE.pk}:${secret}`,
		});
		expect(one?.json).not.toContain(secret);
	});

	it("names what it was about: references of body, path and headers, and what it made", () => {
		const token = "0199f0a0-1111-7000-8000-00000000000f";
		expect(
			members({
				body: { external_ref: "cart-1", reservation_token: "", other: "x" },
				params: { ref: "order-1" },
				headers: { "Idempotency-Key": "shop-1" },
				sent: `{"data":{"reservation_token":"${token}","items":[]}}`,
			}),
		).toMatchObject({ about: ["cart-1", "order-1", "shop-1", token], idempotency_key: "shop-1" });
		expect(Object.keys(members({ body: ["no object"], params: "none" }))).not.toContain("about");
	});

	it("has what was asked of a rule that refused, and when, but at most so many items", () => {
		const items = Array.from({ length: 80 }, (_, n) => ({
			sku: `S"${n}`,
			qty: 1,
			brandCode: n === 0 ? "ACME" : undefined,
		}));
		const refusal = { ...refuse("no_inventory", "None."), facts: { at: NOW, items } };
		const one = members({ code: "no_inventory", refusal });
		expect(one).toMatchObject({ decided_at: NOW, message: "None." });
		expect((one.items as object[]).slice(0, 2)).toEqual([
			{ sku: 'S"0', qty: 1, brand_code: "ACME" },
			{ sku: 'S"1', qty: 1 },
		]);
		expect(one.items).toHaveLength(50);
	});

	it("has the public half of an unknown caller only if it is one of ours", () => {
		const refused = { caller: null, unauthenticated: "unknown" as const };
		const pk = newPk("live");
		expect(members({ ...refused, authorization: `Bearer ${pk}:${newSk("live")}` }).sent_pk).toBe(pk);
		for (const authorization of [undefined, "Bearer x", `Bearer ${pk.slice(0, -1)}-:y`, "Basic pk_hf_live_:"]) {
			expect(members({ ...refused, authorization }).sent_pk).toBeUndefined();
		}
		expect(members({ authorization: `Bearer ${pk}:${newSk("live")}` }).sent_pk).toBeUndefined();
	});

	it("is bounded, and has no character that PostgreSQL cannot store", () => {
		expect(String(members({ url: `/${"x".repeat(50_000)}` }).url)).toHaveLength(MAX_URL + 1);
		expect(members({ url: '/\0"\\\n\ud800' }).url).toBe('/\u2400"\\\n\ufffd');
	});
});
