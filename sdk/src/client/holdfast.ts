import { counted } from "./count.ts";
import { csvStream } from "./csv.ts";
import type { Finished } from "./finished.ts";
import { listOf, type WirePage } from "./list.ts";
import type { List, Methods, RequestOptions } from "./methods.ts";
import { CSV, type Input, inputOf, OPERATIONS, type Operation, type OperationName } from "./operations.ts";
import type { Raw, Reply } from "./raw.ts";
import { sharedOf, standings } from "./shared.ts";
import { checkTimeout, type Means, send } from "./transport.ts";
import type { Clock, Hold, HoldRecord, RequestReport } from "./types.ts";
import type { SaleCallback, SaleInput, ValueOf } from "./whole-hold.ts";
import { sell } from "./with-hold.ts";

export interface CommonOptions {
	/** Sends the requests; the platform's own unless given. */
	readonly fetch?: typeof fetch;
	/** Milliseconds that each attempt may take; 30,000 unless given. */
	readonly timeoutMs?: number;
	/** Further attempts where a repeat is safe; 2 unless given. */
	readonly maxRetries?: number;
	/** Maximum requests in any 60 seconds, if this is to be lower than what the service allows the key. */
	readonly requestsPerMinute?: number;
	/** Called after each attempt, and not awaited. What it throws, at once or later, is ignored. */
	readonly onRequest?: (report: RequestReport) => unknown;
	readonly clock?: Clock;
}

/** A client with a key, which may call everything; for servers only. */
export interface KeyOptions extends CommonOptions {
	/** The address of the API. */
	readonly baseUrl: string;
	/** The address of the certificates; only `coa` needs it. */
	readonly coaUrl?: string;
	/** `pk_…:sk_…`. */
	readonly token: string;
}

/** A client without a key: `coa.lookup` alone, also in a browser. */
export interface LookupOptions extends CommonOptions {
	readonly coaUrl: string;
	readonly baseUrl?: string;
	readonly token?: undefined;
}

export type HoldfastOptions = KeyOptions | LookupOptions;

/** Milliseconds that an attempt may take, unless the caller sets another limit. */
const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 2;

/** A clock that nobody sets: a system clock that is set forward would empty the budget's window at once. */
const SYSTEM_CLOCK: Clock = {
	now: () => performance.timeOrigin + performance.now(),
	sleep: (ms) => new Promise((resolve) => (setTimeout(resolve, ms) as { unref?(): void }).unref?.()),
};

/** What a method makes of a reply's data, where that is not the data itself. */
const SHAPES: { readonly [Name in OperationName]?: (reply: Reply<never>, input: Input, now: Date) => unknown } = {
	check: ({ data }: Reply<{ items: readonly object[] }>, _input, now) => data.items.map((item) => counted(item, now)),
	reserve: holdOf,
	"holds.get": recordOf,
	"holds.find": recordOf,
	"inventory.get": ({ data }, _input, now) => counted(data, now),
	"versions.list": ({ data }: Reply<{ items: unknown }>) => data.items,
	"coa.lot": ({ data }: Reply<{ items: unknown }>) => data.items,
};
/** Lists whose items have counts. */
const COUNTED: ReadonlySet<string> = new Set(["products.list", "inventory.summary"] satisfies OperationName[]);
const LISTS = /\.(?:list|summary|deliveries|requests)$/;

function holdOf(reply: Reply<never>, { externalRef }: Input): Hold {
	const { data, warnings } = reply as Reply<Awaited<ReturnType<Raw["reserve"]>>["data"]>;
	const { reservationToken: token, idempotent: replayed, ...hold } = data;
	return {
		token,
		...hold,
		externalRef: externalRef as string,
		replayed,
		warnings,
		impaired: warnings.includes("impaired"),
	};
}

function recordOf({ data }: Reply<never>): HoldRecord {
	const { reservationToken: token, ...record } = data as Awaited<ReturnType<Raw["holds"]["get"]>>["data"];
	return { token, ...record };
}

// the methods of both interfaces are made from the table of operations
const Base = class {
	readonly raw = {};

	constructor(means: Means) {
		for (const operation of OPERATIONS) {
			put(this, operation.name, methodOf(means, operation));
			put(this.raw, operation.name, async (...given: unknown[]) =>
				send(means, operation, ...inputOf(operation, given)),
			);
		}
	}
} as unknown as new (
	means: Means,
) => Methods & { readonly raw: Raw };

function put(tree: object, name: string, method: unknown): void {
	const [group, own] = name.split(".") as [string, string?];
	const at = tree as Record<string, Record<string, unknown>>;
	if (own === undefined) Object.assign(at, { [group]: method });
	else (at[group] ??= {})[own] = method;
}

function methodOf(means: Means, operation: Operation): unknown {
	const { name } = operation;
	const { clock } = means;
	if (name === CSV) {
		return (...given: unknown[]) => {
			const [input, options] = inputOf(operation, given);
			const read = async (cursor: string | undefined) =>
				(await send(means, operation, { ...input, cursor }, options)) as Reply<Uint8Array>;
			return csvStream(read, input.cursor as string | undefined);
		};
	}
	if (LISTS.test(name) && name !== "versions.list") {
		return (...given: unknown[]): List<unknown> => {
			const [input, options] = inputOf(operation, given);
			return listOf(
				(cursor) => readPage(means, operation, { ...input, cursor }, options),
				input.cursor as string | undefined,
			);
		};
	}
	const shape = SHAPES[name as OperationName] ?? (({ data }: Reply<unknown>) => data);
	return async (...given: unknown[]) => {
		const [input, options] = inputOf(operation, given);
		const reply = await send(means, operation, input, options);
		return shape(reply as Reply<never>, input, new Date(clock.now()));
	};
}

async function readPage(
	means: Means,
	operation: Operation,
	input: Input,
	options: RequestOptions,
): Promise<WirePage<unknown>> {
	const page = (await send(means, operation, input, options)).data as WirePage<object>;
	if (!COUNTED.has(operation.name)) return page;
	const since = page.asOf ?? new Date(means.clock.now());
	return { ...page, items: page.items.map((item) => counted(item, since)) };
}

/** A client of the service. Clients of one key share its budget of requests. */
export class Holdfast extends Base {
	readonly #sales: Map<string, Promise<unknown>>;

	/** @throws TypeError if an option is missing or malformed, or if a browser would get a secret */
	constructor(options: HoldfastOptions) {
		const { token, clock = SYSTEM_CLOCK, timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES } = options;
		const { requestsPerMinute, onRequest, fetch: given } = options;
		checkToken(token);
		checkTimeout(timeoutMs);
		const baseUrl = addressOf("baseUrl", options.baseUrl);
		const { budget, sales } = sharedOf(clock, `${baseUrl} ${token?.split(":")[0]}`);
		if (requestsPerMinute !== undefined) {
			if (!(requestsPerMinute >= 1)) throw new RangeError("requestsPerMinute: expected 1 or more.");
			budget.restrict(Math.floor(requestsPerMinute));
		}
		super({
			baseUrl,
			coaUrl: addressOf("coaUrl", options.coaUrl),
			token,
			fetch: given ?? ((...request) => fetch(...request)),
			timeoutMs,
			maxRetries,
			clock,
			budget,
			onRequest,
		});
		standings.set(this.raw, budget.standing);
		this.#sales = sales;
	}

	/**
	 * Sells a cart: holds it whole, calls `callback` to charge the customer and to end the hold, and resolves to the
	 * order, to what was consumed, or to null after `hold.release()`.
	 *
	 * - Nothing is charged without a hold: on `no_inventory`, and on every other refusal of the reserve, it throws, and
	 *   the callback is not called.
	 * - The callback returns what `hold.place`, `hold.consume` or `hold.release` gave it. When it throws, the hold is
	 *   released, unless it threw `ChargeUnknown`, or it is unknown whether the hold was ended (`OutcomeUnknown`), or
	 *   ending it may succeed later (`retry`, `hold_race`, `rate_limited`): then the hold is kept, and repeating the
	 *   call later continues.
	 * - Refund a charge if and only if the error has `isUnsold`: then nothing was sold, and nothing is held. To detect
	 *   a wrong address before the charge, call `checkCustomer`.
	 * - After a crash, make the same call with the same `externalRef` for each cart that has no result: it continues
	 *   where the first stopped. A cart that was sold resolves to its order without a call; otherwise the callback is
	 *   called again. So the payment must be made under `externalRef` as its idempotency key: a second call of the
	 *   callback must find the first payment, not make another. If the units are gone meanwhile (`no_inventory`),
	 *   refund what was paid under it.
	 * - A second call under the same `externalRef` in this process gets the result of the first.
	 *
	 * If the order is cancelled later, repeating the call still resolves to it: look at its `status`. A new sale needs
	 * a new reference.
	 *
	 * @throws HoldfastError `reference_used`: the reference names a sale of other items, or one that was reversed
	 */
	withHold<F extends Finished>(sale: SaleInput, callback: SaleCallback<F>): Promise<ValueOf<F>> {
		const { externalRef } = sale;
		const running =
			this.#sales.get(externalRef) ?? sell(this, sale, callback).finally(() => this.#sales.delete(externalRef));
		this.#sales.set(externalRef, running);
		return running as Promise<ValueOf<F>>;
	}
}

function checkToken(token: string | undefined): void {
	if (token === undefined) return;
	if (!/^pk_[!-9;-~]+:sk_[!-~]+$/.test(token)) throw new TypeError("token: expected pk_…:sk_….");
	const { document, process } = globalThis as { document?: unknown; process?: { versions?: { node?: string } } };
	if (document !== undefined && process?.versions?.node === undefined) {
		throw new TypeError("A secret does not belong in a browser.");
	}
}

function addressOf(name: string, url: string | undefined): string {
	if (url === undefined) return "";
	if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new TypeError(`${name}: expected a URL.`);
	return url.replace(/\/+$/, "");
}
