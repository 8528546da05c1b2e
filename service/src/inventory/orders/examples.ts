/* Examples for the API documentation: one sandbox order and its box. */

export const TOKEN = "0199f0a0-1111-7000-8000-000000000001";
export const ORDER_ID = "0199f0a0-3333-7000-8000-000000000003";
const SHIPMENT_ID = "0199f0a0-4444-7000-8000-000000000004";
const FORMULA = "0199f0a0-0000-7000-8000-00000000000a";
export const LOT = "0199f0a0-2222-7000-8000-000000000002";
const PLACED_AT = "2026-09-06T12:01:00.000Z";

/** What the order is called. */
export const NAMES = { order_id: ORDER_ID, ref: "cart-1001", external_order_id: "shop-1001" } as const;

export const SHIPMENT = {
	shipment_id: SHIPMENT_ID,
	status: "awaiting_shipment",
	brand_code: "SANDBOX",
	orders: [NAMES],
	combined: false,
	carrier_code: null,
	service_code: null,
	tracking_number: null,
	tracking_url: null,
	items: [
		{
			order_id: ORDER_ID,
			sku: "SBX-PLENTY",
			qty: 2,
			lots: [{ formula_id: FORMULA, batch_number: "SBX-B1", units: 2 }],
		},
	],
	ship_to: { city: "Portland", state: "OR", postal_code: "97201", country: "US" },
	created_at: PLACED_AT,
	label_created_at: null,
	shipped_at: null,
	voided_at: null,
	modified_at: PLACED_AT,
	version: 1,
} as const;

export const ORDER = {
	...NAMES,
	status: "placed",
	version: 1,
	brand_code: "SANDBOX",
	environment: "sandbox",
	reservation_token: TOKEN,
	cancellable: true,
	hold_reason: null,
	customer: {
		name: "Ada Example",
		email: "ada@example.com",
		ship_to: { line1: "1 Main Street", city: "Portland", state: "OR", postal_code: "97201", country: "US" },
	},
	service_level: "standard",
	note: null,
	items: [
		{
			sku: "SBX-PLENTY",
			brand_code: "SANDBOX",
			qty: 2,
			shipped_qty: 0,
			components: [
				{
					formula_id: FORMULA,
					per_kit: 1,
					units: 2,
					lots: [{ fg_id: LOT, batch_number: "SBX-B1", units: 2 }],
				},
			],
		},
	],
	shipments: [SHIPMENT],
	placed_at: PLACED_AT,
	held_at: null,
	picked_at: null,
	shipped_at: null,
	cancelled_at: null,
	updated_at: PLACED_AT,
} as const;

const SECOND_ORDER = "0199f0a0-3333-7000-8000-000000000004";
const [ITEM] = SHIPMENT.items;

export const COMBINED_SHIPMENT = {
	...SHIPMENT,
	orders: [...SHIPMENT.orders, { order_id: SECOND_ORDER, ref: "cart-1002", external_order_id: null }],
	combined: true,
	items: [ITEM, { ...ITEM, order_id: SECOND_ORDER }],
	version: 2,
} as const;
