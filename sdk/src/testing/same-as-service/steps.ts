import fc from "fast-check";
import { SANDBOX_SKUS } from "../../../../service/src/inventory/catalog/sandbox-names.ts";

/**
 * A request of a history. Texts may have placeholders, filled in for each side: `{{hold:1}}`, `{{order:0}}`,
 * `{{endpoint:0}}` and `{{delivery:0}}` name what earlier replies made or showed, `{{sku:kit}}` and `{{brand}}` the
 * history's own, `{{token}}` its key.
 */
export interface Asked {
	readonly method: string;
	readonly path: string;
	/** JSON, or a text that is sent as it is. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** Goes to the COA address. */
	readonly coa?: true;
	/** Without the key. */
	readonly anonymous?: true;
}

/** One step: a request, the same request with what its last reply gave, or what happens elsewhere. */
export type Step =
	| { readonly do: "ask"; readonly asked: Asked }
	/** The last list again, from its cursor; the last read again, if it has changed. */
	| { readonly do: "go on" | "ask again" }
	| { readonly do: "wait"; readonly seconds: number }
	| { readonly do: "stock"; readonly sku: string; readonly qty: number }
	| { readonly do: "ship"; readonly order: number };

/** The SKUs of a history: see `town.ts`. */
export const LIVE_SKUS = ["one", "pair", "kit", "tik", "old", "fee"] as const;

const index = fc.nat({ max: 3 });
const hold = index.map((n) => `{{hold:${n}}}`);
const ref = fc.constantFrom("r1", "r2", "r3");
/** Mostly absent. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
	fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
/** As often as not. */
const perhaps = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
	fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Mostly one of the first. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>, ...others: T[]): fc.Arbitrary<T> =>
	fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const order = mostly(
	fc.oneof(
		index.map((n) => `{{order:${n}}}`),
		fc.constantFrom("k1", "k2"),
	),
	"nobody's",
);
const goodKey = fc.constantFrom("k1", "k2", "k3", "k4");
const limit = perhaps(mostly(fc.constantFrom("1", "2", "500"), "0", "x"));
const since = rarely(fc.constantFrom("2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z", "soon"));

export interface History {
	readonly environment: "live" | "sandbox";
	/** Whether the service has no other catalogue, so that whole lists of it are the same. */
	readonly alone: boolean;
}

export function steps({ environment, alone }: History): fc.Arbitrary<readonly Step[]> {
	const isLive = environment === "live";
	const good = isLive
		? fc.constantFrom("one", "pair", "kit", "tik").map(named)
		: fc.constantFrom("SBX-PLENTY", "SBX-LOW", "SBX-KIT", "SBX-HELD");
	const own = isLive ? fc.constantFrom(...LIVE_SKUS).map(named) : fc.constantFrom(...SANDBOX_SKUS);
	const sku = mostly(own, "nothing", "SBX-LOW", "{{sku:one}} ", "");
	const brand = rarely(mostly(fc.constant("{{brand}}"), "NOBODY", "SANDBOX", ""));
	const asked = fc.oneof(
		{ weight: 14, arbitrary: holds(good, sku, brand) },
		{ weight: 14, arbitrary: orders(brand) },
		{ weight: 7, arbitrary: alone ? fc.oneof(counts(sku, brand), catalogue(brand)) : counts(sku, brand) },
		{ weight: 3, arbitrary: webhooks },
		{ weight: 3, arbitrary: certificates },
		{ weight: 2, arbitrary: others(sku) },
		{ weight: isLive ? 1 : 6, arbitrary: sandbox },
		{ weight: 2, arbitrary: hostile },
	);
	const elsewhere: fc.Arbitrary<Step> = isLive
		? fc.oneof(
				fc.record({
					do: fc.constant("stock" as const),
					sku: fc.constantFrom("one", "pair", "kit"),
					qty: fc.nat({ max: 9 }),
				}),
				fc.record({ do: fc.constant("ship" as const), order: index }),
				fc.constantFrom(...[60, 1_740, 1_800, 1_860].map((seconds) => ({ do: "wait", seconds }) as const)),
			)
		: fc.constantFrom(...[31, 61, 1_860].map((seconds) => ({ do: "wait", seconds }) as const));
	const step = fc.oneof(
		{ weight: 12, arbitrary: asked.map((one): Step => ({ do: "ask", asked: one })) },
		{ weight: 1, arbitrary: fc.constantFrom<Step>({ do: "go on" }, { do: "ask again" }) },
		{ weight: 2, arbitrary: elsewhere },
	);
	const history = fc.array(step, { minLength: MIN_STEPS, maxLength: MAX_STEPS, size: "max" });
	const first = good.map((one) => BEGINNING.map((asked): Step => ({ do: "ask", asked: asked(one) })));
	return fc.oneof(
		history,
		fc.tuple(first, history).map(([before, after]) => [...before, ...after]),
	);
}

/** Two orders and an endpoint, which later steps refer to. */
const BEGINNING: readonly ((sku: string) => Asked)[] = [
	(sku) => post("/api/v1/reserve", { items: [{ sku, qty: 1 }], external_ref: "r1" }),
	(sku) => post("/api/v1/reserve", { items: [{ sku, qty: 1 }] }),
	() => post("/api/v1/orders", { reservation_token: "{{hold:0}}", customer: to({}) }, { "idempotency-key": "k1" }),
	() => post("/api/v1/orders", { reservation_token: "{{hold:1}}", customer: to({}) }, { "idempotency-key": "k2" }),
	() => post("/api/v1/webhook-endpoints", { url: HOOK }),
	() => post("/api/v1/webhook-endpoints", { url: HOOK, event_types: FURTHER_TYPES }),
];

const MIN_STEPS = 4;
const MAX_STEPS = 32;

export const named = (sku: string): string => `{{sku:${sku}}}`;

type Texts = fc.Arbitrary<string>;
type Maybe = fc.Arbitrary<string | undefined>;

/** A query with the parameters that are defined. */
const query = (given: Readonly<Record<string, string | undefined>>): string => {
	const pairs = Object.entries(given).flatMap(([name, value]) =>
		value === undefined ? [] : [`${name}=${value.includes("{{") ? value : encodeURIComponent(value)}`],
	);
	return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
};

const get = (path: string, given: Readonly<Record<string, string | undefined>> = {}): Asked => ({
	method: "GET",
	path: path + query(given),
});
const post = (path: string, body: unknown, headers?: Readonly<Record<string, string>>): Asked => ({
	method: "POST",
	path,
	body,
	...(headers === undefined ? {} : { headers }),
});

/** An object without members that are undefined. */
const given = <T extends object>(members: T): T => JSON.parse(JSON.stringify(members)) as T;

function holds(good: Texts, sku: Texts, brand: Maybe): fc.Arbitrary<Asked> {
	const reserve = (line: fc.Arbitrary<object>, ttl: fc.Arbitrary<number | undefined>) =>
		fc
			.record({ items: fc.array(line, { minLength: 1, maxLength: 3 }), ttl_minutes: ttl, external_ref: perhaps(ref) })
			.map((body) => post("/api/v1/reserve", given(body)));
	const few = fc.integer({ min: 1, max: 3 });
	const qty = mostly<unknown>(few, 0, 9, 10_000, 10_001, 1.5, "2");
	const anyLine = fc.record({ sku, qty, brand_code: brand }).map(given);
	const anyTtl = perhaps(fc.constantFrom(1, 30, 31, 1_440, 1_441, 2_880, 525_600, 0));
	return fc.oneof(
		{ weight: 8, arbitrary: reserve(fc.record({ sku: good, qty: few }), perhaps(fc.constantFrom(1, 30, 2_880))) },
		{ weight: 3, arbitrary: reserve(anyLine, anyTtl) },
		{ weight: 2, arbitrary: hold.map((token) => post("/api/v1/release", { reservation_token: token })) },
		{
			weight: 3,
			arbitrary: fc.record({ reservation_token: hold, external_ref: ref }).map((body) => post("/api/v1/consume", body)),
		},
		{ weight: 2, arbitrary: ref.map((external_ref) => post("/api/v1/consume/reverse", { external_ref })) },
		{ weight: 2, arbitrary: hold.map((token) => get(`/api/v1/holds/${token}`)) },
		{ weight: 1, arbitrary: ref.map((external_ref) => get("/api/v1/holds", { external_ref })) },
	);
}

const to = (change: object) => ({
	name: "Ada Example",
	ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US", ...change },
});
const WRONG_CUSTOMERS = [{ country: "XX" }, { state: "" }, { line1: "" }].map(to);

function orders(brand: Maybe): fc.Arbitrary<Asked> {
	const placed = fc
		.record({
			body: fc.record({
				reservation_token: hold,
				customer: mostly(fc.constantFrom(to({}), to({}), to({ city: "Salem" })), ...WRONG_CUSTOMERS),
				service_level: rarely(fc.constantFrom("standard", "overnight", "slow")),
				external_order_id: perhaps(fc.constantFrom("e1", "e2")),
				note: rarely(fc.constant("by the door")),
			}),
			key: mostly<string | undefined>(goodKey, undefined, "", "with space é"),
			path: mostly(fc.constant("/api/v1/orders"), "/api/v1/confirm"),
		})
		.map(({ body, key, path }) => post(path, given(body), key === undefined ? {} : { "idempotency-key": key }));
	const status = rarely(fc.constantFrom("placed", "shipped", "cancelled", "lost"));
	return fc.oneof(
		{ weight: 6, arbitrary: placed },
		{ weight: 2, arbitrary: order.map((name) => get(`/api/v1/orders/${name}`)) },
		{ weight: 2, arbitrary: order.map((name) => post(`/api/v1/orders/${name}/cancel`, {})) },
		{
			weight: 2,
			arbitrary: fc
				.record({ status, external_order_id: rarely(fc.constant("e1")), placed_after: since, limit })
				.map((filters) => get("/api/v1/orders", filters)),
		},
		{
			weight: 2,
			arbitrary: fc
				.record({
					order_refs: fc.array(order, { minLength: 2, maxLength: 3 }),
					primary_ref: rarely(order),
				})
				.map((body) => post("/api/v1/shipments/combine", given(body))),
		},
		{
			weight: 2,
			arbitrary: fc
				.record({
					status: rarely(fc.constantFrom("awaiting_shipment", "shipped", "cancelled", "gone")),
					order_ref: perhaps(order),
					modified_since: since,
					brand_code: brand,
					limit,
				})
				.map((filters) => get("/api/v1/shipments", filters)),
		},
	);
}

function counts(sku: Texts, brand: Maybe): fc.Arbitrary<Asked> {
	const line = fc.record({ sku, qty: fc.integer({ min: 1, max: 9 }), brand_code: brand }).map(given);
	return fc.oneof(
		{
			weight: 3,
			arbitrary: fc.array(line, { minLength: 1, maxLength: 4 }).map((items) => post("/api/v1/check", { items })),
		},
		{
			weight: 2,
			arbitrary: fc.record({ sku, brand_code: brand }).map((filters) => get("/api/v1/inventory", filters)),
		},
		{
			weight: 2,
			arbitrary: fc
				.record({ sku, brand_code: brand, updated_since: since, limit })
				.map((filters) => get("/api/v1/products", filters)),
		},
		{
			weight: 1,
			arbitrary: fc
				.record({
					sku: perhaps(sku),
					from: fc.constantFrom(undefined, undefined, "2020-01-01", "2100-01-01", "today"),
					brand_code: brand,
					limit,
				})
				.map((filters) => get("/api/v1/receipts", filters)),
		},
	);
}

const catalogue = (brand: Maybe): fc.Arbitrary<Asked> =>
	fc.oneof(
		fc.record({ brand_code: brand, updated_since: since, limit }).map((filters) => get("/api/v1/products", filters)),
		fc.record({ brand_code: brand, limit }).map((filters) => get("/api/v1/inventory/summary", filters)),
	);

/** A closed port: nothing is posted anywhere. */
const HOOK = "https://127.0.0.1:1/hooks";
const endpoint = fc.constantFrom("{{endpoint:0}}", "{{endpoint:1}}").map((id) => `/api/v1/webhook-endpoints/${id}`);
const FURTHER_TYPES = ["order.cancelled", "order.released", "hold.impaired", "order.shipped"];
const eventTypes = fc.constantFrom(
	undefined,
	["order.held"],
	["order.shipped", "order.held"],
	FURTHER_TYPES,
	["order.cancelled", "certificate.retired"],
	["shipment.voided", "shipment.label_created"],
	[],
	["order.lost"],
);
const webhooks: fc.Arbitrary<Asked> = fc.oneof(
	{
		weight: 2,
		arbitrary: fc
			.record({
				url: fc.constantFrom(HOOK, HOOK, "http://example.com", "ftp://x", "https://a:b@example.com/"),
				event_types: eventTypes,
				description: fc.constantFrom(undefined, null, "the shop"),
			})
			.map((body) => post("/api/v1/webhook-endpoints", given(body))),
	},
	limit.map((most) => get("/api/v1/webhook-endpoints", { limit: most })),
	endpoint.map((path) => get(path)),
	fc
		.record({ path: endpoint, status: fc.constantFrom("active", "inactive", undefined), event_types: eventTypes })
		.map(({ path, ...body }) => ({ ...post(path, given(body)), method: "PATCH" })),
	endpoint.map((path) => ({ method: "DELETE", path })),
	endpoint.map((path) => post(`${path}/rotate-secret`, { overlap_hours: 1 })),
	endpoint.map((path) => post(`${path}/test`, {})),
	endpoint.map((path) => get(`${path}/deliveries`)),
	fc
		.record({ path: endpoint, at: index })
		.map(({ path, at }) => post(`${path}/deliveries/{{delivery:${at}}}/resend`, undefined)),
	endpoint.map((path) => post(`${path}/recover`, { since: "2020-01-01T00:00:00Z" })),
);

const certificates: fc.Arbitrary<Asked> = fc.oneof(
	fc
		.record({
			status: fc.constantFrom(undefined, "current", "retired", "all", "lost"),
			product: fc.constantFrom(undefined, "sbx-plenty", "{{sku:one}}"),
			updated_since: since,
			format: fc.constantFrom(undefined, undefined, "csv"),
			limit,
		})
		.map((filters) => ({ ...get("/api/partner/v1/coa", filters), coa: true }) as const),
	fc
		.constantFrom("SANDBOX", "SANDBOX-WITHDRAWN", "{{sku:C-1}}", "nothing")
		.map((lot) => ({ ...get(`/api/partner/v1/coa/lot/${lot}`), coa: true }) as const),
);

const others = (sku: Texts): fc.Arbitrary<Asked> =>
	fc.oneof(
		fc.constant(get("/api/versions")),
		fc
			.record({
				sequence: fc.nat({ max: 3 }),
				items: fc.array(fc.record({ sku, prepaid_units: fc.nat({ max: 9 }) }), { maxLength: 2 }),
				brand_code: fc.constantFrom("{{brand}}", "{{brand}}", "NOBODY"),
				as_of: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "today"),
			})
			.map((body) => post("/api/v1/reserve-cache", body)),
		fc
			.constantFrom("{{token}}", "pk_hf_live_x:sk_hf_live_x")
			.map((token) => post("/api/v1/keys/introspect", { token })),
	);

const advance = (body: object): Asked => post("/api/v1/sandbox/advance", given(body));
const goal = mostly(fc.constantFrom("picked", "shipped", "held"), "expired", "lost");
const sandbox: fc.Arbitrary<Asked> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ order_ref: order, to: goal }).map(advance) },
	{ weight: 2, arbitrary: fc.record({ reservation_token: hold, to: fc.constant("expired") }).map(advance) },
	fc.record({ order_ref: perhaps(order), reservation_token: perhaps(hold), to: goal }).map(advance),
	fc.constant(post("/api/v1/sandbox/restock", {})),
	fc.constant(get("/api/v1/sandbox/golive")),
	fc.constant(post("/api/v1/sandbox/golive/drill", {})),
	fc.constant(post("/api/v1/sandbox/shown", { items: [] })),
);

const PATHS = ["/api/v1/check", "/api/v1/reserve", "/api/v1/orders", "/api/v1/consume", "/api/v1/keys/introspect"];
const hostile: fc.Arbitrary<Asked> = fc.oneof(
	fc
		.record({ path: fc.constantFrom(...PATHS), body: fc.jsonValue({ maxDepth: 3 }) })
		.map(({ path, body }) => post(path, body, { "idempotency-key": "k9" })),
	fc
		.record({
			path: fc.constantFrom(...PATHS),
			body: fc.constantFrom("", "{", "[]", "null", '{"items":[],"items":[]}', '{"a":1}x'),
		})
		.map(({ path, body }) => ({ ...post(path, body), headers: { "x-raw": "1" } })),
	fc.constantFrom(
		get("/api/v1/check"),
		get("/api/v1/nothing"),
		get("/v1/products"),
		get("/api/v1/products", { nothing: "1" }),
		get("/api/v1/holds"),
		get("/api/v1/orders/%ff"),
		get("/api/v1/products?limit=1&limit=2"),
		{ ...get("/api/v1/orders"), anonymous: true } as const,
		{ ...get("/api/v1/orders"), headers: { "x-partner-version": "2099-01-01" } },
		{ ...get("/api/v1/orders"), headers: { "x-partner-version": "yesterday" } },
		{ ...get("/api/v1/orders"), headers: { authorization: "Bearer pk_hf_live_x" } },
		{ ...post("/api/v1/check", { items: [] }), headers: { "content-type": "text/plain" } },
		{ method: "HEAD", path: "/api/v1/orders" },
	),
);
