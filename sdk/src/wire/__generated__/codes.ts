/* Written by `npm run gen` from openapi/. */

/** The API date that the SDK's types are those of; sent as `X-Partner-Version`. */
export const API_DATE = "2026-09-06";

/** Every code that the documents name. */
export const CODES = [
	"bad_request",
	"brand_mismatch",
	"forbidden",
	"gone",
	"hold_race",
	"idempotency_mismatch",
	"idempotency_required",
	"internal_error",
	"invalid_customer",
	"invalid_input",
	"invalid_item",
	"kit_incomplete",
	"no_inventory",
	"not_consumed",
	"not_found",
	"not_reversible",
	"order_forbidden",
	"order_not_cancellable",
	"order_not_found",
	"rate_limited",
	"reservation_empty",
	"reservation_expired",
	"reservation_forbidden",
	"reservation_gone",
	"reservation_not_found",
	"reservation_used",
	"retry",
	"shipstation_error",
	"unauthorized",
	"unknown_brand_code",
	"unresolved_stack",
	"unsupported_version",
	"wrong_state",
] as const;
