import { describe, expect, it } from "vitest";
import { planRestock, type WantedStock } from "./wanted.ts";

const wanted = (formulaId: string, nominal: number, rest: Partial<WantedStock> = {}): WantedStock => ({
	formulaId,
	batchNumber: "SANDBOX",
	anyBatch: true,
	expiresOn: null,
	receivedOn: null,
	nominal,
	...rest,
});
const lot = (poolId: number, formulaId: string, free: number, batchNumber = "SANDBOX") => ({
	poolId,
	formulaId,
	fgId: `${poolId}-${formulaId}-${batchNumber}`,
	batchNumber,
	free,
});
const planned = (...[pools, stock, lots]: Parameters<typeof planRestock>) =>
	planRestock(pools, stock, lots).map(({ poolId, wanted: { formulaId }, remedy }) => ({ poolId, formulaId, remedy }));

describe("A restock of several sandboxes", () => {
	it("gives each what it lacks itself, whatever the others have", () => {
		expect(planned([2, 3], [wanted("F", 3)], [lot(2, "F", 1), lot(3, "F", 3)])).toEqual([
			{ poolId: 2, formulaId: "F", remedy: { receive: 2 } },
		]);
	});

	it("takes off what one has too much, and leaves lots alone that nobody wants", () => {
		expect(planned([2], [wanted("F", 3)], [lot(2, "F", 5), lot(2, "G", 9), lot(4, "F", 9)])).toEqual([
			{ poolId: 2, formulaId: "F", remedy: { fgId: "2-F-SANDBOX", correct: -2 } },
		]);
	});

	it("compares copies of the model's lots batch by batch", () => {
		const copies = [
			wanted("F", 3, { batchNumber: "A", anyBatch: false }),
			wanted("F", 4, { batchNumber: "B", anyBatch: false }),
		];
		expect(planned([2], copies, [lot(2, "F", 3, "A"), lot(2, "F", 9, "C")])).toEqual([
			{ poolId: 2, formulaId: "F", remedy: { receive: 4 } },
		]);
	});
});
