import { setTimeout as sleep } from "node:timers/promises";
import { openStockEngine, type StockEngine } from "../../service/src/assembly/engine.ts";
import { createLinks } from "../../service/src/assembly/links.ts";
import { newId } from "../../service/src/ground/lib/ids.ts";
import { isRefusal, type Refusal, refuse } from "../../service/src/ground/lib/refusal.ts";
import { type Database, openDatabase } from "../../service/src/ground/pg/connect.ts";
import { createCatalogCache } from "../../service/src/inventory/catalog/cache.ts";
import { showOrder } from "../../service/src/inventory/orders/show-order.ts";
import { findHolders, HOLDERS_PER_STEP } from "../../service/src/inventory/recall/find-holders.ts";
import { POOLS_OF } from "./sql.ts";

/**
 * The operator's side, which is not in the partner API: sends the commands of the operator's tools to an engine of its
 * own beside the service's, on the same database. Partners still get all their information from the service.
 */

/** Milliseconds without an answer to a command after which the run ends. */
const PATIENCE_MS = 120_000;
/** Milliseconds before a command without an answer is tried again. */
const AGAIN_MS = 200;
const CONNECTIONS = 4;
const ORIGIN = { actor: "operator:replay", requestId: null } as const;

/** An order as commands name it. */
export interface Named {
	readonly orderId: string;
	readonly token: string;
}

/** Kits by SKU. */
export type Kits = readonly { readonly sku: string; readonly qty: number }[];

/** An order as the operator sees it. */
export interface OrderSeen {
	readonly status: string;
	/** The box in which the rest of it waits; null: nothing is left. */
	readonly waiting: BoxSeen | null;
	readonly boxes: readonly BoxSeen[];
	/** Lots of its shipped units. */
	readonly shippedFgIds: readonly string[];
}

export interface BoxSeen {
	readonly shipmentId: string;
	readonly status: string;
	readonly orderIds: readonly string[];
}

/** A box that left. `items`: what it contained of its only order; null: everything that its orders had left. */
export interface Left {
	readonly boxId: string;
	readonly orderIds: readonly string[];
	readonly items: Kits | null;
}

/** "wrong_state": the order's state does not allow this, perhaps because it was done already; "done": it was done. */
export type Outcome = "done" | "wrong_state";

export class Operator {
	readonly #engine: StockEngine;
	readonly #db: Database;
	/** Whether lost connections are expected because processes are being killed. */
	readonly #rough: boolean;

	readonly #tokenOf: (orderId: string) => string;

	/** `coaUrl`: the same as the service's, because events contain it. `tokenOf`: an order's reservation token. */
	constructor(url: string, coaUrl: string, tokenOf: (orderId: string) => string, rough: boolean) {
		this.#tokenOf = tokenOf;
		const settings = {
			catalog: createCatalogCache(),
			timeZone: "UTC",
			links: createLinks(() => coaUrl, { carriers: {} }),
		};
		this.#engine = openStockEngine(url, { ...settings, durability: "required" });
		this.#db = openDatabase(url, {
			max: CONNECTIONS,
			name: "holdfast replay",
			indexPlansOnly: true, // the first queries run while the tables are nearly empty
			onError: () => undefined,
		});
		this.#rough = rough;
	}

	async close(): Promise<void> {
		await this.#engine.close();
		await this.#db.close();
	}

	/** Runs a read-only statement. */
	rows<R extends object>(statement: string, values: unknown[] = []): Promise<R[]> {
		return this.#patiently(async () => (await this.#db.query<R>(statement, values)).rows);
	}

	look(orderId: string): Promise<OrderSeen> {
		return this.#patiently(async () => {
			const { order, contents, shipments } = await showOrder(this.#db, orderId);
			const boxes = shipments.map(({ shipment, orders }) => ({
				shipmentId: shipment.shipmentId,
				status: shipment.status,
				orderIds: orders.map((boxed) => boxed.orderId),
			}));
			return {
				status: order.status,
				boxes,
				waiting: boxes.find(({ status }) => WAITING.includes(status)) ?? null,
				shippedFgIds: [...new Set(contents.parts.filter(({ state }) => state === "shipped").map(({ fgId }) => fgId))],
			};
		});
	}

	/**
	 * "wrong_state" also when its lots have passed their date and there are no others, so that it is put on hold
	 * instead.
	 */
	async pick(order: Named): Promise<Outcome> {
		return await this.#orderCommand(order, "picked", async () => {
			const answer = await this.#engine.execute({ kind: "pick", orderId: order.orderId, token: order.token });
			return isRefusal(answer) || answer.picked ? answer : refuse("wrong_state", "It is on hold.");
		});
	}

	async hold(order: Named, detail: string): Promise<Outcome> {
		const command = { kind: "holdOrder", orderId: order.orderId, reason: "operator", detail } as const;
		return await this.#orderCommand(order, "held", () => this.#engine.execute(command));
	}

	/** "wrong_state" also when its lost units are still missing. `formulas`: ids of the formulas in its lines. */
	async release(order: Named, formulas: readonly string[], brand: string | null): Promise<Outcome> {
		const own = await this.rows<{ pool_id: number }>(POOLS_OF, [brand]);
		const pools = own.map(({ pool_id }) => pool_id);
		const shelves = new Map(formulas.map((formulaId) => [formulaId, pools] as const));
		const command = {
			kind: "releaseOrder",
			origin: ORIGIN,
			orderId: order.orderId,
			token: order.token,
			shelves,
		} as const;
		return await this.#orderCommand(order, "not held", () => this.#engine.execute(command));
	}

	async label({ orderId, token }: Named, trackingNumber: string): Promise<Outcome> {
		const command = { kind: "createLabel", orderId, carrierCode: "ups", serviceCode: null, trackingNumber } as const;
		return await this.#orderCommand({ orderId, token }, "labelled", () => this.#engine.execute(command));
	}

	/**
	 * Ships the box in which an order waits: everything, or, if the order is alone in it, some kits in a box of their
	 * own. "again": the box was repacked meanwhile, or its rows are locked.
	 */
	async ship(orderId: string, items: Kits | null): Promise<Left | "wrong_state" | "again"> {
		const { waiting } = await this.look(orderId);
		if (waiting === null) return "wrong_state";
		const whole = items === null || waiting.orderIds.length > 1;
		const newShipmentId = newId();
		const boxId = whole ? waiting.shipmentId : newShipmentId;
		const command = {
			kind: "ship",
			origin: ORIGIN,
			orders: waiting.orderIds.map((id) => this.#named(id)),
			items: whole ? null : items,
			carrierCode: "ups",
			serviceCode: null,
			trackingNumber: null,
			newShipmentId,
		} as const;
		const answer = await this.#boxCommand(() => this.#engine.execute(command), orderId, boxId, "shipped");
		return answer === "done" ? { boxId, orderIds: waiting.orderIds, items: whole ? null : items } : answer;
	}

	/** Voids a box that never left. */
	async voidBox({ boxId, orderIds }: Left): Promise<Outcome | "again"> {
		const seen = await Promise.all(orderIds.map((id) => this.look(id)));
		const command = {
			kind: "voidShipment",
			origin: ORIGIN,
			shipmentId: boxId,
			orders: orderIds.map((id) => ({ ...this.#named(id), newShipmentId: newId() })),
			fgIds: [...new Set(seen.flatMap(({ shippedFgIds }) => shippedFgIds))],
		} as const;
		return await this.#boxCommand(() => this.#engine.execute(command), orderIds[0] as string, boxId, "voided");
	}

	/**
	 * Takes a whole lot out of sale, including units of holds and orders. After an interruption, the same call takes
	 * the rest.
	 */
	async recall(fgId: string, reason: string): Promise<void> {
		const command = { kind: "quarantine", origin: ORIGIN, fgId, units: "all", reason } as const;
		let before = Number.POSITIVE_INFINITY;
		for (let holders: string[] = []; ; ) {
			const named = holders.splice(0, HOLDERS_PER_STEP);
			const answer = await this.#command(() => this.#engine.execute({ ...command, holders: named }));
			if (isRefusal(answer)) throw new Error(`the recall of lot ${fgId} was refused: ${answer.message}`);
			if (answer.left === 0) return;
			if (named.length === 0 && answer.left === before)
				throw new Error(`units of lot ${fgId} are held, but no hold has them`);
			before = answer.left;
			if (holders.length === 0) holders = await this.#patiently(() => findHolders(this.#db, [fgId]));
		}
	}

	/** Repeats a command until it is answered. Executed twice, it changes nothing the second time. */
	async #command<A>(attempt: () => Promise<A>): Promise<A> {
		for (const started = performance.now(); ; await sleep(AGAIN_MS)) {
			const answer = await attempt().catch((error: unknown) => this.#trouble(error, started));
			if (!(answer instanceof Trouble) && !isBusy(answer)) return answer;
		}
	}

	/**
	 * Runs a command on an order. If it is refused after an attempt with unknown outcome, and the order has the status
	 * `there`, it had been executed.
	 */
	async #orderCommand({ orderId }: Named, there: string, attempt: () => Promise<unknown>): Promise<Outcome> {
		let uncertain = false;
		const answer = await this.#command(() =>
			attempt().catch((error: unknown) => {
				uncertain = true;
				throw error;
			}),
		);
		if (!isRefusal(answer)) return "done";
		const outcome = expectWrongState(answer);
		if (!uncertain) return outcome;
		const { status } = await this.look(orderId);
		return status === there || (there === "not held" && status !== "held") ? "done" : outcome;
	}

	/**
	 * Runs a command on a box. It was executed if `boxId` is among the boxes of `orderId` with this `status`, whatever
	 * was answered.
	 */
	async #boxCommand(
		attempt: () => Promise<unknown>,
		orderId: string,
		boxId: string,
		status: string,
	): Promise<Outcome | "again"> {
		const answer = await attempt().catch((error: unknown) => this.#trouble(error, performance.now()));
		if (!isRefusal(answer) && !(answer instanceof Trouble)) return "done";
		if (answer instanceof Trouble) {
			await sleep(AGAIN_MS);
			const { boxes } = await this.look(orderId);
			return boxes.some((box) => box.shipmentId === boxId && box.status === status) ? "done" : "again";
		}
		// a box that was repacked is refused like one with locked rows
		if (!isBusy(answer)) return expectWrongState(answer);
		await sleep(AGAIN_MS);
		return "again";
	}

	#named = (orderId: string): Named => ({ orderId, token: this.#tokenOf(orderId) });

	async #patiently<T>(read: () => Promise<T>): Promise<T> {
		const started = performance.now();
		for (;;) {
			const got = await read().catch((error: unknown) => this.#trouble(error, started));
			if (!(got instanceof Trouble)) return got;
			await sleep(AGAIN_MS);
		}
	}

	/** Throws the error, unless processes are being killed and it may be temporary. */
	#trouble(error: unknown, started: number): Trouble {
		if (!this.#rough || performance.now() - started > PATIENCE_MS) throw error;
		return new Trouble(error);
	}
}

/** A possibly temporary failure of an attempt. */
class Trouble {
	readonly error: unknown;
	constructor(error: unknown) {
		this.error = error;
	}
}

const WAITING = ["awaiting_shipment", "on_hold", "label_created"];

const isBusy = (answer: unknown): boolean =>
	isRefusal(answer) && (answer.refusal === "rate_limited" || answer.refusal === "retry");

function expectWrongState({ refusal, message }: Refusal): "wrong_state" {
	if (refusal !== "wrong_state") throw new Error(`the operator was refused with ${refusal}: ${message}`);
	return "wrong_state";
}
