import { describe, expect, it } from "vitest";
import { partnerCodes } from "../../../test/partner-codes.ts";
import { NO_PRIMARY } from "../../ground/lib/no-primary.ts";
import { UNKIND_LIMIT } from "../../ground/lib/unkind.ts";
import type { HoldEvidence, KeyEvidence, OrderEvidence } from "./evidence-sql.ts";
import { type ExplainedTo, explanationOf, isExplained, type RefusalEvidence, stateThen } from "./explanation.ts";
import type { LoggedRequest } from "./list-sql.ts";

const AT = new Date("2026-11-26T12:00:00.000Z");
const minutes = (count: number): Date => new Date(AT.getTime() + count * 60_000);

const key: KeyEvidence = {
	pk: "pk_hf_live_x",
	name: "web",
	partner: "Acme",
	brand_code: "ACME",
	scopes: ["atp.check"],
	requests_per_minute: 60,
	max_held_units: null,
	suspended: false,
	created_at: minutes(-600),
	expires_at: minutes(-30),
	revoke_at: minutes(-20),
	secret_at: minutes(-10),
};
const hold: HoldEvidence = {
	token: "T",
	own: true,
	key: "pk_hf_live_x",
	status: "released",
	external_ref: "cart-1",
	consume_ref: null,
	created_at: minutes(-5),
	expires_at: minutes(10),
	ended_at: minutes(-2),
};
const order: OrderEvidence = {
	order_id: "O",
	own: true,
	key: "pk_hf_live_x",
	ref: "shop-1",
	status: "shipped",
	hold_reason: null,
	placed_at: minutes(-9),
	picked_at: minutes(-1),
	shipped_at: minutes(5),
	cancelled_at: null,
};
const NOTHING: RefusalEvidence = {
	key: null,
	holds: [],
	orders: [],
	earlier: [],
	window: [],
	counts: [],
	scope: null,
	dates: ["2026-09-06"],
};
const request = (changes: Partial<LoggedRequest>): LoggedRequest =>
	({
		at: AT.getTime(),
		request_id: "req_1",
		key_id: "K",
		pk: key.pk,
		message: "Said.",
		auth_failure: null,
		address: "203.0.113.7",
		date_sent: "2020-01-01",
		items: null,
		...changes,
	}) as LoggedRequest;
const explained = (
	changes: Partial<LoggedRequest>,
	evidence: Partial<RefusalEvidence> = {},
	reader: ExplainedTo = "operator",
): string => explanationOf(request(changes), { ...NOTHING, ...evidence }, reader).join(" ");

describe("A refusal is explained", () => {
	it.each(partnerCodes())("with the code %s", (code) => {
		expect(isExplained(code)).toBe(true);
		expect(explained({ code })).toMatch(/^Said\./);
	});

	it("and a success is not", () => expect(explained({ code: null, message: null })).toBe(""));

	it.each([
		["malformed", /no credentials/],
		["unknown", /first half is wrong/],
		["wrong_secret", /"web" of Acme, but the second half is not its secret/],
		["replaced", /secret was replaced since 2026-11-26T11:50:00.000Z/],
		["revoked", /revoked since 2026-11-26T11:40:00.000Z/],
		["expired", /expired since 2026-11-26T11:30:00.000Z/],
		["suspended", /suspended at 2026-11-26T12:00:00.000Z. It has been resumed since/],
		["ended", /ended while the request was under way/],
	] as const)("to an operator, for a key that is %s", (auth_failure, words) => {
		const known = auth_failure === "unknown" || auth_failure === "malformed" ? null : key;
		expect(explained({ code: "unauthorized", auth_failure }, { key: known })).toMatch(words);
		expect(explained({ code: "unauthorized", auth_failure }, { key: known }, "partner")).toBe("Said.");
	});

	it.each(["partner", "operator"] as const)("as an act of an unkind hour, to the %s", (reader) => {
		const unkind = { request_id: "req_68bc2ac0ffffffff00000014", code: "rate_limited", message: UNKIND_LIMIT.message };
		expect(explained(unkind, { key }, reader)).toMatch(
			/act of the unkind hour.*not because of anything in the request/,
		);
		expect(explained(unkind, { key }, reader)).not.toMatch(/in 60 seconds/);
		expect(explained({ ...unkind, message: "Said." }, { key }, reader)).not.toMatch(/unkind/);
	});

	it("by scope, brand, limit and date", () => {
		expect(explained({ code: "forbidden" }, { key, scope: "atp.orders" })).toMatch(/needs the scope atp.orders/);
		expect(explained({ code: "brand_mismatch" }, { key })).toMatch(/bound to the brand ACME/);
		const window = [
			{ operation: "check", count: 50 },
			{ operation: "reserve", count: 11 },
		];
		expect(explained({ code: "rate_limited" }, { key, window })).toMatch(/61 of them: 50 check, 11 reserve/);
		expect(explained({ code: "rate_limited", key_id: null, auth_failure: "unknown" })).toMatch(/address 203.0.113.7/);
		expect(explained({ code: "rate_limited", key_id: null })).toBe("Said.");
		const { message } = NO_PRIMARY;
		for (const key_id of [null, "K"])
			expect(explained({ code: "rate_limited", key_id, message }, { key, window })).toMatch(
				/writes.*no limit of the key/,
			);
		expect(explained({ code: "unsupported_version" })).toMatch(/2020-01-01. Accepted are: 2026-09-06/);
	});

	it("by the state of holds and orders at that instant, not by what became of them later", () => {
		expect(explained({ code: "gone" }, { holds: [hold] })).toMatch(/hold T of this key was released since .*11:58/);
		expect(explained({ code: "order_not_cancellable" }, { orders: [order] })).toMatch(
			/by then: placed 2026-11-26T11:51:00.000Z, picked 2026-11-26T11:59:00.000Z. It is now shipped/,
		);
	});

	it("to a partner without a word on holds and orders of other keys", () => {
		const others = { holds: [{ ...hold, own: false }], orders: [{ ...order, own: false }] };
		expect(explained({ code: "reservation_forbidden" }, others, "partner")).not.toMatch(/hold T|order shop/);
		expect(explained({ code: "reservation_forbidden" }, others)).toMatch(/hold T of another key/);
	});

	it("by the earlier request that used the reference", () => {
		const earlier = [
			{ at: minutes(-3).getTime(), request_id: "req_0", operation: "placeOrder", status: 201, code: null },
		];
		expect(explained({ code: "idempotency_mismatch" }, { earlier })).toMatch(/by the request req_0 \(placeOrder\)/);
	});
});

describe("The state of a hold at an instant", () => {
	it.each([
		["before it was made", minutes(-6), "not made"],
		["while it was active", minutes(-3), "active"],
		["after it ended", minutes(-1), "released"],
	] as const)("%s", (_what, when, state) => expect(stateThen(hold, when.getTime())).toBe(state));

	it("of one past its end that the sweep had not ended", () => {
		const lapsed = { ...hold, status: "expired" as const, ended_at: minutes(12) };
		expect([9, 11].map((after) => stateThen(lapsed, minutes(after).getTime()))).toEqual(["active", "expired"]);
	});
});
