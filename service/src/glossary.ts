/** The words of docs/glossary.md that code shares: error codes, scopes and buckets. */

/** Every error code the contract documents, with its usual HTTP status (settlements, sections 2 to 7). */
export const ERROR_STATUS = {
	bad_request: 400,
	brand_mismatch: 403,
	forbidden: 403,
	fresh_sign_in_needed: 403,
	golive_not_passed: 409,
	gone: 410,
	hold_race: 409,
	idempotency_conflict: 409,
	idempotency_mismatch: 422,
	idempotency_required: 400,
	internal_error: 500,
	invalid_customer: 422,
	invalid_input: 400,
	invalid_item: 422,
	kit_incomplete: 409,
	no_inventory: 409,
	not_consumed: 409,
	not_found: 404,
	not_possible_now: 409,
	changed_meanwhile: 412,
	not_reversible: 409,
	order_forbidden: 403,
	order_not_cancellable: 409,
	order_not_found: 404,
	rate_limited: 429,
	reservation_empty: 409,
	reservation_expired: 410,
	reservation_forbidden: 403,
	reservation_gone: 410,
	reservation_not_found: 404,
	reservation_used: 409,
	retry: 409,
	second_factor_needed: 401,
	shipstation_error: 502,
	unauthorized: 401,
	unknown_brand_code: 422,
	unresolved_stack: 422,
	unsupported_version: 400,
	wrong_state: 410,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

/** What a key may do (contract, section 5; settlements, section 3). */
export const SCOPES = [
	"atp.check",
	"atp.reserve",
	"atp.release",
	"atp.consume",
	"atp.inventory",
	"atp.products",
	"atp.orders",
	"atp.shipments",
	"atp.shipments.combine",
	"atp.summary",
	"atp.receipts",
	"atp.reserve_cache",
	"atp.introspect",
	"atp.webhooks",
] as const;
export type Scope = (typeof SCOPES)[number];

/** The roles of operators, the lowest first; each may do what those before it may (operator contract, section 2). */
export const ROLES = ["viewer", "warehouse", "operator", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** What an operation requires of its caller: a scope of a key, or a role of an operator. */
export type Permission = Scope | Role;

export type Environment = "live" | "sandbox";

/** The brand code of every sandbox: each partner's, and the model's. */
export const SANDBOX_BRAND = "SANDBOX";
/** Prefix of the sandbox's SKUs; all others are live. */
export const SANDBOX_SKU_PREFIX = "SBX-";
/** Prefix of the sandbox's products and their certificates; all others are live. */
export const SANDBOX_SLUG_PREFIX = "sbx-";
/** The key that the first start mints, and its partner. */
export const FIRST_KEY = { partner: "Sandbox partner", name: "first-start" } as const;
/** The pool without a brand. */
export const SHARED_POOL_ID = 0;
/** The pool of the model, which is nobody's sandbox: every partner's sandbox is given what it has. */
export const SANDBOX_MODEL_POOL_ID = 1;

/** The possible states of a unit (settlements, section 1). */
export const BUCKETS = ["available", "held", "allocated", "consumed", "shipped", "quarantined", "destroyed"] as const;
export type Bucket = (typeof BUCKETS)[number];

/** The API date of this deployment. */
export const CURRENT_API_DATE = "2026-09-06";

/** The longest lifetime of a hold in minutes: a year (contract, section 8). */
export const MAX_TTL_MINUTES = 525_600;
