import Type from "typebox";
import { REASON } from "../../partners/admin/headers.ts";
import { adminEdit } from "../../partners/admin/operation.ts";
import { GivenId, OrNull, ReplyObject, RequestObject, Text } from "../../partners/http/text.ts";
import { edgesOf, MAX_NAME } from "../orders/admin-contract.ts";
import { LOT, NAMES, ORDER, ORDER_ID, SHIPMENT } from "../orders/examples.ts";
import { ORDER_STATUSES } from "../orders/order.ts";
import { ORDER_NAMES } from "../stock/admin-contract.ts";
import { BOX_EXAMPLE, NAMED, OperatorBox } from "./box-admin-contract.ts";

/** Maximum number of different lines of a partial shipment. */
const MAX_PARTS = 1_000;

const BOX_ID = SHIPMENT.shipment_id;
const Carrier = Text({ description: "The carrier's code, such as `ups`." });
const Service = Text({ description: "The carrier's code of the service." });
const TrackingNumber = Text({ description: "The tracking number." });
/** Likely mistakes that the person who typed a parcel may confirm as intended. */
const MEANT = {
	other_carrier: Type.Optional(
		Type.Boolean({ description: "Accept a carrier without a known tracking page: the parcel has no tracking link." }),
	),
	same_parcel: Type.Optional(
		Type.Boolean({ description: "Accept a tracking number that another box has: both are in one parcel." }),
	),
};

export const PickOrder = adminEdit({
	id: "pick_order",
	method: "POST",
	path: "/admin/api/v1/orders/:id/pick",
	summary: "Record that an order's units were taken from their lots",
	description:
		"Its partner cannot cancel it any more. If a lot passed its date or was recalled, other units are chosen, `picked` is false and `why` says what to put back and what to take; the next call picks them. If there are none, the order is on hold. An order that is already picked is returned as it is.",
	params: Type.Object({ id: Text({ min: 1, max: MAX_NAME, description: `The order: ${NAMED}.` }) }),
	body: RequestObject("PickOrderRequest", {
		lots: Type.Optional(
			Type.Array(
				RequestObject("LotTaken", {
					fg_id: GivenId("The lot."),
					units: Type.Integer({ minimum: 1, maximum: 999_999_999, description: "Units." }),
				}),
				{
					minItems: 1,
					maxItems: MAX_PARTS,
					description:
						"The units that were taken from the shelf. If the order has others now, such as after a recall, it is not picked, and the message says what to put back and what to take. Absent: the units that it has before the call.",
				},
			),
		),
	}),
	replies: {
		200: ReplyObject("PickedOrder", {
			...ORDER_NAMES,
			status: Type.Enum([...ORDER_STATUSES], { description: "As its partner sees it now." }),
			picked: Type.Boolean({ description: "False: it is on hold, or has other units than were taken." }),
			why: OrNull(Type.String({ description: "Why it was not picked; null: it was." })),
		}),
	},
	examples: {
		params: { id: ORDER_ID },
		request: { lots: [{ fg_id: LOT, units: 2 }] },
		replies: {
			200: { ...NAMES, status: "picked", picked: true, why: null },
		},
		errors: edgesOf(
			"The lots of order shop-1001 are not those that were taken. Batch C-2611 was recalled: put these 2 aside, they must not be shipped. Take 2 of batch C-2612.",
		),
	},
});

const BoxParams = Type.Object({
	id: Text({
		min: 1,
		max: MAX_NAME,
		description: `The box, by its shipment_id; or the order that waits in it, by its ${NAMED}.`,
	}),
});
const LABELLED = {
	carrier_code: "ups",
	service_code: "ground",
	tracking_number: "1Z999AA10123456784",
	tracking_url: "https://www.ups.com/track?tracknum=1Z999AA10123456784",
	label_created_at: "2026-09-06T14:00:00.000Z",
	modified_at: "2026-09-06T14:00:00.000Z",
	version: 2,
};

export const LabelBox = adminEdit({
	id: "label_box",
	method: "POST",
	path: "/admin/api/v1/boxes/:id/label",
	summary: "Record the label of a box",
	description: "The box does not leave yet. A box that already has this label is returned as it is.",
	params: BoxParams,
	body: RequestObject("LabelBoxRequest", {
		carrier: Carrier,
		service: Type.Optional(Service),
		tracking_number: TrackingNumber,
		...MEANT,
	}),
	replies: { 200: OperatorBox },
	examples: {
		params: { id: BOX_ID },
		request: { carrier: "ups", service: "ground", tracking_number: "1Z999AA10123456784" },
		replies: { 200: { ...BOX_EXAMPLE, ...LABELLED, status: "label_created" } },
		errors: edgesOf(`The box of order ${ORDER.external_order_id} is on hold: release its orders first.`),
	},
});

export const ShipBox = adminEdit({
	id: "ship_box",
	method: "POST",
	path: "/admin/api/v1/boxes/:id/ship",
	summary: "Record that a box has left, whole or in part",
	description:
		"Partners are notified. Carrier, service and tracking number are those of the label unless others are given; a box can leave without any. If only a part leaves, the rest waits in the box, and the part gets a box of its own. A box that has already left under this number is returned as it is.",
	params: BoxParams,
	body: RequestObject("ShipBoxRequest", {
		carrier: Type.Optional(Carrier),
		service: Type.Optional(Service),
		tracking_number: Type.Optional(TrackingNumber),
		parts: Type.Optional(
			Type.Array(
				RequestObject("ShippedPart", {
					order_id: Type.Optional(GivenId("The order; absent: the box's only one.")),
					sku: Text({ min: 1, max: MAX_NAME, description: "The SKU." }),
					qty: Type.Integer({ minimum: 1, maximum: 999_999_999, description: "Kits." }),
				}),
				{
					minItems: 1,
					maxItems: MAX_PARTS,
					description: "Only these kits leave; absent: everything. A box with several orders leaves whole.",
				},
			),
		),
		...MEANT,
		...REASON,
	}),
	replies: { 200: OperatorBox },
	examples: {
		params: { id: BOX_ID },
		request: {
			carrier: "ups",
			tracking_number: "1Z999AA10123456784",
			parts: [{ order_id: ORDER_ID, sku: "SBX-PLENTY", qty: 2 }],
		},
		replies: {
			200: {
				...BOX_EXAMPLE,
				...LABELLED,
				status: "shipped",
				shipped_at: "2026-09-06T15:00:00.000Z",
				orders: BOX_EXAMPLE.orders.map((order) => ({ ...order, status: "shipped" as const })),
			},
		},
		errors: edgesOf("Order shop-1001 is held and cannot be shipped: only an order that is placed can."),
	},
});

export const VoidBox = adminEdit({
	id: "void_box",
	method: "POST",
	path: "/admin/api/v1/boxes/:id/void",
	summary: "Undo a shipment, or a label, of a box that never left",
	description: "Its contents wait again. A box that is already voided is returned as it is.",
	params: Type.Object({
		id: Text({
			min: 1,
			max: MAX_NAME,
			description: `The box, by its shipment_id; or the order, by its ${NAMED}, if one box of it has left or has a label.`,
		}),
	}),
	body: RequestObject("VoidBoxRequest", { ...REASON }),
	replies: { 200: OperatorBox },
	examples: {
		params: { id: BOX_ID },
		request: { reason: "The carrier never came." },
		replies: {
			200: { ...BOX_EXAMPLE, ...LABELLED, status: "voided", voided_at: "2026-09-06T16:00:00.000Z" },
		},
		errors: {
			not_found: `There is no shipment or order ${BOX_ID}.`,
			...edgesOf(`The box of order ${ORDER.external_order_id} is awaiting_shipment: there is nothing to void.`),
		},
	},
});
