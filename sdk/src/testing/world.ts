import { ERROR_STATUS } from "../../../service/src/glossary.ts";
import { must } from "../../../service/src/ground/lib/assert.ts";
import { isRefusal, type Refusal, refuse } from "../../../service/src/ground/lib/refusal.ts";
import type { Catalog } from "../../../service/src/inventory/catalog/catalog.ts";
import type { CoaLinks } from "../../../service/src/inventory/certificates/record.ts";
import { canBePicked } from "../../../service/src/inventory/orders/order.ts";
import { isWaiting } from "../../../service/src/inventory/orders/shipment.ts";
import type { Caller } from "../../../service/src/partners/http/caller.ts";
import { signingKeyOf } from "../../../service/src/partners/webhooks/secret.ts";
import { signedHeaders } from "../../../service/src/partners/webhooks/sign.ts";
import { fakeLabel } from "../../../service/src/upkeep/sandbox/box.ts";
import { named } from "./catalog.ts";
import { putCertificate } from "./certificates.ts";
import type { MemoryEngine } from "./engine.ts";
import { recordEvent } from "./keep-book.ts";
import type { FakeKey } from "./key.ts";
import type { RecordedEvent, Rows } from "./rows.ts";
import { shipCommand } from "./sandbox.ts";
import { bringTo, lotsInDate } from "./stocking.ts";
import { retiredEvent } from "./tell-retired.ts";
import type { FailureCode, FakeEvent, LabelOptions, World } from "./types.ts";

/** The label of a live order, unless the test gives another. */
const UPS = { carrierCode: "ups", serviceCode: "ups_ground", trackingNumber: "1Z999AA10123456784" };

/** The batch into which stock is received if there is no other. */
export const DEFAULT_BATCH = "B1";

export interface WorldMeans {
	readonly rows: Rows;
	readonly engine: MemoryEngine;
	readonly catalog: Catalog;
	readonly key: FakeKey;
	readonly links: Pick<CoaLinks, "verifyUrl">;
	readonly failures: Failures;
	/** Lets everything happen that was due. */
	readonly catchUp: () => void;
	/** Milliseconds since 1970. */
	readonly now: () => number;
}

/** Failures that a test asked for, the first one first. */
export class Failures {
	readonly #next: FailureCode[] = [];

	add(code: FailureCode, times: number): void {
		if (code !== "connection_lost" && !Object.hasOwn(ERROR_STATUS, code))
			throw new Error(
				`there is no code ${JSON.stringify(code)}; there are connection_lost, ${Object.keys(ERROR_STATUS).join(", ")}`,
			);
		for (let at = 0; at < times; at++) this.#next.push(code);
	}

	/** The refusal of this request; `lost`: it is carried out, but its answer is lost; null: no failure. */
	take(): Refusal | "lost" | null {
		const code = this.#next.shift();
		if (code === undefined) return null;
		return code === "connection_lost" ? "lost" : refuse(code, "The test asked for this failure. Nothing was done.");
	}
}

export function createWorld(means: WorldMeans): World {
	const { rows, key, links, failures, catchUp, now } = means;
	return {
		setStock(sku, qty) {
			catchUp();
			setStock(means, sku, qty);
		},
		revoke: () => key.change({ revokeAt: now() }),
		suspend: () => key.change({ suspended: true }),
		resume: () => key.change({ suspended: false }),
		failNext: (code, times = 1) => failures.add(code, times),
		ship(ref, label) {
			catchUp();
			ship(means, ref, label);
		},
		setCertificate(certificate) {
			catchUp();
			const changed = putCertificate(rows, certificate, now());
			const event = changed === null ? null : retiredEvent(changed, key.current(), links, now());
			if (event !== null) recordEvent(rows, event, now(), null);
		},
		get events() {
			catchUp();
			return rows.events.map((one) => eventOf(one, now));
		},
	};
}

function setStock({ engine, catalog, key }: WorldMeans, name: string, qty: number): void {
	const { components } = named(catalog.skus, name);
	if (components.length === 0) throw new Error(`${name} is not physical: it has no stock`);
	for (const { formula, perKit } of components) {
		const { formulaId } = formula;
		const pools = poolsOf(key.key.caller);
		const poolId = must(pools[0], "a pool");
		const lots = lotsInDate(engine, formulaId, pools);
		const known = lots.find((lot) => lot.poolId === poolId);
		const batch = known ?? { formulaId, poolId, batchNumber: newBatch(engine, formulaId, poolId), expiresOn: null };
		bringTo(engine, qty * perKit + promisedOf(engine, formulaId, pools), lots, pick(batch));
	}
}

/** Units of these pools that are promised elsewhere, and so cannot be reserved. */
const promisedOf = (engine: MemoryEngine, formulaId: string, pools: readonly number[]): number => {
	const { stock } = engine.open();
	return pools.reduce((sum, poolId) => sum + stock.promised(formulaId, poolId), 0);
};

const pick = ({ formulaId, poolId, batchNumber, expiresOn }: Parameters<typeof bringTo>[3]) => ({
	formulaId,
	poolId,
	batchNumber,
	expiresOn,
});

/** The pools that a key draws from, its own brand's first. */
const poolsOf = ({ poolId, sharedPool }: Caller): number[] =>
	poolId === null ? [0] : sharedPool ? [poolId, 0] : [poolId];

/** A batch number that no lot of this shelf has; only lots out of date are there. */
function newBatch(engine: MemoryEngine, formulaId: string, poolId: number): string {
	const taken = engine
		.open()
		.stock.everyLot(formulaId, poolId)
		.map(({ batchNumber }) => batchNumber);
	let batch = DEFAULT_BATCH;
	for (let at = 2; taken.includes(batch); at++) batch = `B${at}`;
	return batch;
}

/** Picks the orders of the box that waits, as a warehouse would, and ships it. */
function ship({ rows, engine }: WorldMeans, name: string, label: LabelOptions = {}): void {
	const order = [...rows.orders.values()].find(({ orderId, ref }) => orderId === name || ref === name);
	if (order === undefined) throw new Error(`there is no order with the id or Idempotency-Key ${JSON.stringify(name)}`);
	const box = [...rows.shipments.values()].find((one) => isWaiting(one) && one.orderIds.includes(order.orderId));
	const orders = (box?.orderIds ?? [order.orderId]).map((id) => must(rows.orders.get(id), "an order in a box"));
	const found = orders.map(({ orderId, reservationToken: token }) => ({ orderId, token }));
	for (const [index, one] of orders.entries()) {
		if (canBePicked(one)) granted(engine.run({ kind: "pick", ...must(found[index], "an order") }));
	}
	const first = must(orders[0], "an order in the box");
	const made = { ...(first.environment === "sandbox" ? fakeLabel(first) : UPS), ...label };
	granted(engine.run(shipCommand(found, made)));
}

function granted(answer: unknown): void {
	if (isRefusal(answer)) throw new Error(`${answer.refusal}: ${answer.message}`);
}

const eventOf = ({ event: { eventId, type, body } }: RecordedEvent, now: () => number): FakeEvent => ({
	id: eventId,
	type,
	body,
	signed(secret) {
		const timestamp = Math.floor(now() / 1_000);
		const headers = signedHeaders({ eventId, timestamp, body }, [signingKeyOf(secret)]);
		return { headers: { "content-type": "application/json", ...headers }, body };
	},
});
