import { ChargeUnknown, HoldfastError, OutcomeUnknown, ownRefusal } from "./errors.ts";
import { Finished } from "./finished.ts";
import type { Methods } from "./methods.ts";
import { isPassing } from "./retry.ts";
import type { Consumed, HeldItem, Hold, HoldRecord, Line, Order } from "./types.ts";
import type { SaleInput, WholeHold } from "./whole-hold.ts";

type Needed = Pick<Methods, "reserve" | "release" | "consume" | "holds" | "orders">;

/** Reserves until the hold is whole; each time, one that lost units is released first. */
const MAX_RESERVES = 3;
const NO_SKU = "@holdfast/partner: only the active hold";
const OTHER_ITEMS = "its hold has other items";
/** The hold is over, or may be: reading it back says which. */
const HOLD_OVER = /^(?:reservation_expired|reservation_gone|wrong_state)$/;

/** One sale under its `externalRef`, from the reserve, or from where an earlier call stopped, to its end. */
export async function sell(api: Needed, input: SaleInput, callback: (hold: WholeHold) => unknown): Promise<unknown> {
	const { externalRef } = input;
	if (!/^(?!\.{1,2}$)[!-~]{1,200}$/.test(externalRef)) {
		throw new TypeError("externalRef: expected 1 to 200 visible ASCII characters.");
	}
	const before = await newestHold(api, externalRef);
	if (before !== undefined && !isOver(before) && !areHeld(input.items, before.items)) {
		throw used(externalRef, OTHER_ITEMS);
	}
	const sold = await saleOf(api, externalRef, before);
	if (sold !== undefined) return sold;
	const held = before?.status === "active" ? await goOn(api, input, before) : await begin(api, input, before);
	if (held === undefined) return await sell(api, input, callback);
	return "token" in held ? await callWith(api, input, held, callback) : held;
}

/**
 * The hold of an earlier call as it is now, whole; undefined if it has ended since it was found. A late request of a
 * process that died may still sell it, and a reserve of its items after that would make another hold, which would hide
 * the sale. So this reserves a SKU that does not exist: it returns the active hold under the reference, or is refused.
 */
async function goOn(api: Needed, input: SaleInput, before: HoldRecord): Promise<Hold | undefined> {
	const { externalRef, items } = input;
	const replay = { externalRef, items: items.slice(0, 1).map((line) => ({ ...line, sku: NO_SKU })) };
	const hold = await found(api.reserve(replay), "invalid_item");
	if (hold?.token !== before.token) return undefined;
	if (!hold.impaired) return { ...hold, warnings: [] };
	await giveBack(api, hold.token);
	return await reserveWhole(api, input);
}

/** Whether a hold has these lines, in this order; a line without a brand matches any brand. */
function areHeld(lines: readonly Line[], items: readonly HeldItem[]): boolean {
	return (
		lines.length === items.length &&
		lines.every(({ sku, qty, brandCode }, at) => {
			const item = items[at];
			const { requestedUnits, perKit = 1 } = item?.components[0] ?? {};
			const held = (requestedUnits ?? 0) / perKit;
			return item?.sku === sku && held === qty && (brandCode ?? item.brandCode) === item.brandCode;
		})
	);
}

async function begin(api: Needed, input: SaleInput, before: HoldRecord | undefined): Promise<Hold | Order | Consumed> {
	try {
		return await reserveWhole(api, input);
	} catch (error) {
		if (!isRefused(error, "no_inventory")) throw error;
		// another process may have sold the cart meanwhile, and the last units with it
		const { externalRef } = input;
		const sold = await saleOf(api, externalRef, await newestHold(api, externalRef));
		if (sold !== undefined) return sold;
		const order = before === undefined ? undefined : await found(api.orders.get(externalRef), "order_not_found");
		if (order !== undefined) return order;
		throw error;
	}
}

async function newestHold({ holds }: Needed, externalRef: string): Promise<HoldRecord | undefined> {
	return await found(holds.find({ externalRef }), "not_found");
}

/** What a hold of the cart became, if it was sold. */
async function saleOf(
	{ orders, consume }: Needed,
	externalRef: string,
	hold: HoldRecord | undefined,
): Promise<Order | Consumed | undefined> {
	if (hold === undefined || isOver(hold) || hold.status === "active") return undefined;
	const { status, token, orderId, consumeRef } = hold;
	if (status === "placed") return await orders.get(orderId ?? externalRef);
	// a repeat changes nothing and gives the same numbers
	if (status === "consumed") return await consume({ token, externalRef: consumeRef ?? externalRef });
	throw used(externalRef, `its hold is ${status}`);
}

async function reserveWhole(api: Needed, input: SaleInput): Promise<Hold> {
	for (let left = MAX_RESERVES; ; left--) {
		const hold = await api.reserve(input).catch((error: unknown) => {
			throw unsold(error);
		});
		if (hold.warnings.includes("items_differ")) throw used(input.externalRef, OTHER_ITEMS);
		if (!hold.impaired) return hold;
		await giveBack(api, hold.token);
		if (left === 1) throw unsold(ownRefusal("kit_incomplete", "Each hold lost units: nothing is held."));
	}
}

async function callWith(
	api: Needed,
	input: SaleInput,
	held: Hold,
	callback: (hold: WholeHold) => unknown,
): Promise<unknown> {
	const sale = new Sale(api, input, held);
	try {
		const finished = Finished.open(await callback(sale.hold), sale);
		if (finished !== undefined) return finished.value;
		throw new TypeError("The callback must return what hold.place, hold.consume or hold.release gave it.");
	} catch (error) {
		await sale.abandon(error);
		throw error;
	}
}

/** The hold of a sale, and how far its end has come. */
class Sale {
	readonly hold: WholeHold;
	readonly #api: Needed;
	readonly #input: SaleInput;
	#token: string;
	#isFinished = false;
	/** Whether the hold may have become an order or been consumed, or may still do so when the call is repeated. */
	#isOpen = false;
	/** The last call that ends the hold: such calls run one after the other. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(api: Needed, input: SaleInput, held: Hold) {
		this.#api = api;
		this.#input = input;
		this.#token = held.token;
		const { externalRef } = input;
		this.hold = {
			...held,
			place: (order, { idempotencyKey = externalRef } = {}) =>
				this.#finish(() => this.#place(order, idempotencyKey), "idempotency_mismatch"),
			consume: (options) => {
				const reference = options?.externalRef ?? externalRef;
				return this.#finish(
					() => this.#held((token) => api.consume({ token, externalRef: reference })),
					"invalid_input",
				);
			},
			release: () => this.#finish(() => this.#release()),
		};
	}

	/**
	 * Called when the callback has failed: frees the units unless they may be sold or paid for, and marks the error
	 * accordingly.
	 */
	async abandon(thrown: unknown): Promise<void> {
		await this.#last;
		if (this.#isFinished || this.#isOpen || thrown instanceof ChargeUnknown) return;
		const error = await giveBack(this.#api, this.#token).catch((refusal: unknown) => refusal);
		if (!isRefused(error, "gone")) unsold(thrown); // a hold that could not be given back ends by itself
	}

	/** `soldElsewhere`: the code that says that another hold was sold under the reference. */
	#finish<Value>(end: () => Promise<Value>, soldElsewhere = ""): Promise<Finished<Value>> {
		const finishing = this.#last.then(async () => {
			if (this.#isFinished) throw new TypeError("The hold has ended already.");
			try {
				const value = await end();
				this.#isFinished = true;
				return Finished.make(value, this);
			} catch (error) {
				if (error instanceof HoldfastError && (isOpen(error) || error.code === soldElsewhere)) {
					this.#isOpen = true;
					error.message += " The sale is open: call withHold again.";
				}
				throw error;
			}
		});
		this.#last = finishing.catch(() => undefined);
		return finishing;
	}

	async #place(order: Parameters<WholeHold["place"]>[0], idempotencyKey: string): Promise<Order> {
		const { orders } = this.#api;
		try {
			return await this.#held((token) => orders.place({ ...order, token, idempotencyKey }));
		} catch (error) {
			if (idempotencyKey !== this.#input.externalRef || !isRefused(error, "idempotency_mismatch")) throw error;
			// another process has placed the order of this cart, from its own hold
			this.#isOpen = true;
			const placed = await orders.get(idempotencyKey);
			await giveBack(this.#api, this.#token).catch(() => undefined);
			return placed;
		}
	}

	/** Does `act` with the hold, or, if that one is over, with another one of the same items. */
	async #held<Value>(act: (token: string) => Promise<Value>): Promise<Value> {
		try {
			return await act(this.#token);
		} catch (error) {
			if (!(error instanceof HoldfastError) || !HOLD_OVER.test(error.code)) throw error;
			if (!isOver(await this.#api.holds.get(this.#token))) throw error;
			this.#token = (await reserveWhole(this.#api, this.#input)).token;
			return await act(this.#token);
		}
	}

	async #release(): Promise<null> {
		await giveBack(this.#api, this.#token);
		return null;
	}
}

/** Releases a hold, or finds that it was over. @throws HoldfastError `gone` if it was sold */
async function giveBack({ release, holds }: Needed, token: string): Promise<void> {
	try {
		await release(token);
	} catch (error) {
		if (!isRefused(error, "gone")) throw error;
		if (!isOver(await holds.get(token))) throw error;
	}
}

function isOver({ status }: HoldRecord): boolean {
	return status === "expired" || status === "released";
}

/** What was found; undefined: refused with this code. */
async function found<Value>(asked: Promise<Value>, code: string): Promise<Value | undefined> {
	return await asked.catch((error: unknown) => {
		if (isRefused(error, code)) return undefined;
		throw error;
	});
}

/** Whether repeating the call may still sell the cart, or the cart has been sold. */
function isOpen(error: HoldfastError): boolean {
	return error instanceof OutcomeUnknown || isPassing(error.code);
}

/** Marks a refusal: nothing was sold, unless a repeat may still succeed. */
function unsold(error: unknown): unknown {
	if (error instanceof HoldfastError && !isOpen(error)) (error as { isUnsold: boolean }).isUnsold = true;
	return error;
}

function isRefused(error: unknown, code: string): boolean {
	return error instanceof HoldfastError && error.code === code;
}

function used(externalRef: string, why: string): HoldfastError {
	return ownRefusal(
		"reference_used",
		`externalRef ${JSON.stringify(externalRef)} names another sale: ${why}. Use a new one for each cart.`,
	);
}
