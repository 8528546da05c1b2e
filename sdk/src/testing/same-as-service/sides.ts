import type { Deps } from "../../../../service/src/deps.ts";
import { newId } from "../../../../service/src/ground/lib/ids.ts";
import { isRefusal } from "../../../../service/src/ground/lib/refusal.ts";
import type { Database } from "../../../../service/src/ground/pg/connect.ts";
import { transaction } from "../../../../service/src/ground/pg/transaction.ts";
import { sweepOnce } from "../../../../service/src/inventory/holds/sweep.ts";
import { byFefo } from "../../../../service/src/inventory/stock/lot.ts";
import { advanceDueBoxes } from "../../../../service/src/upkeep/sandbox/advance-due-boxes.ts";
import { selectBoxOf } from "../../../../service/src/upkeep/sandbox/box-sql.ts";
import { putSamplesIn } from "../../../../service/src/upkeep/sandbox/put-samples.ts";
import { remediesFor } from "../../../../service/src/upkeep/sandbox/test-skus.ts";
import { keepSecretsOf } from "../../../../service/test/leaks/secrets.ts";
import type { FakeHoldfast } from "../types.ts";
import type { Seen } from "./plain-reply.ts";
import type { Asked } from "./steps.ts";

/** One of the two that must give the same answers. */
export interface Side {
	readonly token: string;
	now(): number;
	send(asked: Asked): Promise<Seen>;
	wait(seconds: number): Promise<void>;
	setStock(sku: string, qty: number): Promise<void>;
	/** Picks and ships what an order still has to ship. Returns whether the service allowed it. */
	ship(orderId: string): Promise<"shipped" | "refused">;
	/** The bodies of the key's events, the oldest first. */
	events(): Promise<string[]>;
}

const LABEL = { carrierCode: "ups", serviceCode: null, trackingNumber: "1Z" };

/** The init of a request. A text body is sent as it is. */
function initOf(token: string, { method, body, headers = {}, anonymous }: Asked): RequestInit {
	const isRaw = "x-raw" in headers;
	const text = body === undefined ? null : isRaw ? (body as string) : JSON.stringify(body);
	return {
		method,
		headers: {
			...(anonymous ? {} : { authorization: `Bearer ${token}` }),
			...(text === null ? {} : { "content-type": "application/json" }),
			...headers,
		},
		...(text === null ? {} : { body: text }),
	};
}

const seenOf = async (reply: Response): Promise<Seen> => ({
	status: reply.status,
	headers: reply.headers,
	text: await reply.text(),
});

export function fakeSide(fake: FakeHoldfast): Side {
	const { token, clock, world } = fake;
	return {
		token,
		now: () => clock.now(),
		send: async (asked) => {
			await clock.advance(1); // as in real time: no two requests come at the same instant
			return await seenOf(await fake.fetch(`https://holdfast.test${asked.path}`, initOf(token, asked)));
		},
		wait: (seconds) => clock.advance(seconds * 1_000),
		setStock: async (sku, qty) => world.setStock(sku, qty),
		async ship(orderId) {
			try {
				world.ship(orderId, LABEL);
				return "shipped";
			} catch {
				return "refused";
			}
		},
		events: async () => world.events.map(({ body }) => body),
	};
}

export interface ServiceMeans {
	readonly deps: Deps;
	readonly api: string;
	readonly coa: string;
	readonly token: string;
	readonly keyId: string;
	/** The pools that the key draws from, its own first. */
	readonly pools: readonly number[];
	/** Whether the key is of the sandbox, whose orders move by themselves. */
	readonly isSandbox: boolean;
}

const ORIGIN = { actor: "operator:test", requestId: null };

let clients = 0;

/** An address that no other history has: requests without a key are limited by address. */
function newAddress(): string {
	const n = ++clients;
	return `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
}

/** `api` and `coa` must trust X-Forwarded-For. */
export function serviceSide({ deps, api, coa, token, keyId, pools, isSandbox }: ServiceMeans): Side {
	const { db, engine, readDb } = deps;
	const address = newAddress();
	const granted = (answer: unknown): void => {
		if (isRefusal(answer)) throw new Error(`${answer.refusal}: ${answer.message}`);
	};
	/** The fake moves overdue orders before each request or look; the service has a task for it, once a second. */
	const catchUp = async (): Promise<void> => {
		if (isSandbox) await advanceDueBoxes({ engine, readDb });
	};
	return {
		token,
		now: Date.now,
		async send(asked) {
			await catchUp();
			const init = initOf(token, { ...asked, headers: { ...asked.headers, "x-forwarded-for": address } });
			const seen = await seenOf(await fetch((asked.coa ? coa : api) + asked.path, init));
			keepSecretsOf(seen.text);
			return seen;
		},
		/** Real time cannot be moved, so the stored times are moved instead, as in the model's tests. */
		async wait(seconds) {
			await db.query(
				`update hold set created_at = created_at - $2::interval, expires_at = expires_at - $2::interval where key_id = $1`,
				[keyId, `${seconds} seconds`],
			);
			await db.query("update sweep_mark set swept_to = '-infinity'"); // holds now end before the mark
			while ((await sweepOnce(readDb, engine)) > 0);
			await ageOrders(deps, keyId, seconds);
		},
		async setStock(sku, qty) {
			const rows = await componentsOf(db, sku, pools);
			for (const { formulaId, perKit, promised } of rows) {
				const lots = await lotsOf(deps, formulaId, pools);
				const own = lots.find(({ poolId }) => poolId === pools[0]);
				for (const remedy of remediesFor(
					qty * perKit + promised,
					lots.map(({ available, ...lot }) => ({ ...lot, free: available })),
				)) {
					if ("fgId" in remedy) {
						const { fgId, correct } = remedy;
						granted(await engine.execute({ kind: "correct", origin: ORIGIN, fgId, units: correct, reason: "restock" }));
						continue;
					}
					const batch = {
						formulaId,
						poolId: pools[0] ?? 0,
						batchNumber: own?.batchNumber ?? "B1",
						expiresOn: own?.expiresOn ?? null,
					};
					const units = remedy.receive;
					granted(
						await engine.execute({
							kind: "receive",
							origin: ORIGIN,
							newFgId: newId(),
							...batch,
							receivedOn: null,
							units,
						}),
					);
				}
			}
		},
		async ship(orderId) {
			await catchUp();
			return await shipWhole(deps, orderId);
		},
		async events() {
			await catchUp();
			const { rows } = await db.query<{ body: string }>(
				"select body from event where partner_id = (select partner_id from api_key where key_id = $1) order by seq",
				[keyId],
			);
			return rows.map(({ body }) => body);
		},
	};
}

/** Picks what is to be picked in the box of an order, and ships it. */
async function shipWhole({ engine, readDb }: Deps, orderId: string): Promise<"shipped" | "refused"> {
	const box = await selectBoxOf(readDb, orderId);
	if (box === undefined) return "refused";
	for (const order of box) {
		if (order.status === "placed") await engine.execute({ kind: "pick", orderId: order.orderId, token: order.token });
	}
	const orders = box.map((order) => ({ orderId: order.orderId, token: order.token }));
	const command = { kind: "ship", origin: ORIGIN, orders, items: null, ...LABEL, newShipmentId: newId() } as const;
	return isRefusal(await engine.execute(command)) ? "refused" : "shipped";
}

/** The sample certificates of the test SKUs, which must exist. */
export async function furnishSamples({ db, files, links }: Deps): Promise<void> {
	await transaction(db, (tx) => putSamplesIn(tx, files, links));
}

/** Steps that an order of the sandbox may take at a time. */
const MOST_STEPS = 3;
/**
 * Seconds between two steps of an order of the sandbox, and the number of steps after which no order moves any more.
 */
const STEP_SECONDS = 30;
const MOST_PERIODS = 3;

/**
 * Makes orders older, one after the other: those that are due in the same second would move in no certain order. Steps
 * are taken in the order of their times.
 */
async function ageOrders({ db, engine, readDb }: Deps, keyId: string, seconds: number): Promise<void> {
	const { rows } = await db.query<{ id: string }>(
		"select order_id as id from orders where key_id = $1 order by placed_at, order_id",
		[keyId],
	);
	let left = seconds;
	for (let period = 0; period <= MOST_PERIODS && left > 0; period++) {
		const passed = period === MOST_PERIODS ? left : Math.min(left, STEP_SECONDS);
		left -= passed;
		for (const { id } of rows) {
			await db.query("update orders set placed_at = placed_at - $2 * interval '1 second' where order_id = $1", [
				id,
				passed,
			]);
			for (let steps = 0; steps < MOST_STEPS; steps++) await advanceDueBoxes({ engine, readDb });
		}
	}
}

async function lotsOf({ db }: Deps, formulaId: string, pools: readonly number[]) {
	const { rows } = await db.query<{
		fgId: string;
		poolId: number;
		batchNumber: string;
		expiresOn: string | null;
		receivedOn: string;
		available: number;
	}>(
		`select fg_id as "fgId", pool_id as "poolId", batch_number as "batchNumber", expires_on as "expiresOn",
		        received_on as "receivedOn", available
		   from lot where formula_id = $1 and (expires_on is null or expires_on >= current_date)`,
		[formulaId],
	);
	return pools.flatMap((poolId) => rows.filter((lot) => lot.poolId === poolId).sort(byFefo));
}

/** The recipe of a SKU, with the units of each formula that are promised from these pools. */
async function componentsOf(
	db: Database,
	sku: string,
	pools: readonly number[],
): Promise<{ formulaId: string; perKit: number; promised: number }[]> {
	const { rows } = await db.query<{ formulaId: string; perKit: number; promised: number }>(
		`select c.formula_id as "formulaId", per_kit as "perKit",
		        (select coalesce(sum(units), 0)::int from demand d where d.formula_id = c.formula_id and pool_id = any($2)) as promised
		   from sku_component c where sku = $1 order by position`,
		[sku, pools],
	);
	return rows;
}
