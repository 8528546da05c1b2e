import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRefusal } from "../../src/ground/lib/refusal.ts";
import { Consume, FindHold, ReadHold, Release, Reserve, ReverseConsume } from "../../src/inventory/holds/contract.ts";
import { createHoldReader } from "../../src/inventory/holds/hold-reader.ts";
import { neverIssued, openWorld, unique, type World } from "./world.ts";

let world: World;
let partner: string;
let key: { readonly token: string; readonly keyId: string };

beforeAll(async () => {
	world = await openWorld();
	await world.has({
		brands: [
			{ code: "ACME", name: "Acme" },
			{ code: "BOLT", name: "Bolt" },
		],
	});
	partner = world.partner();
	key = await world.key({ partner, brand: "ACME" });
});
afterAll(() => world.stop());

/** 3 kits of 2 units each, from 4 units in the brand's pool and 4 in the shared pool. */
async function hold(ttl_minutes = 30) {
	const { sku, formulaId, lots } = await world.stocked(
		[
			{ brand: "ACME", units: 4 },
			{ brand: null, units: 4 },
		],
		2,
	);
	const [cart, sale] = [unique("cart"), unique("sale")];
	const body = { items: [{ sku, qty: 3 }], external_ref: cart, ttl_minutes };
	const { data } = await world.call(Reserve, key.token, body);
	return { reserved: data, body, token: data.reservation_token, sku, formulaId, lots, cart, sale };
}
type Held = Awaited<ReturnType<typeof hold>>;

const byToken = (token: string, as = key.token) =>
	world.call(ReadHold, as, undefined, { params: { reservation_token: token } });
const byRef = (external_ref: string, as = key.token) => world.call(FindHold, as, { external_ref });
/** Both reads, which must return the same. */
async function read({ token, cart }: Held) {
	const [one, other] = [await byToken(token), await byRef(cart)];
	expect([one.verdict, other.text]).toEqual(["200", one.text]);
	return one.data;
}
const release = ({ token }: Held) => world.call(Release, key.token, { reservation_token: token });
const consume = ({ token, sale }: Held) =>
	world.call(Consume, key.token, { reservation_token: token, external_ref: sale });
const reverse = ({ sale }: Held) => world.call(ReverseConsume, key.token, { external_ref: sale });
const zeros = ({ lots: _, ...of }: Held) => [
	{
		sku: of.sku,
		brand_code: "ACME",
		reserved_qty: 0,
		from_brand_pool: 0,
		from_shared_pool: 0,
		fg_ids: [],
		components: [
			{
				formula_id: of.formulaId,
				per_kit: 2,
				requested_units: 6,
				reserved_units: 0,
				from_brand_pool: 0,
				from_shared_pool: 0,
				fg_ids: [],
			},
		],
	},
];
/** Everything in the database that a read might change. */
const picture = async ({ token }: Held) => {
	const { rows } = await world.db.query(
		`select to_jsonb(h) as hold, h.xmin::text, h.xmax::text,
		        (select jsonb_agg(to_jsonb(p) || jsonb_build_object('xmin', p.xmin::text, 'xmax', p.xmax::text) order by ordinal)
		           from hold_part p where p.reservation_token = h.reservation_token) as parts,
		        (select max(seq) from unit_move) as moves
		   from hold h where reservation_token = $1`,
		[token],
	);
	return rows;
};

describe("200", () => {
	it("active: what the reserve answered, and nothing is held or renewed by looking", async () => {
		const of = await hold(45);
		const before = await picture(of);
		const data = await read(of);
		expect(data).toEqual({
			reservation_token: of.token,
			status: "active",
			external_ref: of.cart,
			consume_ref: null,
			impaired: false,
			created_at: new Date(Date.parse(of.reserved.expires_at) - 45 * 60_000).toISOString(),
			expires_at: of.reserved.expires_at,
			ended_at: null,
			order_id: null,
			items: of.reserved.items,
		});
		expect(data.items[0]).toMatchObject({ reserved_qty: 3, from_brand_pool: 4, from_shared_pool: 2, fg_ids: of.lots });
		expect(await picture(of)).toEqual(before);
	});

	it("is not kept by anybody, and a token may come in capitals", async () => {
		const of = await hold();
		const answer = await byToken(of.token.toUpperCase());
		expect([answer.verdict, answer.data.reservation_token]).toEqual(["200", of.token]);
		expect(answer.header("cache-control")).toBe("no-store");
	});

	it("without a reference, and under one of any script", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 9 }]);
		const bare = await world.call(Reserve, key.token, { items: [{ sku, qty: 1 }] });
		expect((await byToken(bare.data.reservation_token)).data.external_ref).toBeNull();
		for (const external_ref of [" spaced  out ", 'a+b&c=d%20#?/é😀"\\{},', "NULL", "x".repeat(200)]) {
			const { data } = await world.call(Reserve, key.token, { items: [{ sku, qty: 1 }], external_ref });
			const found = await byRef(external_ref);
			expect([found.data.reservation_token, found.data.external_ref]).toEqual([data.reservation_token, external_ref]);
		}
	});

	it("released", async () => {
		const of = await hold();
		await release(of);
		const data = await read(of);
		expect(data).toMatchObject({ status: "released", impaired: false, ended_at: expect.any(String), items: zeros(of) });
		expect(Date.parse(data.ended_at ?? "")).toBeLessThan(Date.parse(data.expires_at));
	});

	it("expired: the same before and after the sweep has written it down", async () => {
		const of = await hold();
		const client = await world.db.take();
		try {
			// nothing else observes the end, so nothing can have recorded it
			await client.query("begin");
			await client.query("update hold set expires_at = now() - interval '1 second' where reservation_token = $1", [
				of.token,
			]);
			const unswept = await createHoldReader(client).read({ keyId: key.keyId, token: of.token });
			if (isRefusal(unswept)) throw new Error(unswept.message);
			expect(unswept).toMatchObject({ status: "expired", impaired: false, items: zeros(of) });
			expect(unswept.ended_at).toBe(unswept.expires_at);
			const { rows } = await client.query("select status, ended_at from hold where reservation_token = $1", [of.token]);
			expect(rows).toEqual([{ status: "active", ended_at: null }]);
			await client.query("commit");
			const swept = async () =>
				(await world.db.query("select from hold where reservation_token = $1 and status = 'expired'", [of.token]))
					.rowCount;
			await expect.poll(swept).toBe(1);
			expect(await read(of)).toEqual(unswept);
		} finally {
			client.release();
		}
	});

	it("consumed, and then reversed", async () => {
		const of = await hold();
		await consume(of);
		expect(await read(of)).toMatchObject({
			status: "consumed",
			consume_ref: of.sale,
			ended_at: expect.any(String),
			impaired: false,
			items: of.reserved.items,
		});
		await reverse(of);
		expect(await read(of)).toMatchObject({ status: "reversed", consume_ref: of.sale, items: zeros(of) });
	});

	it("placed: the units of the order", async () => {
		const of = await hold();
		await world.db.query("update hold set status = 'placed', ended_at = now() where reservation_token = $1", [
			of.token,
		]);
		expect(await read(of)).toMatchObject({ status: "placed", items: of.reserved.items });
		await world.db.query("update hold set status = 'active', ended_at = null where reservation_token = $1", [of.token]);
		expect(await world.audit()).toEqual([]);
	});

	it("impaired: counts the kits still whole; whole again when its units could be replaced", async () => {
		const replaced = await hold();
		await world.quarantine(replaced.lots[0] as string, 2);
		expect(await read(replaced)).toMatchObject({ impaired: false, items: [{ reserved_qty: 3, from_shared_pool: 4 }] });
		await world.quarantine(replaced.lots[0] as string, 1);
		expect(await read(replaced)).toMatchObject({
			status: "active",
			impaired: true,
			items: [
				{
					reserved_qty: 2,
					components: [
						{
							requested_units: 6,
							reserved_units: 5,
						},
					],
				},
			],
		});
		expect((await consume(replaced)).verdict).toBe("410 wrong_state");
		await release(replaced);
		expect(await read(replaced)).toMatchObject({ status: "released", impaired: false, items: zeros(replaced) });
	});

	it("under one reference the newest: the active one, else the last that was made", async () => {
		const first = await hold();
		const again = () => world.call(Reserve, key.token, { ...first.body, items: [{ sku: first.sku, qty: 1 }] });
		await release(first);
		const second = (await again()).data.reservation_token;
		expect((await byRef(first.cart)).data).toMatchObject({ reservation_token: second, status: "active" });
		await world.call(Release, key.token, { reservation_token: second });
		expect((await byRef(first.cart)).data).toMatchObject({ reservation_token: second, status: "released" });
		// a node with a fast clock created the older token: the database's clock decides
		await world.db.query("update hold set created_at = created_at + interval '1 second' where reservation_token = $1", [
			first.token,
		]);
		expect((await byRef(first.cart)).data.reservation_token).toBe(first.token);
		const third = (await again()).data.reservation_token;
		expect((await byRef(first.cart)).data.reservation_token).toBe(third);
	});

	it("many holds asked for at once: each gets its own", async () => {
		const { sku } = await world.stocked([{ brand: "ACME", units: 90 }]);
		const reserve = async () => {
			const cart = unique("cart");
			const { data } = await world.call(Reserve, key.token, { items: [{ sku, qty: 2 }], external_ref: cart });
			return { token: data.reservation_token, cart };
		};
		const holds = await Promise.all(Array.from({ length: 30 }, reserve));
		const answers = await Promise.all(
			holds.flatMap(({ token, cart }) => [byToken(token), byRef(cart), byToken(neverIssued())]),
		);
		expect(answers.map((answer) => (answer.status === 200 ? answer.data.reservation_token : answer.verdict))).toEqual(
			holds.flatMap(({ token }) => [token, token, "404 not_found"]),
		);
	});

	it("while somebody keeps the hold, its parts and its lots locked", async () => {
		const of = await hold();
		const stranger = await world.db.take();
		try {
			await stranger.query("begin");
			await stranger.query("select from hold where reservation_token = $1 for update", [of.token]);
			await stranger.query("select from hold_part where reservation_token = $1 for update", [of.token]);
			await stranger.query("select from lot where fg_id = any($1::uuid[]) for update", [of.lots]);
			expect(await read(of)).toMatchObject({ status: "active" });
		} finally {
			await stranger.query("rollback");
			stranger.release();
		}
	});
});

describe("400 invalid_input", () => {
	it.each(["x", "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c7", "019a9c3e8c3b7d0e9a535d2f4a1b6c7d", "%00", "' or 1=1", "{}"])(
		"the token %j",
		async (token) => {
			const answer = await world.send(ReadHold, key.token, undefined, { params: { reservation_token: token } });
			expect(answer.verdict).toBe("400 invalid_input");
			expect(answer.error.message).toContain("/reservation_token");
		},
	);

	it.each([
		["no reference", ""],
		["an empty reference", "?external_ref="],
		["two references", "?external_ref=a&external_ref=b"],
		["201 code points", `?external_ref=${"x".repeat(201)}`],
		["NUL", "?external_ref=a%00b"],
		["a parameter that there is not", "?external_ref=a&status=active"],
		["the reference of the consume", "?consume_ref=a"],
	])("%s", async (_what, search) => {
		expect((await world.send(FindHold, key.token, undefined, { search })).verdict).toBe("400 invalid_input");
	});
});

describe("401 and 403", () => {
	it("401 without a key, 403 with every scope but atp.reserve", async () => {
		const of = await hold();
		const { token } = await world.key({ brand: "ACME", scopes: ["atp.release", "atp.consume", "atp.inventory"] });
		for (const [as, verdict] of [
			[null, "401 unauthorized"],
			[token, "403 forbidden"],
		] as const) {
			const params = { reservation_token: of.token };
			expect((await world.send(ReadHold, as, undefined, { params })).verdict).toBe(verdict);
			expect((await world.send(FindHold, as, { external_ref: of.cart })).verdict).toBe(verdict);
		}
	});
});

describe("404 not_found", () => {
	it("a hold that never was, and a reference that nothing was reserved under", async () => {
		expect((await byToken(neverIssued())).verdict).toBe("404 not_found");
		expect((await byRef(unique("never"))).verdict).toBe("404 not_found");
		const of = await hold();
		await consume(of);
		// the reference of the consume is separate
		expect((await byRef(of.sale)).verdict).toBe("404 not_found");
	});

	it("another key's hold, of the same partner and of another, in every state, by token and by reference", async () => {
		const strangers = [
			await world.key({ partner, brand: "ACME" }),
			await world.key({ partner, brand: "BOLT" }),
			await world.key({ brand: "ACME" }),
			await world.key(),
			await world.key({ brand: "SANDBOX" }),
		];
		const ends = [async () => undefined, release, consume, ({ token }: Held) => world.lapse(token)];
		for (const end of ends) {
			const of = await hold();
			await end(of);
			expect((await byToken(of.token)).verdict).toBe("200");
			for (const { token } of strangers) {
				const [theirs, nobodys] = [await byToken(of.token, token), await byToken(neverIssued(), token)];
				expect([theirs.status, theirs.text]).toEqual([404, nobodys.text]);
				const [ofTheirs, ofNobody] = [await byRef(of.cart, token), await byRef(unique("never"), token)];
				expect([ofTheirs.status, ofTheirs.text]).toEqual([404, ofNobody.text]);
			}
		}
	});

	it("two keys with one reference: each finds its own hold", async () => {
		const other = await world.key({ partner, brand: "ACME" });
		const of = await hold();
		const { sku } = await world.stocked([{ brand: "ACME", units: 9 }]);
		const { data } = await world.call(Reserve, other.token, { items: [{ sku, qty: 1 }], external_ref: of.cart });
		expect((await byRef(of.cart, other.token)).data.reservation_token).toBe(data.reservation_token);
		expect((await byRef(of.cart)).data.reservation_token).toBe(of.token);
	});

	it("a path below a hold, and the list without its last letter", async () => {
		for (const path of [`/api/v1/holds/${neverIssued()}/items`, "/api/v1/holds/", "/api/v1/hold"]) {
			expect((await world.send(FindHold, key.token, undefined, { path })).verdict).toBe("404 not_found");
		}
	});
});

describe("429 rate_limited", () => {
	it("both reads draw on the key's budget", async () => {
		const { token } = await world.key({ brand: "ACME", requestsPerMinute: 2 });
		expect((await byToken(neverIssued(), token)).verdict).toBe("404 not_found");
		expect((await byRef("none", token)).verdict).toBe("404 not_found");
		for (const answer of [await byToken(neverIssued(), token), await byRef("none", token)]) {
			expect(answer.verdict).toBe("429 rate_limited");
			expect(Number(answer.header("retry-after"))).toBeGreaterThan(0);
		}
	});
});

describe("Partner-Warning of a replay", () => {
	const again = async (of: Held, change: object) =>
		(await world.send(Reserve, key.token, { ...of.body, ...change })).header("partner-warning");

	it("says every word that applies, in one header", async () => {
		const of = await hold();
		expect(await again(of, {})).toBeUndefined();
		expect(await again(of, { ttl_minutes: 29 })).toBe("ttl_differs");
		expect(await again(of, { items: [{ sku: of.sku, qty: 1 }] })).toBe("items_differ");
		expect(await again(of, { items: [{ sku: of.sku, qty: 1 }], ttl_minutes: 1 })).toBe("items_differ, ttl_differs");
		await world.destroy(of.lots[0] as string, "all");
		expect(await again(of, {})).toBe("impaired");
		expect(await again(of, { items: [], ttl_minutes: 5 })).toBeUndefined(); // 400: a body is read before a replay
		expect(await again(of, { items: [{ sku: "NOPE", qty: 1 }], ttl_minutes: 5 })).toBe(
			"items_differ, ttl_differs, impaired",
		);
	});

	it("a request that names no life asks for 30 minutes", async () => {
		const [usual, longer] = [await hold(30), await hold(31)];
		expect(await again(usual, { ttl_minutes: undefined })).toBeUndefined();
		expect(await again(longer, { ttl_minutes: undefined })).toBe("ttl_differs");
	});

	it("a life that the operator shortens is not another one when it is asked for again", async () => {
		const capped = await openWorld({ HOLDFAST_MAX_TTL_MINUTES: "10" });
		await capped.has({ brands: [{ code: "ACME", name: "Acme" }] });
		const { sku } = await capped.stocked([{ brand: "ACME", units: 9 }]);
		const { token } = await capped.key({ brand: "ACME" });
		const body = { items: [{ sku, qty: 1 }], external_ref: "cart", ttl_minutes: 500 };
		expect((await capped.call(Reserve, token, body)).header("partner-warning")).toBeUndefined();
		expect((await capped.call(Reserve, token, body)).header("partner-warning")).toBeUndefined();
		expect((await capped.call(Reserve, token, { ...body, ttl_minutes: 9 })).header("partner-warning")).toBe(
			"ttl_differs",
		);
		await capped.stop();
	});
});
