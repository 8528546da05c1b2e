import type { Rule } from "../src/upkeep/ledger/verify.ts";

/* The rules that each of the tests of `verify` covers; verify.test.ts covers all others. */

/** Rules about certificates. */
export const CERTIFICATE_RULES = [
	"certificate-recalled",
	"certificate-file",
	"certificate-twice",
	"certificate-order",
] as const satisfies readonly Rule[];

/** Rules about orders, or that only the handling of orders can break. */
export const ORDER_RULES = [
	"hold-placed",
	"hold-shipped",
	"order-hold",
	"order-parts",
	"order-whole",
	"order-box",
	"order-shipment",
	"shipment-items",
	"order-event",
	"number-twice",
] as const satisfies readonly Rule[];

/** Rules that compare data stored twice, or a digest with its rows. */
export const PROOF_RULES = [
	"hold-key",
	"hold-life",
	"demand-log",
	"shipment-lots",
	"event-body",
	"event-delivery",
	"event-owner",
	"delivery-answer",
	"receipt-day",
	"lot-label",
	"history-digest",
	"seal",
	"sealed-sums",
] as const satisfies readonly Rule[];
