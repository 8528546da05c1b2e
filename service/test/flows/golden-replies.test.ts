import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApiDates } from "../../src/partners/http/api-date.ts";
import { type Answer, type House, openHouse } from "../house.ts";

/** Every reply on each API date. A date's fixtures are never rewritten: a reply keeps its form on a date. */
const FIXTURES = path.resolve(import.meta.dirname, "../../../fixtures/replies");
/** Headers that belong to the shape of a reply. */
const HEADERS = [
	"content-type",
	"cache-control",
	"idempotent-replayed",
	"partner-warning",
	"allow",
	"www-authenticate",
];

/** Fields whose text may change. */
const OPAQUE = new Set(["message", "next_cursor"]);

const WORLD = {
	brands: [{ code: "ACME", name: "Acme" }],
	formulas: [
		{ code: "SERUM", name: "Serum", status: "active" },
		{ code: "CREAM", name: "Cream", status: "active" },
	],
	products: [{ slug: "glow", name: "Glow" }],
	skus: [
		{
			sku: "GLOW-30",
			name: "Glow 30",
			product: "glow",
			kind: "single",
			components: [{ formula: "SERUM", per_kit: 1 }],
		},
		{
			sku: "GLOW-SET",
			name: "Glow set",
			product: "glow",
			kind: "kit",
			components: [
				{ formula: "SERUM", per_kit: 1 },
				{ formula: "CREAM", per_kit: 2 },
			],
		},
		{ sku: "FEE", name: "Fee", kind: "non_physical", components: [] },
	],
	lots: [
		{
			formula: "SERUM",
			brand_code: "ACME",
			batch_number: "S1",
			expires_on: "2099-06-30",
			received_on: "2026-01-05",
			units: 10,
		},
		{ formula: "SERUM", brand_code: null, batch_number: "S2", units: 20 },
		{ formula: "CREAM", brand_code: null, batch_number: "C1", units: 9 },
	],
	demand: [{ formula: "SERUM", brand_code: null, units: 3, reference: "letter 7" }],
	buffers: [{ formula: "CREAM", brand_code: null, units: 1 }],
	partners: [{ name: "Shop" }],
	keys: [
		{
			name: "shop",
			partner: "Shop",
			environment: "live",
			brand_code: "ACME",
			preset: "self_ship",
			shared_pool: true,
			requests_per_minute: 1000,
		},
		{
			name: "reader",
			partner: "Shop",
			environment: "live",
			brand_code: "ACME",
			preset: "read_only",
			shared_pool: false,
		},
		{
			name: "console",
			partner: "Shop",
			environment: "live",
			brand_code: null,
			scopes: ["atp.summary", "atp.reserve_cache", "atp.introspect"],
			shared_pool: true,
		},
	],
};

let house: House;
const tokens = new Map<string, string>();

beforeAll(async () => {
	house = await openHouse();
	const { keys } = await house.importWorld(WORLD);
	for (const { name, token } of keys) tokens.set(name, token ?? "");
});
afterAll(() => house.close());

/** The sequence of requests for every date; each step has the name of its fixture. */
async function* story(date: string): AsyncGenerator<[name: string, answer: Answer]> {
	const headers = { "x-partner-version": date };
	const ask = (where: string, body?: unknown, key = "shop") =>
		house.call(tokens.get(key) ?? null, where, { headers, ...(body === undefined ? {} : { body }) });
	const reserve = (items: object[], ref?: string) =>
		ask("/api/v1/reserve", { items, ...(ref === undefined ? {} : { external_ref: `${date} ${ref}` }) });
	const lines = [
		{ sku: "GLOW-30", qty: 2 },
		{ sku: "GLOW-SET", qty: 1 },
	];
	yield ["versions", await ask("/api/versions")];
	yield ["products", await ask("/api/v1/products")];
	yield ["check", await ask("/api/v1/check", { items: [...lines, { sku: "FEE", qty: 1 }, { sku: "NONE", qty: 1 }] })];
	yield ["inventory-single", await ask("/api/v1/inventory?sku=GLOW-30")];
	yield ["inventory-kit", await ask("/api/v1/inventory?sku=GLOW-SET")];
	yield ["inventory-non-physical", await ask("/api/v1/inventory?sku=FEE")];
	yield ["inventory-unknown", await ask("/api/v1/inventory?sku=NONE")];
	const held = await reserve(lines, "cart");
	yield ["reserve", held];
	yield ["reserve-replay", await reserve([{ sku: "GLOW-30", qty: 1 }], "cart")];
	yield ["reserve-short", await reserve([{ sku: "GLOW-SET", qty: 100 }])];
	yield ["reserve-unknown-sku", await reserve([{ sku: "NONE", qty: 1 }])];
	yield ["reserve-other-brand", await reserve([{ sku: "GLOW-30", qty: 1, brand_code: "OTHER" }])];
	yield ["reserve-malformed", await reserve([{ sku: "", qty: 0, colour: "red" }])];
	yield ["reserve-forbidden", await ask("/api/v1/reserve", { items: lines }, "reader")];
	const reservation_token = held.json.data.reservation_token;
	const external_ref = `${date} order`;
	yield ["hold-read", await ask(`/api/v1/holds/${reservation_token}`)];
	yield ["consume", await ask("/api/v1/consume", { reservation_token, external_ref })];
	yield ["consume-replay", await ask("/api/v1/consume", { reservation_token, external_ref })];
	yield ["hold-read-consumed", await ask(`/api/v1/holds?external_ref=${encodeURIComponent(`${date} cart`)}`)];
	yield ["release-consumed", await ask("/api/v1/release", { reservation_token })];
	yield ["reverse", await ask("/api/v1/consume/reverse", { external_ref })];
	yield ["reverse-replay", await ask("/api/v1/consume/reverse", { external_ref })];
	yield ["reverse-unknown", await ask("/api/v1/consume/reverse", { external_ref: `${date} none` })];
	yield ["reverse-not-consumed", await ask("/api/v1/consume/reverse", { external_ref: `${date} cart` })];
	const freed = (await reserve([{ sku: "GLOW-30", qty: 1 }])).json.data.reservation_token;
	yield ["release", await ask("/api/v1/release", { reservation_token: freed })];
	yield ["hold-read-released", await ask(`/api/v1/holds/${freed}`)];
	yield ["hold-read-unknown", await ask("/api/v1/holds/0199f0a0-0000-7000-8000-000000000000")];
	yield ["consume-released", await ask("/api/v1/consume", { reservation_token: freed, external_ref: `${date} late` })];
	yield [
		"release-unknown",
		await ask("/api/v1/release", { reservation_token: "0199f0a0-0000-7000-8000-000000000000" }),
	];
	const push = { brand_code: "ACME", sequence: 1, as_of: "2026-09-06T12:00:00Z" };
	const mirror = { ...push, items: [{ sku: "GLOW-30", prepaid_units: 40, used_units: 3 }] };
	yield ["reserve-cache", await ask("/api/v1/reserve-cache", mirror, "console")];
	yield ["reserve-cache-late", await ask("/api/v1/reserve-cache", mirror, "console")];
	const kit = { ...push, sequence: 2, items: [{ sku: "GLOW-SET", prepaid_units: 1 }] };
	yield ["reserve-cache-unknown-item", await ask("/api/v1/reserve-cache", kit, "console")];
	yield ["summary", await ask("/api/v1/inventory/summary")];
	yield ["summary-no-brand", await ask("/api/v1/inventory/summary", undefined, "console")];
	yield ["receipts", await ask("/api/v1/receipts")];
	yield ["introspect", await ask("/api/v1/keys/introspect", { token: tokens.get("shop") }, "console")];
	yield ["introspect-unknown", await ask("/api/v1/keys/introspect", { token: "nobody's" }, "console")];
	yield ["no-key", await ask("/api/v1/products", undefined, "nobody")];
	yield ["no-path", await ask("/api/v1/nothing")];
	yield ["wrong-method", await ask("/api/v1/reserve")];
}

it.each(createApiDates().accepted)("replies on $date look as they were promised", async ({ date }) => {
	for await (const [name, answer] of story(date)) {
		expect(answer.headers.get("x-partner-version")).toBe(date);
		await expect(told(answer)).toMatchFileSnapshot(path.join(FIXTURES, date, `${name}.json`));
	}
});

/** The promised part of a reply: fields by name in any order, ids by order of appearance, no texts for people. */
function told({ status, headers, json }: Answer): string {
	const ids = new Map<string, string>();
	const shown = Object.fromEntries(HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : [])));
	return `${JSON.stringify({ status, headers: shown, body: steady(json, ids) }, null, 2)}\n`;
}

function steady(value: unknown, ids: Map<string, string>): unknown {
	if (Array.isArray(value)) return value.map((one) => steady(one, ids));
	if (typeof value === "string") return steadyText(value, ids);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, one]) => [name, OPAQUE.has(name) ? `<${name}>` : steady(one, ids)]),
	);
}

function steadyText(text: string, ids: Map<string, string>): string {
	if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return "<instant>";
	if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)) return text;
	ids.set(text, ids.get(text) ?? `<id ${ids.size + 1}>`);
	return ids.get(text) ?? text;
}

it("the service mounts exactly the operations that the committed document describes", async () => {
	const served = await (await fetch(`${house.api}/docs/json`)).json();
	const { current } = createApiDates();
	const committed = path.resolve(import.meta.dirname, `../../../openapi/partner/${current.date}.json`);
	expect(served).toEqual(JSON.parse(await readFile(committed, "utf8")));
});
