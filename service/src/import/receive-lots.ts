import type { Command } from "../assembly/commands.ts";
import { executeStockIn } from "../assembly/engine.ts";
import { createCatalogCache } from "../catalog/cache.ts";
import { must } from "../lib/assert.ts";
import { newId } from "../lib/ids.ts";
import { isRefusal } from "../lib/refusal.ts";
import type { Query } from "../pg/connect.ts";
import { type LotEntry, pointAt } from "./entries.ts";
import { keyOf } from "./plan.ts";
import { ImportRefused } from "./refused.ts";
import { type Advance, chunks, type Ids, poolOf } from "./write-catalog.ts";

/** Receipts given to the stock engine at a time. */
const RECEIPTS_AT_ONCE = 2_000;

/**
 * Receives what the lots lack of the units that their entries say, through the stock engine, in the order given. How much that is,
 * is decided under each lot's lock: what came since it was compared counts. Returns the lots' ids by natural key.
 */
export async function receiveLots(
	tx: Query,
	{ timeZone, actor }: { readonly timeZone: string; readonly actor: string },
	lots: readonly LotEntry[],
	ids: Ids,
	advance: Advance,
): Promise<Map<string, string>> {
	const fgIds = new Map<string, string>();
	const settings = { catalog: createCatalogCache(), timeZone }; // its own: what it reads is not committed yet
	for (const some of chunks(lots, RECEIPTS_AT_ONCE)) {
		const answers = await executeStockIn(
			tx,
			settings,
			some.map((lot) => receiveCommand(lot, ids, actor)),
		);
		for (const [i, lot] of some.entries()) {
			const answer = must(answers[i], "an answer");
			if (isRefusal(answer)) throw new ImportRefused([{ at: pointAt(lot.at), message: answer.message }]);
			fgIds.set(keyOf("lots", lot), (answer as { fgId: string }).fgId);
		}
		advance(some.length);
	}
	return fgIds;
}

function receiveCommand(lot: LotEntry, ids: Ids, actor: string): Command {
	return {
		kind: "receive",
		origin: { actor, requestId: null },
		newFgId: newId(),
		formulaId: must(ids.formulas.get(lot.formula), lot.formula),
		poolId: poolOf(lot.brandCode, ids),
		batchNumber: lot.batchNumber,
		expiresOn: lot.expiresOn,
		receivedOn: lot.receivedOn,
		units: { inAll: lot.units },
	};
}
