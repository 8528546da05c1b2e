import Type from "typebox";
import { BUCKETS } from "../../glossary.ts";
import { Id, Instant, OrNull, ReplyObject } from "../../partners/http/text.ts";
import { LOT_EXAMPLE } from "../stock/admin-contract.ts";

/** The lists of a recall: its lots, and everybody who must be told about it. */

const Words = (description: string) => Type.String({ description });
const Units = (description: string) => Type.Integer({ description });
const BATCHES = Type.Array(Type.String(), { description: "The batch numbers of those units." });
const OWNER = {
	partner: Words("The partner."),
	key: Words("The public half of its key."),
	key_name: Words("The key's name."),
};
const ORDER = {
	...OWNER,
	order_id: Id("The order."),
	ref: Words("The Idempotency-Key that it was placed under."),
	external_order_id: OrNull(Words("The partner's own number for it.")),
};
const LOT_NAME = {
	fg_id: Id("The lot."),
	formula: Words("Code of its formula."),
	brand_code: OrNull(Words("The brand of its pool; null: the shared pool.")),
	batch_number: Words("Its batch number."),
};
const bucketsOf = <T>(make: (bucket: (typeof BUCKETS)[number]) => T) =>
	Object.fromEntries(BUCKETS.map((bucket) => [bucket, make(bucket)])) as {
		readonly [bucket in (typeof BUCKETS)[number]]: T;
	};

export const RECALL_LISTS = {
	nearly_the_same: Type.Array(ReplyObject("NearlyRecalledLot", LOT_NAME), {
		description: "Lots that are not recalled although their batch number is nearly the same.",
	}),
	lots: Type.Array(
		ReplyObject("RecalledLot", {
			...LOT_NAME,
			recalled_at: OrNull(Instant("When it was recalled; null: it is not recalled.")),
			restored: Units("Units that were restored since the recall began."),
			...bucketsOf((bucket) => Units(`Units ${bucket}.`)),
		}),
		{ description: "The lots, with their units by bucket." },
	),
	shipped_orders: Type.Array(
		ReplyObject("RecalledShipment", {
			...ORDER,
			units: Units("Units of the lots in this box."),
			batch_numbers: BATCHES,
			shipment_id: Id("The box."),
			shipped_at: Instant("When it was shipped."),
			carrier_code: OrNull(Words("The carrier.")),
			tracking_number: OrNull(Words("The carrier's number for the parcel.")),
			customer: Words("The customer's name."),
			email: OrNull(Words("The customer's e-mail address.")),
			phone: OrNull(Words("The customer's telephone number.")),
			city: Words("Where it was sent."),
			country: Words("The country, ISO 3166-1 alpha-2."),
		}),
		{ description: "Shipped to partners' customers, by partner." },
	),
	consumed: Type.Array(
		ReplyObject("RecalledSale", {
			...OWNER,
			external_ref: Words("The partner's reference of the consume."),
			reservation_token: Id("The hold."),
			units: Units("Units of the lots that were not given back."),
			shipped_units: Units("Of those: units reported as shipped."),
			batch_numbers: BATCHES,
			consumed_at: Instant("When they were consumed."),
		}),
		{ description: "Consumed by partners, who ship themselves." },
	),
	shipped_elsewhere: Type.Array(
		ReplyObject("RecalledElsewhere", {
			reference: Words("The reference of the demand."),
			units: Units("Units of the lots."),
			batch_numbers: BATCHES,
			at: Instant("When the last of them left."),
		}),
		{ description: "Shipped without an order in Holdfast." },
	),
	impaired_holds: Type.Array(
		ReplyObject("ImpairedByRecall", {
			...OWNER,
			reservation_token: Id("The hold."),
			external_ref: OrNull(Words("The partner's reference.")),
			units: Units("Units that it lacks because of the lots."),
			expires_at: Instant("When it ends."),
		}),
		{ description: "Active holds that lack units; in a dry run, those that would." },
	),
	held_orders: Type.Array(
		ReplyObject("HeldByRecall", {
			...ORDER,
			units: Units("Units that it lacks because of the lots."),
			placed_at: Instant("When it was placed."),
		}),
		{ description: "Open orders that lack units; in a dry run, those that would." },
	),
	packed_orders: Type.Array(
		ReplyObject("PackedBeforeRecall", {
			...ORDER,
			units: Units("Units of the lots that may be in its box."),
			batch_numbers: BATCHES,
			picked_at: OrNull(
				Instant(
					"When it was picked; null: it was not, but its box has a label, its shipment was voided, or a part of it was shipped.",
				),
			),
			picked_anew_at: OrNull(
				Instant("When it was picked again, so that nothing is left to do; null: its box must be opened."),
			),
			shipment_id: Id("The box in which it waits, or waited when its units were taken."),
			carrier_code: OrNull(Words("The carrier, if the box has a label.")),
			tracking_number: OrNull(Words("The parcel, likewise.")),
		}),
		{
			description:
				"Orders that were picked or packed before: open the boxes of those that were not picked again since.",
		},
	),
};

const OWNER_EXAMPLE = { partner: "Acme Shop", key: "pk_hf_live_x", key_name: "web" };
const AT = "2026-09-05T12:00:00.000Z";
const BATCHES_EXAMPLE = [LOT_EXAMPLE.batch_number];
const HELD_EXAMPLE = {
	...OWNER_EXAMPLE,
	order_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c75",
	ref: "cart-9",
	external_order_id: null,
	units: 1,
};
const { fg_id, formula, brand_code, batch_number } = LOT_EXAMPLE;

export const LISTS_EXAMPLE = {
	nearly_the_same: [],
	lots: [
		{
			fg_id,
			formula,
			brand_code,
			batch_number,
			recalled_at: "2026-09-06T12:00:00.000Z",
			restored: 0,
			...bucketsOf(() => 0),
			shipped: 2,
			consumed: 1,
			quarantined: 117,
		},
	],
	shipped_orders: [
		{
			...OWNER_EXAMPLE,
			order_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c71",
			ref: "cart-7",
			external_order_id: "#1007",
			units: 2,
			batch_numbers: BATCHES_EXAMPLE,
			shipment_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c72",
			shipped_at: AT,
			carrier_code: "ups",
			tracking_number: "1Z999",
			customer: "Ada Example",
			email: "ada@example.com",
			phone: null,
			city: "Portland",
			country: "US",
		},
	],
	consumed: [
		{
			...OWNER_EXAMPLE,
			external_ref: "sale-7",
			reservation_token: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c73",
			units: 1,
			shipped_units: 0,
			batch_numbers: BATCHES_EXAMPLE,
			consumed_at: AT,
		},
	],
	shipped_elsewhere: [],
	impaired_holds: [
		{
			...OWNER_EXAMPLE,
			reservation_token: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c74",
			external_ref: "cart-8",
			units: 1,
			expires_at: "2026-09-06T12:30:00.000Z",
		},
	],
	held_orders: [{ ...HELD_EXAMPLE, placed_at: AT }],
	packed_orders: [
		{
			...HELD_EXAMPLE,
			batch_numbers: BATCHES_EXAMPLE,
			picked_at: AT,
			picked_anew_at: null,
			shipment_id: "019a9c3e-8c3b-7d0e-9a53-5d2f4a1b6c76",
			carrier_code: null,
			tracking_number: null,
		},
	],
};
