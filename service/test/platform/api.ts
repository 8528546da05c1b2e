import { type PlatformWorld, Refused, type WorldShipment } from "./world.ts";

/** The platform's answer to one request. */
export interface WorldAnswer {
	readonly status: number;
	readonly reply: unknown;
}

/** The fields that the published `create_shipment_request` has; it allows no other. */
const CREATION_FIELDS = new Set([
	"validate_address",
	"external_shipment_id",
	"carrier_id",
	"create_sales_order",
	"store_id",
	"notes_from_buyer",
	"notes_for_gift",
	"is_gift",
	"zone",
	"display_scheme",
	"assigned_user",
	"shipment_status",
	"amount_paid",
	"shipping_paid",
	"tax_paid",
	"ship_to",
	"ship_from",
	"items",
	"packages",
]);
/** The fields that the published address requires. */
const ADDRESS_FIELDS = [
	"name",
	"phone",
	"address_line1",
	"city_locality",
	"state_province",
	"postal_code",
	"country_code",
	"address_residential_indicator",
];
const MAX_EXTERNAL_ID = 50;
const DEFAULT_PAGE_SIZE = 25;

/** The published operations that the service uses. */
export function answerOf(world: PlatformWorld, method: string, url: URL, body: unknown): WorldAnswer {
	try {
		return route(world, `${method} ${url.pathname}`, url.searchParams, body);
	} catch (error) {
		if (!(error instanceof Refused)) throw error;
		const { status, code, message } = error;
		const errors = [{ error_source: "ShipStation", error_type: "validation", error_code: code, message }];
		return { status, reply: { request_id: "0", errors } };
	}
}

function route(world: PlatformWorld, what: string, query: URLSearchParams, body: unknown): WorldAnswer {
	const [, external] = /^GET \/v2\/shipments\/external_shipment_id\/([^/]+)$/.exec(what) ?? [];
	if (external) return ok(shown(world.get(decodeURIComponent(external))));
	const [, one] = /^GET \/v2\/shipments\/([^/]+)$/.exec(what) ?? [];
	if (one) return ok(shown(world.get(one)));
	const [, label] = /^GET \/v2\/labels\/([^/]+)$/.exec(what) ?? [];
	if (label) return ok(world.labels.find(({ label_id }) => label_id === label) ?? notFound());
	const [, cancelled] = /^PUT \/v2\/shipments\/([^/]+)\/cancel$/.exec(what) ?? [];
	if (cancelled) {
		world.cancel(cancelled);
		return { status: 204, reply: null };
	}
	const [, held] = /^PUT \/v2\/shipments\/([^/]+)\/hold$/.exec(what) ?? [];
	if (held) {
		const { hold_until_date: day = "" } = body as { hold_until_date?: string };
		if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new Refused(400, "field_value_required", "hold_until_date is no day.");
		world.holdUntil(held, day);
		return ok(shown(world.get(held)));
	}
	const [, restored] = /^PUT \/v2\/shipments\/([^/]+)\/restore$/.exec(what) ?? [];
	if (restored) {
		world.restore(restored);
		return ok(shown(world.get(restored)));
	}
	const [, merged] = /^POST \/v2\/shipments\/([^/]+)\/merge$/.exec(what) ?? [];
	if (merged) {
		world.merge(merged, (body as { shipment_ids: string[] }).shipment_ids);
		return ok(shown(world.get(merged)));
	}
	switch (what) {
		case "POST /v2/shipments":
			return create(world, body);
		case "GET /v2/shipments":
			return listShipments(world, query);
		case "GET /v2/labels":
			return page("labels", ofShipment(world.labels, query), query);
		case "GET /v2/fulfillments":
			return page("fulfillments", ofShipment(world.marks, query), query);
		default:
			return notFound();
	}
}

const ok = (reply: unknown): WorldAnswer => ({ status: 200, reply });

function notFound(): never {
	throw new Refused(404, "invalid_identifier", "There is no such resource.");
}

function create(world: PlatformWorld, body: unknown): WorldAnswer {
	const { shipments } = body as { shipments: Record<string, unknown>[] };
	const made = shipments.map((asked) => {
		checkCreation(asked);
		const { shipment, addressProblem } = world.create(asked);
		const errors = shipment === null ? ["The shipment was not created."] : [];
		const address_validation =
			addressProblem === null
				? { status: "verified", messages: [] }
				: { status: "error", messages: [{ code: "a1002", message: addressProblem, type: "error", detail_code: null }] };
		return { ...(shipment === null ? {} : shown(shipment)), errors, address_validation };
	});
	return ok({ has_errors: made.some(({ errors }) => errors.length > 0), shipments: made });
}

function checkCreation(asked: Record<string, unknown>): void {
	const refuse = (code: string, message: string): never => {
		throw new Refused(400, code, message);
	};
	for (const name of Object.keys(asked)) if (!CREATION_FIELDS.has(name)) refuse("invalid_object", `Unknown: ${name}.`);
	const external = asked.external_shipment_id;
	if (typeof external === "string" && external.length > MAX_EXTERNAL_ID) {
		refuse("invalid_string_length", "external_shipment_id is too long.");
	}
	const address = asked.ship_to as Record<string, unknown>;
	for (const name of ADDRESS_FIELDS) {
		if (typeof address[name] !== "string" || address[name] === "") {
			refuse("field_value_required", `ship_to.${name} must not be empty.`);
		}
	}
}

function listShipments(world: PlatformWorld, query: URLSearchParams): WorldAnswer {
	const since = Date.parse(query.get("modified_at_start") ?? "1970-01-01T00:00:00Z");
	const found = [...world.shipments.values()]
		.filter(({ modified_at }) => Date.parse(modified_at) >= since)
		.toSorted((a, b) => Date.parse(a.modified_at) - Date.parse(b.modified_at));
	if (query.get("sort_dir") !== "asc") found.reverse();
	return page("shipments", found.map(shown), query);
}

/** A copy, so that a sent answer does not change with the world. */
const shown = (shipment: WorldShipment): WorldShipment => structuredClone(shipment);

const ofShipment = <T extends { shipment_id: string }>(rows: readonly T[], query: URLSearchParams): T[] => {
	const wanted = query.get("shipment_id");
	return rows.filter(({ shipment_id }) => wanted === null || shipment_id === wanted);
};

function page(name: string, rows: readonly unknown[], query: URLSearchParams): WorldAnswer {
	const size = Number(query.get("page_size") ?? DEFAULT_PAGE_SIZE);
	const number = Number(query.get("page") ?? 1);
	const link = { href: "http://unused.example" };
	return ok({
		[name]: rows.slice((number - 1) * size, number * size),
		total: rows.length,
		page: number,
		pages: Math.ceil(rows.length / size),
		links: { first: link, last: link, prev: {}, next: {} },
	});
}
