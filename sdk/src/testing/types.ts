import type { Clock, KnownCode } from "../client/types.ts";
import type { ActiveKey } from "../wire/__generated__/partner.ts";
import type { UnknownWord } from "../wire/given.ts";

/* The public types of `@holdfast/partner/testing`. Nothing here imports the service. */

/** A clock that stands still until it is set. */
export interface TestClock extends Clock {
	/** Wakes everything that sleeps until then, in the order in which it is due; resolves after that. */
	set(time: Date | number): Promise<void>;
	/** The same, `ms` milliseconds from now. */
	advance(ms: number): Promise<void>;
}

/** What a key may do. */
export type Scope = Exclude<ActiveKey["scopes"][number], UnknownWord>;

/** A key that the operator would have minted. */
export interface KeyOptions {
	/** Absent: `live` if the world has SKUs, otherwise `sandbox`. */
	readonly environment?: "sandbox" | "live";
	/** Of a live key; null: bound to no brand. Absent: `BRAND`. */
	readonly brandCode?: string | null;
	/** Whether a live key also draws on the shared stock. Absent: false. */
	readonly sharedPool?: boolean;
	/** Scopes, or one of the operator's presets. Absent: every scope. */
	readonly scopes?: readonly Scope[] | "read_only" | "fulfilment" | "self_ship";
	/** Requests in any 60 seconds by the fake's clock; null: no limit. Absent: 60. */
	readonly requestsPerMinute?: number | null;
	/** Maximum units in its active holds. Absent: no limit. */
	readonly maxHeldUnits?: number | null;
}

export interface FormulaOptions {
	readonly code: string;
	/** Absent: the code. */
	readonly name?: string;
	/** Absent: `active`. */
	readonly status?: "draft" | "active" | "archived";
}

export interface SkuOptions {
	readonly sku: string;
	/** Absent: the SKU. */
	readonly name?: string;
	/** The product page that it belongs to. */
	readonly slug?: string;
	/** What one kit is made of, in units; empty: nothing physical, such as a fee. */
	readonly components: readonly { readonly formula: string; readonly perKit: number }[];
}

export interface LotOptions {
	/** The formula's code. */
	readonly formula: string;
	readonly units: number;
	/** Absent: `B1`. */
	readonly batchNumber?: string;
	/** YYYY-MM-DD; null: never. Absent: never. */
	readonly expiresOn?: string | null;
	/** Null: the shared stock. Absent: the key's own brand, or the shared stock for a key without one. */
	readonly brandCode?: string | null;
}

export interface CertificateOptions {
	/** The product's slug. */
	readonly slug: string;
	readonly batchNumber: string;
	/** Absent: `current`. */
	readonly status?: CertificateStatus;
	/** Absent: the slug. */
	readonly productName?: string;
	readonly vialSize?: string | null;
	/** YYYY-MM-DD. */
	readonly testedOn?: string | null;
	readonly labName?: string | null;
	readonly purityPct?: number | null;
}

export type CertificateStatus = "current" | "archived" | "retired";

/** What exists at the beginning, besides the sandbox's test SKUs. */
export interface WorldOptions {
	readonly key?: KeyOptions;
	/** SKUs that are each one unit of a separate formula, with their free stock: `{ "SERUM-30": 12 }`. */
	readonly stock?: Readonly<Record<string, number>>;
	readonly formulas?: readonly FormulaOptions[];
	readonly skus?: readonly SkuOptions[];
	readonly lots?: readonly LotOptions[];
	readonly certificates?: readonly CertificateOptions[];
	/** Demand of others that has no units bound to it yet. */
	readonly promised?: readonly Pick<LotOptions, "formula" | "units" | "brandCode">[];
}

/** An event as the service records it for its partner. */
export interface FakeEvent {
	/** `evt_…`, sent as `webhook-id`. */
	readonly id: string;
	readonly type: string;
	/** The exact text that is signed and sent. */
	readonly body: string;
	/** What an endpoint with this secret (`whsec_…`) gets at the clock's time. */
	signed(secret: string): { readonly headers: Record<string, string>; readonly body: string };
}

/** A label for `ship`; null and absent fields stay unknown. */
export interface LabelOptions {
	readonly carrierCode?: string | null;
	readonly serviceCode?: string | null;
	readonly trackingNumber?: string | null;
}

/** The codes of the contract, and a lost answer. */
export type FailureCode = Exclude<KnownCode, "reference_used">;

/** What the manufacturer does, for a test to trigger. */
export interface World {
	/** Sets how many kits of a SKU the key could reserve. @throws if there is no such SKU, or it is not physical */
	setStock(sku: string, qty: number): void;
	/** Ends the key for good: every request is answered 401. */
	revoke(): void;
	/** Refuses the key until `resume`. The partner cannot tell this from `revoke`. */
	suspend(): void;
	resume(): void;
	/**
	 * Answers the next requests that pass the key's checks with this code, and does nothing for them.
	 * `connection_lost`: the request is carried out, and its answer does not arrive.
	 */
	failNext(code: FailureCode, times?: number): void;
	/** Picks and ships what an order has left to ship. `ref`: order id or Idempotency-Key. @throws if it cannot ship */
	ship(ref: string, label?: LabelOptions): void;
	/** Creates a certificate, or changes the status of one. @throws if the service would not allow it */
	setCertificate(certificate: CertificateOptions): void;
	/**
	 * Every event that was recorded so far, the oldest first: `order.shipped` and `order.held` in any case, the others
	 * only while there is an endpoint that chose their type.
	 */
	readonly events: readonly FakeEvent[];
}

export interface FakeOptions<C extends Clock = Clock> {
	/** Absent: a sandbox key and the sandbox's test SKUs. */
	readonly world?: WorldOptions;
	/** Absent: its own clock, which begins at the present and stands still until it is set. */
	readonly clock?: C;
}

/** The service in memory, for one key. */
export interface FakeHoldfast<C extends Clock = TestClock> {
	/** Answers as the API and the COA address do, whatever the host: hand it to `new Holdfast`. */
	readonly fetch: typeof fetch;
	/** `pk_…:sk_…` of the one key. */
	readonly token: string;
	readonly clock: C;
	readonly world: World;
}
