import { type Remedy, remediesFor, type TestLot } from "./test-skus.ts";

/** Units of a formula that a sandbox should have free. */
export interface WantedStock {
	readonly formulaId: string;
	/** The batch that missing units are received for. */
	readonly batchNumber: string;
	/** Whether lots of other batches count, too. */
	readonly anyBatch: boolean;
	/** YYYY-MM-DD; null: never expires. */
	readonly expiresOn: string | null;
	/** YYYY-MM-DD; null: today. */
	readonly receivedOn: string | null;
	readonly nominal: number;
}

export interface SandboxLot extends TestLot {
	readonly poolId: number;
	readonly formulaId: string;
}

export interface PlannedRemedy {
	readonly poolId: number;
	readonly wanted: WantedStock;
	readonly remedy: Remedy;
}

/** What brings each of these sandboxes to the wanted stock; other lots are left alone. */
export function planRestock(
	poolIds: readonly number[],
	wanted: readonly WantedStock[],
	lots: readonly SandboxLot[],
): PlannedRemedy[] {
	const byShelf = Map.groupBy(lots, ({ poolId, formulaId }) => shelfOf(poolId, formulaId));
	return poolIds.flatMap((poolId) =>
		wanted.flatMap((one) => {
			const { formulaId, anyBatch, batchNumber, nominal } = one;
			const onShelf = byShelf.get(shelfOf(poolId, formulaId)) ?? [];
			const own = onShelf.filter((lot) => anyBatch || lot.batchNumber === batchNumber);
			return remediesFor(nominal, own).map((remedy) => ({ poolId, wanted: one, remedy }));
		}),
	);
}

const shelfOf = (poolId: number, formulaId: string): string => `${poolId} ${formulaId}`;
