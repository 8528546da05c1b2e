import type { Command } from "../../../service/src/assembly/commands.ts";
import { assert } from "../../../service/src/ground/lib/assert.ts";
import { newId } from "../../../service/src/ground/lib/ids.ts";
import { isRefusal } from "../../../service/src/ground/lib/refusal.ts";
import { inDate, type Lot } from "../../../service/src/inventory/stock/lot.ts";
import { type Remedy, remediesFor } from "../../../service/src/upkeep/sandbox/test-skus.ts";
import type { MemoryEngine } from "./engine.ts";

const ORIGIN = { actor: "operator:fake", requestId: null } as const;

/** A lot to receive units into. */
export type Batch = Pick<Lot, "formulaId" | "poolId" | "batchNumber" | "expiresOn">;

/** Units that were received, and that were taken off. */
export interface Stocked {
	readonly received: number;
	readonly removed: number;
}

/** Receives units, as the operator does. */
export function receive(engine: MemoryEngine, batch: Batch, units: number): void {
	done(engine, { kind: "receive", origin: ORIGIN, newFgId: newId(), ...batch, receivedOn: null, units });
}

/** A receipt or a correction, and the batch that units are received into. */
export interface Planned {
	readonly remedy: Remedy;
	readonly batch: Batch;
}

/** Carries out receipts and corrections. */
export function carryOut(engine: MemoryEngine, planned: readonly Planned[]): Stocked {
	let [received, removed] = [0, 0];
	for (const { remedy, batch } of planned) {
		if ("receive" in remedy) {
			receive(engine, batch, remedy.receive);
			received += remedy.receive;
		} else {
			const { fgId, correct } = remedy;
			done(engine, { kind: "correct", origin: ORIGIN, fgId, units: correct, reason: "restock" });
			removed -= correct;
		}
	}
	return { received, removed };
}

/** Brings the free units of these lots to a number, by the sandbox's own rule of a restock. Held units stay. */
export function bringTo(engine: MemoryEngine, nominal: number, lots: readonly Lot[], batch: Batch): void {
	const free = lots.map(({ fgId, batchNumber, available }) => ({ fgId, batchNumber, free: available }));
	carryOut(
		engine,
		remediesFor(nominal, free).map((remedy) => ({ remedy, batch })),
	);
}

/** Lots of a formula in these pools, in the order in which they are picked; without those out of date. */
export function lotsInDate(engine: MemoryEngine, formulaId: string, pools: readonly number[]): Lot[] {
	const { stock, today } = engine.open();
	return pools.flatMap((poolId) => stock.everyLot(formulaId, poolId).filter((lot) => inDate(lot, today)));
}

function done(engine: MemoryEngine, command: Command): void {
	const answer = engine.run(command);
	assert(!isRefusal(answer), `the stock of the world: ${JSON.stringify(answer)}`);
}
