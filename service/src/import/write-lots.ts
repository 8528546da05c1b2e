import { createCatalogCache } from "../catalog/cache.ts";
import type { Command } from "../holds/commands.ts";
import { executeStockIn } from "../holds/stock-engine.ts";
import { must } from "../lib/assert.ts";
import { newId } from "../lib/ids.ts";
import { isRefusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { type LotEntry, pointAt } from "./entries.ts";
import { type Existing, keyOf, type Plan, unitsToReceive } from "./plan.ts";
import { ImportRefused } from "./refused.ts";
import { lockLots } from "./sql.ts";
import { type Advance, chunks, type Ids, poolOf } from "./write-catalog.ts";

/** Receipts given to the stock engine at a time. */
const RECEIPTS_AT_ONCE = 2_000;

/** Receives what the lots have not had yet, through the stock engine. Returns every lot's id by natural key, old and new. */
export async function writeLots(
	tx: Query,
	{ timeZone, actor }: { readonly timeZone: string; readonly actor: string },
	{ lots }: Plan,
	existing: Existing,
	ids: Ids,
	advance: Advance,
): Promise<Map<string, string>> {
	const fgIds = new Map([...existing.lots].map(([key, { fgId }]) => [key, fgId]));
	const settings = { catalog: createCatalogCache(), timeZone }; // its own: what it reads is not committed yet
	const toReceive = [...lots.created, ...lots.changed];
	const known = toReceive.flatMap((lot) => fgIds.get(keyOf("lots", lot)) ?? []);
	if (known.length > 0) await lockLots(tx, known); // all of them first and in order, as the engine's own batches do
	for (const some of chunks(toReceive, RECEIPTS_AT_ONCE)) {
		const commands = some.map((lot) => receiveCommand(lot, existing, ids, actor));
		const answers = await executeStockIn(tx, settings, commands);
		for (const [i, lot] of some.entries()) {
			const answer = must(answers[i], "an answer");
			if (isRefusal(answer)) throw new ImportRefused([{ at: pointAt(lot.at), message: answer.message }]);
			fgIds.set(keyOf("lots", lot), (answer as { fgId: string }).fgId);
		}
		advance(some.length);
	}
	return fgIds;
}

function receiveCommand(lot: LotEntry, existing: Existing, ids: Ids, actor: string): Command {
	return {
		kind: "receive",
		origin: { actor, requestId: null },
		newFgId: newId(),
		formulaId: must(ids.formulas.get(lot.formula), lot.formula),
		poolId: poolOf(lot.brandCode, ids),
		batchNumber: lot.batchNumber,
		expiresOn: lot.expiresOn,
		receivedOn: lot.receivedOn,
		units: unitsToReceive(lot.units, existing.lots.get(keyOf("lots", lot))),
	};
}
