import type { Command } from "../../../service/src/assembly/commands.ts";
import { must } from "../../../service/src/ground/lib/assert.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import type { Catalog } from "../../../service/src/inventory/catalog/catalog.ts";
import { isWaiting, type Shipment } from "../../../service/src/inventory/orders/shipment.ts";
import { type Gate, mount } from "../../../service/src/partners/http/mount.ts";
import {
	fakeLabel,
	HELD_DETAIL,
	nextMoves,
	PICKED_AFTER_MS,
	SHIPPED_AFTER_MS,
	type TestBox,
} from "../../../service/src/upkeep/sandbox/box.ts";
import { NOT_FOR_LIVE_KEYS, RestockSandbox } from "../../../service/src/upkeep/sandbox/contract.ts";
import { mountAdvance } from "../../../service/src/upkeep/sandbox/routes.ts";
import { SANDBOX_BATCH, TEST_FORMULAS } from "../../../service/src/upkeep/sandbox/test-skus.ts";
import { planRestock } from "../../../service/src/upkeep/sandbox/wanted.ts";
import { named, SANDBOX_POOL_ID } from "./catalog.ts";
import type { MemoryEngine } from "./engine.ts";
import { actsOutHeld } from "./order-statements.ts";
import type { Rows } from "./rows.ts";
import { carryOut, type Stocked } from "./stocking.ts";

const ORIGIN = { actor: "system:sandbox", requestId: null } as const;

interface Means {
	readonly rows: Rows;
	readonly engine: MemoryEngine;
	readonly catalog: Catalog;
	readonly formulaIds: ReadonlyMap<string, string>;
}

/** The operations of the sandbox: the service's own, and a restock in memory. */
export function sandboxOperations(gate: Gate, means: Means, deps: Parameters<typeof mountAdvance>[1]): void {
	mountAdvance(gate, deps);
	mount(gate, RestockSandbox, async ({ caller }) => {
		if (caller.environment !== "sandbox") return NOT_FOR_LIVE_KEYS;
		const { received, removed } = restock(means);
		return { status: 200, data: { ok: true, received_units: received, removed_units: removed } };
	});
}

/** Brings the free units of every test formula back to what they are after the daily restock. */
export function restock({ engine, formulaIds }: Pick<Means, "engine" | "formulaIds">): Stocked {
	const wanted = Object.entries(TEST_FORMULAS).map(([code, { nominal, expiresOn }]) => ({
		formulaId: named(formulaIds, code),
		batchNumber: SANDBOX_BATCH,
		anyBatch: true,
		expiresOn,
		receivedOn: null,
		nominal,
	}));
	const lots = [...engine.open().stock.lotsById.values()].map(({ available, ...lot }) => ({ ...lot, free: available }));
	const planned = planRestock([SANDBOX_POOL_ID], wanted, lots);
	return carryOut(
		engine,
		planned.map(({ poolId, wanted: { formulaId, batchNumber, expiresOn }, remedy }) => ({
			remedy,
			batch: { formulaId, poolId, batchNumber, expiresOn },
		})),
	);
}

/** Moves the sandbox's orders to their next states when they are due. */
export interface SandboxTime {
	/** Takes every step that was due up to now, each at its own instant. */
	follow(now: number): void;
}

export function createSandboxTime({ rows, engine, catalog }: Means, start: number): SandboxTime {
	let followedTo = start;
	const holdsUp = (sku: string): boolean => catalog.skus.get(sku)?.testBehaviour === "held";
	const boxAt = ({ orderIds }: Shipment, at: number): TestBox =>
		orderIds.map((id) => {
			const order = must(rows.orders.get(id), "an order in a box");
			const { orderId, reservationToken: token, status, serviceLevel, placedAt } = order;
			return {
				orderId,
				token,
				status,
				serviceLevel,
				ageMs: at - placedAt,
				actsOutHeld: actsOutHeld(rows, order, holdsUp),
			};
		});
	/** Boxes that are moved when they are due: none with an order on hold. */
	const waiting = (): Shipment[] =>
		[...rows.shipments.values()].filter(
			(box) => box.environment === "sandbox" && isWaiting(box) && box.status !== "on_hold",
		);
	return {
		follow(now) {
			for (const at of dueBetween(waiting(), rows, followedTo, now)) {
				for (const box of waiting()) for (const command of stepsOf(boxAt(box, at))) engine.run(command, at);
			}
			followedTo = Math.max(followedTo, now);
		},
	};
}

/** The instants at which a box may have a next step, in order. */
function dueBetween(boxes: readonly Shipment[], rows: Rows, after: number, until: number): number[] {
	const instants = boxes
		.flatMap(({ orderIds }) => orderIds.map((id) => rows.orders.get(id)?.placedAt ?? 0))
		.flatMap((placedAt) => [placedAt + PICKED_AFTER_MS, placedAt + SHIPPED_AFTER_MS])
		.filter((at) => at > after && at < until);
	return [...new Set(instants)].sort((a, b) => a - b).concat(until);
}

/** The commands that a warehouse would send for a box. */
function stepsOf(box: TestBox): Command[] {
	const { hold, pick, ship } = nextMoves(box);
	const orders = box.map(({ orderId, token }) => ({ orderId, token }));
	return [
		...hold.map(({ orderId }) => ({ kind: "holdOrder", orderId, reason: "other", detail: HELD_DETAIL }) as const),
		...pick.map(({ orderId, token }) => ({ kind: "pick", orderId, token }) as const),
		...(ship ? [shipCommand(orders, fakeLabel(must(box[0], "an order in the box")))] : []),
	];
}

/** Ships a whole box. */
export const shipCommand = (
	orders: readonly { readonly orderId: string; readonly token: string }[],
	label: {
		readonly carrierCode: string | null;
		readonly serviceCode: string | null;
		readonly trackingNumber: string | null;
	},
) => ({ kind: "ship", origin: ORIGIN, orders, items: null, ...label, newShipmentId: newId() }) as const;
