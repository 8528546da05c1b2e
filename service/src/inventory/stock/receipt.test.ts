import { describe, expect, it } from "vitest";
import type { Lot } from "./lot.ts";
import type { Move } from "./move.ts";
import { receiptChanges } from "./receipt.ts";

const lot = (fgId: string, receivedOn = "2026-01-01"): Lot => ({
	fgId,
	formulaId: "f",
	poolId: 7,
	batchNumber: fgId,
	expiresOn: null,
	receivedOn,
	received: 0,
	corrected: 0,
	available: 0,
	held: 0,
	allocated: 0,
	consumed: 0,
	shipped: 0,
	quarantined: 0,
	destroyed: 0,
	recalled: false,
});
const [known, fresh] = [lot("known"), lot("fresh", "2026-02-02")];
const move = (fgId: string, from: Move["from"], to: Move["to"], units: number): Move => ({
	fgId,
	from,
	to,
	units,
	cause: "test",
	causeId: null,
	origin: {
		actor: "operator:test",
		requestId: null,
	},
});
const changesOf = (...moves: Move[]) =>
	receiptChanges({
		moves,
		lotsById: new Map([known, fresh].map((one) => [one.fgId, one])),
		newLots: new Set([fresh]),
		today: "2026-03-03",
	});

describe("What receipts tell of a batch", () => {
	it("units that came with a new lot are of the lot's day, others of the day of the batch; each lot once", () => {
		const changes = changesOf(
			move("known", "received", "available", 3),
			move("fresh", "received", "available", 5),
			move("known", "received", "available", 4),
		);
		expect(changes).toEqual([
			{ fgId: "known", poolId: 7, day: "2026-03-03", received: 7, corrected: 0, whole: false, isFirst: false },
			{ fgId: "fresh", poolId: 7, day: "2026-02-02", received: 5, corrected: 0, whole: false, isFirst: true },
		]);
	});

	it("recounts add up, whichever way they go", () => {
		const changes = changesOf(
			move("known", "corrected", "available", 3),
			move("known", "available", "corrected", 5),
			move("known", "received", "available", 1),
		);
		expect(changes).toMatchObject([{ received: 1, corrected: -2, whole: false }]);
	});

	it.each([
		["available", "quarantined"],
		["held", "quarantined"],
		["quarantined", "available"],
		["quarantined", "destroyed"],
		["held", "destroyed"],
	] as const)("units that go from %s to %s are told of by every receipt of the lot", (from, to) => {
		expect(changesOf(move("known", from, to, 2))).toMatchObject([{ received: 0, corrected: 0, whole: true }]);
	});

	it("nothing that holds do is told of", () => {
		const changes = changesOf(
			move("known", "available", "held", 2),
			move("known", "held", "consumed", 1),
			move("known", "consumed", "available", 1),
			move("known", "held", "available", 1),
			move("known", "allocated", "shipped", 1),
		);
		expect(changes).toEqual([]);
	});
});
